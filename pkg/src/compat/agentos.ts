import { arena, call, core, passTexts } from "#merge";
import { GRAPH_CHANGE } from "../bridge/boundary.js";
import { checkObject, refusal } from "../bridge/checks.js";
import { PatchwireError } from "../errors.js";
import { freeze, isContainer, isObject, ownOf, put } from "../json/containers.js";
import { checkJson, pointerOf } from "../json/json.js";
import { segmentsOf } from "../json/pointer.js";
import { isNumber } from "../json/size.js";
import type { JSONPatchOperation } from "../types.js";
import { onTexts, type Failure, type MergeConflict } from "../values/merge.js";
import { appendedTo, changedIn, difference, isPlainJson, isWithinLimits, othersThan, type Changed, type Members } from "./branches.js";

/** The reducers that have a name. `union` isn't AgentOS's; the others are. */
export type BuiltinReducer = "concat" | "merge" | "max" | "min" | "avg" | "sum" | "last" | "first" | "longest" | "union";

/** Makes one value of what is there and what comes. Its result must be JSON. */
export type ReducerFn = (existing: any, incoming: any) => unknown;

/**
 * Reducers by the place that they are for: `'scratch.messages'`, `'artifacts.summary'`, at any depth, or a JSON Pointer
 * (`'/scratch/scores/*'`), in which `*` is any one segment.
 */
export type StateReducers = Readonly<Record<string, ReducerFn | BuiltinReducer>>;

/** What nodes see of a memory. */
export interface MemoryView {
  traces: unknown[];
  pendingWrites: unknown[];
  totalTracesRead: number;
  readLatencyMs: number;
}

/** What is measured of a run. */
export interface DiagnosticsView {
  totalTokensUsed: number;
  totalDurationMs: number;
  nodeTimings: Record<string, any>;
  discoveryResults: Record<string, any>;
  guardrailResults: Record<string, any>;
  checkpointsSaved: number;
  memoryReads: number;
  memoryWrites: number;
  /** What the means of `avg` are made of, by pointer. There once a mean has two samples. */
  samples?: Record<string, { sum: number; count: number }>;
}

/** The state of one run of a graph. */
export interface GraphState<TInput = any, TScratch = any, TArtifacts = any> {
  /** What the caller gave; frozen. */
  input: Readonly<TInput>;
  /** What nodes tell each other. */
  scratch: TScratch;
  memory: MemoryView;
  /** What the caller gets. */
  artifacts: TArtifacts;
  diagnostics: DiagnosticsView;
  currentNodeId: string;
  visitedNodes: string[];
  iteration: number;
  checkpointId?: string;
}

/** What a method of a {@link StateManager} did. */
export interface GraphChange {
  /** Leads from the state that it was given to the one that it returned (RFC 6902). */
  patch: JSONPatchOperation[];
  /** What parallel branches wrote that isn't there. */
  conflicts: MergeConflict[];
}

type ReducersHandle = InstanceType<ReturnType<typeof core>["ReducersHandle"]>;

type Done = (typeof GRAPH_CHANGE)[keyof typeof GRAPH_CHANGE];

/** A graph's state as far as something is about it. */
interface Part {
  scratch?: unknown;
  artifacts?: unknown;
  diagnostics?: unknown;
  currentNodeId?: unknown;
  visitedNodes?: unknown;
  iteration?: unknown;
}

/** What branches write. */
const PARTITIONS = ["scratch", "artifacts"] as const;
type Partition = (typeof PARTITIONS)[number];

/** What a merge did to a member. */
interface Written {
  name: Partition | "diagnostics";
  key: string;
  before: unknown;
  after: unknown;
}

/** A change whose patch nobody has asked for: what was sent to the core, and its answer, or what a merge wrote. */
type Untold = { conflicts: MergeConflict[] } & ({ before: string; answer: string } | { written: readonly Written[] });

/** Makes nothing new: what extends it puts its private fields into the object that it is given. */
class Itself {
  constructor(object: object) {
    return object;
  }
}

/** What was done to make a state, in a private field of the state itself: a WeakMap takes a fifth of a small merge's time. */
class Made extends Itself {
  #change: GraphChange | Untold | undefined;

  static of(state: object): GraphChange | Untold | undefined {
    return isContainer(state) && #change in state ? state.#change : undefined;
  }

  static set(state: object, change: GraphChange | Untold): void {
    const made = #change in state ? state : (new Made(state) as Made);
    made.#change = change;
  }
}

/**
 * What a {@link StateManager}'s method did to make this state; undefined for a state that none made. The patch is made when
 * it is asked for: a merge's from the values as they are then, which states share. O(what the method touched).
 *
 * @example
 * ```ts
 * import { changeOf, StateManager } from "patchwire/agentos";
 * const manager = new StateManager({});
 * const state = manager.updateArtifacts(manager.initialize("Hi"), { title: "Greeting" });
 * console.log(changeOf(state)?.patch); // [ { op: 'add', path: '/artifacts/title', value: 'Greeting' } ]
 * ```
 */
export function changeOf(state: GraphState): GraphChange | undefined {
  const change = Made.of(state);
  if (change === undefined || "patch" in change) return change;
  const [before, answer] = "written" in change ? textsOf(change.written) : [change.before, change.answer];
  const [arena, split, length] = passTexts(before, answer);
  const patch = JSON.parse(call(() => core().graph_patch(arena, split, length))) as JSONPatchOperation[];
  const told = { patch, conflicts: change.conflicts };
  Made.set(state, told);
  return told;
}

/**
 * AgentOS's manager of a graph's state. Each method returns a new state, shares with the old one what it didn't touch, and
 * changes nothing where it throws; {@link changeOf} tells what it did.
 *
 * @example
 * ```ts
 * import { StateManager } from "patchwire/agentos";
 * const manager = new StateManager({ "scratch.messages": "concat" });
 * let state = manager.initialize({ prompt: "Hello" });
 * state = manager.updateScratch(state, { messages: ["first"] });
 * state = manager.updateScratch(state, { messages: ["second"] });
 * console.log(state.scratch.messages); // [ 'first', 'second' ]
 * ```
 */
export class StateManager {
  private readonly rules: [pointer: string, rule: unknown][];
  /** Which of the rules members of partitions have, by their names or `*`. */
  private readonly places = { scratch: new Map<string, number>(), artifacts: new Map<string, number>() };
  private readonly hasMeans: boolean;
  private readonly failure: Failure = {};
  private handle: ReducersHandle;
  /** The arena of the instance that the handle is in. */
  private home: unknown = undefined;

  /**
   * @param reducers how values that are there and values that come become one; elsewhere the latest value stays.
   * @throws PatchwireError `VALIDATION_FAILED` for a name that no reducer has and for a place that is neither in `scratch`
   *   nor in `artifacts`, `INVALID_POINTER`; with the place.
   */
  constructor(reducers: StateReducers) {
    this.rules = Object.entries(checkObject("the reducers", reducers, "are an object, of a reducer for each field")).flatMap(([field, reducer]) => {
      const rule = typeof reducer === "function" ? onTexts(reducer, this.failure) : reducer;
      return pointers(field).map((pointer): [string, unknown] => [pointer, rule]);
    });
    this.hasMeans = Object.values(reducers).includes("avg");
    this.handle = this.begun();
    // Of rules for one place the earlier counts.
    for (let rule = this.rules.length - 1; rule >= 0; rule--) {
      const [name, key, ...inside] = segmentsOf(this.rules[rule]![0]);
      if (inside.length === 0) this.places[name as Partition].set(key!, rule);
    }
  }

  private begun(): ReducersHandle {
    const handle = call(() => new (core().ReducersHandle)(this.rules));
    this.home = arena();
    return handle;
  }

  /** The handle, or another one where the instance that it was in is lost: `isAlive`, which sees handles of all classes, takes as long as a merge at first. */
  private living(): ReducersHandle {
    if (this.home !== arena()) this.handle = this.begun();
    return this.handle;
  }

  /**
   * The state of a graph that begins: a frozen copy of the input, and everything else empty.
   *
   * @throws PatchwireError `NOT_JSON` with the place, `LIMIT_EXCEEDED`.
   * @example
   * ```ts
   * import { StateManager } from "patchwire/agentos";
   * const state = new StateManager({}).initialize({ prompt: "Hello" });
   * console.log(state.input, state.visitedNodes, Object.isFrozen(state.input)); // { prompt: 'Hello' } [] true
   * ```
   */
  initialize<TInput>(input: TInput): GraphState<TInput> {
    requireJson({ input });
    const [arena, length] = passTexts(input === undefined ? "" : JSON.stringify(input));
    const state = JSON.parse(call(() => core().initialize_graph(arena, length))) as GraphState<TInput>;
    freeze(state.input);
    return state;
  }

  /**
   * Folds an update into `scratch`: by its reducer where a value is there, and otherwise the new value stays. To `concat`,
   * `merge` and `union` null is nothing. A member that is undefined is deleted, if it has no reducer. O(what it touches).
   *
   * @throws PatchwireError `VALIDATION_FAILED` where types don't fit their reducer, with the place and the types, and where
   *   the update isn't an object; `NOT_JSON`, `LIMIT_EXCEEDED`; and what a function throws.
   * @example
   * ```ts
   * import { StateManager } from "patchwire/agentos";
   * const manager = new StateManager({ "scratch.score": "avg", "scratch.spent.tokens": "sum" });
   * let state = manager.initialize(null);
   * for (const score of [10, 20, 60]) state = manager.updateScratch(state, { score, spent: { tokens: 5 } });
   * console.log(state.scratch); // { score: 30, spent: { tokens: 15 } }
   * ```
   */
  updateScratch<S extends GraphState>(state: S, patch: Record<string, unknown>): S {
    requireState(state);
    const part: Part = { scratch: pickedBy(state.scratch, patch), ...this.totals(state) };
    requireJson(part);
    requireJson({ scratch: patch });
    return this.change(this.copied(state, "scratch"), part, [patch, removedBy(patch)], GRAPH_CHANGE.SCRATCH);
  }

  /**
   * Puts members into `artifacts`; the latest value stays, whatever reducers there are. A member that is undefined is
   * deleted. O(what it touches).
   *
   * @throws PatchwireError `VALIDATION_FAILED` where the update isn't an object, `NOT_JSON`, `LIMIT_EXCEEDED`.
   * @example
   * ```ts
   * import { StateManager } from "patchwire/agentos";
   * const manager = new StateManager({});
   * const state = manager.updateArtifacts(manager.initialize(null), { title: "Greeting" });
   * console.log(state.artifacts); // { title: 'Greeting' }
   * ```
   */
  updateArtifacts<S extends GraphState>(state: S, patch: Record<string, unknown>): S {
    requireState(state);
    const update = patch ?? {};
    const part: Part = { artifacts: pickedBy(state.artifacts, update) };
    requireJson(part);
    requireJson({ artifacts: update });
    return this.change(this.copied(state, "artifacts"), part, [update, removedBy(update)], GRAPH_CHANGE.ARTIFACTS);
  }

  /**
   * A node begins: it is the current one and the last one visited, and the iterations are one more.
   *
   * @throws PatchwireError `VALIDATION_FAILED` where the id isn't a string, `PATH_NOT_FOUND` where the state has no visits.
   * @example
   * ```ts
   * import { StateManager } from "patchwire/agentos";
   * const manager = new StateManager({});
   * const { currentNodeId, visitedNodes, iteration } = manager.recordNodeVisit(manager.initialize(null), "plan");
   * console.log(currentNodeId, visitedNodes, iteration); // plan [ 'plan' ] 1
   * ```
   */
  recordNodeVisit<S extends GraphState>(state: S, nodeId: string): S {
    if (typeof nodeId !== "string") throw new PatchwireError("VALIDATION_FAILED", "a node's id is a string", { path: "/currentNodeId" });
    requireState(state);
    const part: Part = { currentNodeId: state.currentNodeId, visitedNodes: state.visitedNodes, iteration: state.iteration };
    requireJson(part);
    return this.change({ ...state }, part, [nodeId], GRAPH_CHANGE.VISIT);
  }

  /**
   * Merges the `scratch` and the `artifacts` of branches that all started as `baseState`, in their order and three-way: what
   * a branch didn't change never counts, and what it deleted is deleted. What several branches did to one place is joined
   * by its reducer; without one, or where types don't fit it, the last one's stays, and {@link changeOf} tells the
   * conflict. Everything else is the base's. O(members + size of those that some branch changed); a member, or an object in
   * a list, that branches have by the same reference as the base is known to be unchanged. What only one branch wrote, and
   * what was appended to lists, is shared with the branches.
   *
   * @throws PatchwireError `VALIDATION_FAILED` where `scratch` or `artifacts` isn't an object; `NOT_JSON`,
   *   `LIMIT_EXCEEDED`; and what a function throws.
   * @example
   * ```ts
   * import { changeOf, StateManager } from "patchwire/agentos";
   * const manager = new StateManager({ "scratch.spent": "sum" });
   * const base = manager.updateScratch(manager.initialize(null), { spent: 10, plan: "a" });
   * const branches = [{ spent: 2, plan: "b" }, { spent: 5, plan: "c" }].map((update) => manager.updateScratch(base, update));
   * const merged = manager.mergeParallelBranches(base, branches);
   * console.log(merged.scratch); // { spent: 17, plan: 'c' }
   * console.log(changeOf(merged)?.conflicts); // [ { path: '/scratch/plan', strategy: 'last', kept: 'c', lost: 'b', keptBy: 1, lostBy: 0 } ]
   * ```
   */
  mergeParallelBranches<S extends GraphState>(baseState: S, branchStates: readonly S[]): S {
    if (!Array.isArray(branchStates)) throw refusal("branches are a list of states");
    requireState(baseState);
    branchStates.forEach(requireState);
    const next = { ...baseState };
    const written: Written[] = [];
    let isSure = true;
    // By numbers: iterators take long until V8 has optimised them away.
    for (let i = 0; i < PARTITIONS.length; i++) {
      const name = PARTITIONS[i]!;
      const base: unknown = baseState[name];
      const others = othersThan(base, name, branchStates);
      // What is no object is the core's to refuse.
      if (!isObject(base) || !others.every(isObject)) isSure = false;
      else if (others.length > 0) {
        // V8 looks through a copy sooner than through what grew member by member.
        const copy: Members = (next[name] = { ...base });
        const changed = changedIn(copy, others);
        if (this.hasMeans) changed.push(...sampledIn(copy, name, branchStates, changed));
        for (let j = 0; j < changed.length; j++) {
          const { key, before, values } = changed[j]!;
          const after = this.sure(name, key, before, values);
          if (after === undefined) isSure = false;
          // In its place among the new ones, also while the core hasn't said what it is.
          if (after !== undefined || before === undefined) put(copy, key, after);
          written.push({ name, key, before, after });
        }
      }
    }
    const conflicts = isSure ? [] : this.ask(baseState, branchStates, next, written);
    Made.set(next, { written, conflicts });
    return next;
  }

  /** Has the core merge what isn't sure, which isn't written yet; tells the conflicts. */
  private ask<S extends GraphState>(baseState: S, branchStates: readonly S[], next: S, written: Written[]): MergeConflict[] {
    const [scratch, artifacts] = PARTITIONS.map((name) => written.filter((one) => one.name === name && one.after === undefined).map(({ key }) => key));
    const part = (state: S): Part => ({ scratch: picked(state.scratch, scratch!), artifacts: picked(state.artifacts, artifacts!), ...this.totals(state) });
    const base = part(next);
    requireJson(base);
    if (this.hasMeans) copyParts(next, ["diagnostics"]);
    const { conflicts } = this.run(next, base, branchStates.map((branch) => difference(base, part(branch))), GRAPH_CHANGE.MERGE);
    for (const one of written) one.after = ownOf(next[one.name], one.key);
    if (this.hasMeans) written.push({ name: "diagnostics", key: "samples", before: baseState.diagnostics?.samples, after: next.diagnostics?.samples });
    return conflicts;
  }

  /**
   * What a member is after a merge where the core needn't be asked about the values as wholes: the value of the only branch
   * that changed it, a list with all that branches appended, or what a reducer makes of numbers. Undefined where the core
   * decides, as it does about deletions and wherever there are means.
   */
  private sure(name: Partition, key: string, before: unknown, values: readonly unknown[]): unknown {
    if (this.hasMeans) return undefined;
    if (values.length === 1) return (before === undefined || isWithinLimits(before)) && isWithinLimits(values[0]) ? values[0] : undefined;
    const rule = this.ruleAt(name, key);
    if (!Array.isArray(before)) return rule === undefined ? undefined : this.ofNumbers(rule, before, values);
    if (rule !== undefined && this.rules[rule]![1] !== "concat") return undefined;
    return appendedTo(before, values);
  }

  /** Which rule a member has. */
  private ruleAt(name: Partition, key: string): number | undefined {
    const own = this.places[name].get(key);
    const any = this.places[name].get("*");
    return own === undefined || any! < own ? any : own;
  }

  /** What a reducer makes of numbers; undefined where they aren't, and where it makes no number of them. */
  private ofNumbers(rule: number, before: unknown, values: readonly unknown[]): number | undefined {
    if (!isNumber(before ?? 0) || !values.every(isNumber)) return undefined;
    const made = call(reduceNumbers, this.living(), { rule, base: (before ?? NaN) as number, values: values as unknown as Float64Array });
    return isNumber(made) ? made : undefined;
  }

  /** A copy of a state, and of what an update of a partition may change in it. */
  private copied<S extends GraphState>(state: S, name: Partition): S {
    const next = { ...state };
    copyParts(next, this.hasMeans ? [name, "diagnostics"] : [name]);
    return next;
  }

  /** What means are made of, for those who may need it. */
  private totals(state: GraphState): Part {
    const diagnostics: unknown = state.diagnostics;
    if (!this.hasMeans || !isContainer(diagnostics)) return {};
    return { diagnostics: picked(diagnostics, ["samples"]) };
  }

  /** Has something done to a part of `next`, a copy of the state, whose patch is told from texts. */
  private change<S extends GraphState>(next: S, part: Part, values: unknown[], what: Done): S {
    Made.set(next, this.run(next, part, values, what));
    return next;
  }

  /** Has something done to a part of a state; what comes back is put in the part's place in `next`, a copy of the state. */
  private run(next: GraphState, part: Part, values: unknown[], what: Done): Untold {
    const handle = this.living();
    const before = JSON.stringify(part);
    const [arena, split, length] = passTexts(before, JSON.stringify(values));
    try {
      call(() => handle.read(arena, split, length));
      const answer = call(() => handle.run(what));
      const { state: after, conflicts } = JSON.parse(answer) as { state: Part; conflicts: MergeConflict[] };
      for (const [name, value] of Object.entries(after) as [keyof Part, unknown][]) {
        if (isObject(value)) join(next[name] as Members, part[name] as Members, value);
        else next[name] = value as never;
      }
      return { before, answer, conflicts };
    } catch (error) {
      throw "thrown" in this.failure ? this.failure.thrown : error;
    } finally {
      delete this.failure.thrown;
    }
  }
}

/** Puts copies in the place of parts of a state. */
function copyParts(state: GraphState, names: readonly (keyof GraphState)[]): void {
  for (const name of names) {
    const part: unknown = state[name];
    if (isObject(part)) state[name] = { ...part } as never;
  }
}

/** Members that branches have as the base has them, with means of several samples: one may have counted a sample that equals its mean. */
function sampledIn(base: Members, name: Partition, branches: readonly GraphState[], changed: readonly Changed[]): Changed[] {
  const found = new Map<string, Changed>();
  for (const branch of branches) {
    for (const pointer of Object.keys(branch.diagnostics?.samples ?? {})) {
      const [part, key] = segmentsOf(pointer);
      if (part === name && Object.hasOwn(base, key!)) found.set(key!, { key: key!, before: base[key!], values: [] });
    }
  }
  for (const { key } of changed) found.delete(key);
  return [...found.values()];
}

/** Numbers, as the core takes them. */
interface Numbers {
  rule: number;
  base: number;
  values: Float64Array;
}

function reduceNumbers(handle: ReducersHandle, { rule, base, values }: Numbers): number {
  return handle.numbers(rule, base, values);
}

function requireState(state: unknown): void {
  if (!isObject(state)) throw refusal("a graph's state is an object, as initialize makes it");
}

/** Refuses what isn't JSON. What is plain to see isn't copied for that. */
function requireJson(value: unknown): void {
  if (!isPlainJson(value)) checkJson(value);
}

/** `scratch.a.b` is `b` in `scratch.a`, or the member of `scratch` that is called `a.b`. */
function pointers(field: string): string[] {
  if (field.startsWith("/")) return [field];
  const [partition, ...names] = field.split(".");
  const member = pointerOf([partition!, names.join(".")]);
  return names.length > 1 ? [member, pointerOf([partition!, ...names])] : names.length === 1 ? [member] : [pointerOf([partition!])];
}

/** Some members of an object; anything else as it is, for the core to refuse. */
function picked(from: unknown, keys: Iterable<string>): unknown {
  if (!isObject(from)) return from;
  const some: Members = {};
  for (const key of keys) if (Object.hasOwn(from, key)) put(some, key, from[key]);
  return some;
}

function pickedBy(from: unknown, patch: unknown): unknown {
  return picked(from, isObject(patch) ? Object.keys(patch) : []);
}

function removedBy(patch: unknown): string[] {
  return isObject(patch) ? Object.keys(patch).filter((key) => patch[key] === undefined) : [];
}

/** What a merge wrote, as the core tells a patch from: the state before, and its answer. */
function textsOf(written: readonly Written[]): [before: string, answer: string] {
  const [before, state] = [0, 1].map(() => ({ scratch: {}, artifacts: {}, diagnostics: {} }));
  for (const one of written) {
    put(before![one.name], one.key, one.before);
    put(state![one.name], one.key, one.after);
  }
  return [JSON.stringify(before), JSON.stringify({ state })];
}

/** Puts the part that went to the core, as it came back, among all members of an object. */
function join(all: Members, sent: Members, back: Members): void {
  for (const key of Object.keys(sent)) if (!Object.hasOwn(back, key)) delete all[key];
  for (const key of Object.keys(back)) put(all, key, back[key]);
}
