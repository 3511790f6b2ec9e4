import { isLoss } from "../bridge/engine.js";
import { checkOptions, checkPointers, refusal } from "../bridge/checks.js";
import { PatchwireError } from "../errors.js";
import { isObject, type Container } from "../json/containers.js";
import type { Draft, Immutable, JSONPatchOperation, Limits, RecipeResult, StepWrites, StepWritesInput } from "../types.js";
import { mergeWrites, type MergeConflict, type MergeStrategies } from "../values/merge.js";
import { diff } from "../values/patches.js";
import { carryOut, checkEra, ERA, LIMITS, UNLIMITED, whole, type ParallelOwner } from "./owner.js";
import { StateTracker } from "./tracker.js";

/** What a tool that runs beside others works with: the state that all of them began from, and its own changes to it. */
export interface ParallelContext<T> {
  /** What all tools began from, with what this one has changed. */
  getState(): Immutable<T>;
  update<R>(recipe: (draft: Draft<T>) => RecipeResult<R>): void;
  /** Adds to the end of a string: what several tools add is all there in the end. */
  append(pointer: string, text: string): void;
  /** Adds to a number: what several tools add is all counted in the end. */
  increment(pointer: string, by?: number): void;
}

/** A tool that may run beside others. */
export type ParallelTool<T, R = unknown> = (context: ParallelContext<T>) => R | Promise<R>;

/** How what tools did becomes one. */
export interface ParallelOptions {
  /** As in {@link mergeWrites}; of a place that is `exclusive` the later tool fails. */
  strategies?: MergeStrategies | undefined;
  /** Pointers to numbers and strings whose changes add up, as a {@link StateTracker} is given them. */
  counters?: string[] | undefined;
  texts?: string[] | undefined;
}

/** What became of tools that ran at once. */
export interface ParallelResult<R extends readonly unknown[]> {
  /** As those of `Promise.allSettled`, in the order of the tools. */
  results: { -readonly [I in keyof R]: PromiseSettledResult<R[I]> };
  /** Writes that aren't in the state. `keptBy` and `lostBy` count the tools; -1 is what was changed while they ran. */
  conflicts: MergeConflict[];
  warnings: string[];
}

type Writes = StepWrites | StepWritesInput;

/** Others may have changed other items of the same list. */
const BY_ITEM = { byItem: true };

/**
 * Runs tools at once. All begin from the state as it is; when the last one has ended, what they did is merged in their
 * order, into what the state is by then, as one change. What a tool did that failed is left out. O(what they did).
 *
 * @throws what the owner's `apply` throws, and PatchwireError as {@link mergeWrites}, `VALIDATION_FAILED` where a tool isn't a
 *   function or an option isn't one, `CLOSED` where a `SyncedState` was deleted while they ran, or a commit of it taken back: then
 *   nothing has changed.
 * @example
 * ```ts
 * import { parallel, StateTracker } from "patchwire";
 * const tracker = new StateTracker({ notes: ["plan"], spent: 10, status: "idle" });
 * const { results, conflicts } = await parallel(tracker, [
 *   async (tool) => { tool.update((draft) => { draft.notes.push("searched"); draft.status = "searching"; }); return "found it"; },
 *   async (tool) => { tool.increment("/spent", 5); tool.update((draft) => { draft.status = "writing"; }); },
 *   async (tool) => { tool.increment("/spent", 7); throw new Error("no connection"); },
 * ]);
 * console.log(tracker.getState()); // { notes: [ 'plan', 'searched' ], spent: 15, status: 'writing' }
 * console.log(results.map(({ status }) => status)); // [ 'fulfilled', 'fulfilled', 'rejected' ]
 * console.log(conflicts); // [ { path: '/status', strategy: 'last', kept: 'writing', lost: 'searching', keptBy: 1, lostBy: 0 } ]
 * ```
 */
export async function parallel<T, const R extends readonly unknown[]>(
  owner: ParallelOwner<T>,
  tools: { readonly [I in keyof R]: ParallelTool<T, R[I]> },
  options: ParallelOptions = {},
): Promise<ParallelResult<R>> {
  checkTools(tools);
  checkOptions(options, OPTIONS);
  checkParallel(options);
  if (typeof owner?.getState !== "function") throw refusal("what tools share is a StateTracker or a SyncedState");
  const base = owner.getState();
  const [era, limits] = [owner[ERA], owner[LIMITS]];
  const ran = await Promise.allSettled((tools as readonly ParallelTool<T>[]).map((tool) => runTool(base, tool, options, limits)));
  checkEra(owner, era);
  const writes = ran.map((tool) => (tool.status === "fulfilled" ? tool.value.writes : undefined));
  const merged = mergeTools(base, owner.getState(), writes, options.strategies, limits);
  carryOut(owner, merged);
  const { refused, conflicts, warnings } = merged;
  const results = ran.map((tool, i): PromiseSettledResult<unknown> => {
    const reason = refused.get(i);
    if (reason !== undefined) return { status: "rejected", reason };
    return tool.status === "fulfilled" ? { status: "fulfilled", value: tool.value.result } : tool;
  });
  return { results: results as ParallelResult<R>["results"], conflicts, warnings };
}

const OPTIONS = ["strategies", "counters", "texts"] as const satisfies readonly (keyof ParallelOptions)[];

/** Refuses what can't be run, such as the promise of a tool that was called already, before a tool has run. */
function checkTools(given: unknown): void {
  if (Array.isArray(given) && [...given].every((tool) => typeof tool === "function")) return;
  throw refusal("the tools are a list, and each tool is a function that is yet to be called");
}

/** Refuses options that can't be followed before a tool has run. */
export function checkParallel({ strategies, counters = [], texts = [] }: ParallelOptions): void {
  checkPointers("the option counters", counters);
  checkPointers("the option texts", texts);
  if (strategies === undefined) return;
  if (!isObject(strategies)) throw refusal("the option strategies is an object: a strategy for each pointer");
  mergeWrites({}, [], { strategies });
}

/** Runs one tool on the state that it begins from. */
export async function runTool<T>(base: Immutable<T>, tool: ParallelTool<T>, { counters = [], texts = [] }: ParallelOptions, limits: Limits | undefined): Promise<{ result: unknown; writes: StepWrites }> {
  const tracker = trackerOf<T>(base, { counters, texts }, limits);
  let hasEnded = false;
  const open = (): StateTracker<T> => {
    // What it did is taken as it is when it ends: nothing is to be lost in silence.
    if (hasEnded) throw new PatchwireError("CLOSED", "the tool has ended: it can't change the state any more");
    return tracker;
  };
  try {
    const result = await tool({
      getState: () => tracker.getState(),
      update: (recipe) => open().update(recipe),
      append: (pointer, text) => open().append(pointer, text),
      increment: (pointer, by) => open().increment(pointer, by),
    });
    return { result, writes: writesOf(tracker, base) };
  } finally {
    hasEnded = true;
  }
}

function writesOf<T>(tracker: StateTracker<T>, base: Immutable<T>): StepWrites {
  try {
    return tracker.getStepWrites(BY_ITEM);
  } catch (error) {
    if (!isLoss(error)) throw error;
    // The core has forgotten what the tool did; what came of it is there.
    return writesBetween(base, tracker.getState());
  }
}

/**
 * What a tool works with. It may write no value that the state has no room for, but as much as it likes: more operations than are
 * accepted of others would be told as one, of a container in which others may have changed something.
 */
function trackerOf<T>(base: Immutable<T>, options: Pick<ParallelOptions, "counters" | "texts">, limits: Limits | undefined): StateTracker<T> {
  const over = (limits: Limits): StateTracker<T> => new StateTracker<T>(base as T, { ...options, history: 0, limits });
  try {
    return over({ ...limits, document: Infinity, operations: Infinity });
  } catch (error) {
    if (!(error instanceof PatchwireError) || error.code !== "LIMIT_EXCEEDED") throw error;
    // The state is over limits that are lower than they were: what makes it smaller is welcome.
    return over(UNLIMITED);
  }
}

/** What leads from one state to another, item by item. What they share isn't looked at. */
function writesBetween(before: unknown, after: unknown): StepWrites {
  const tracker = new StateTracker<unknown>(before, { history: 0, limits: UNLIMITED });
  if (isObject(before) && isObject(after)) tracker.update((draft) => assign(draft as Container, before, after));
  else tracker.apply(whole(after));
  return tracker.getStepWrites(BY_ITEM);
}

/** Makes a draft another state where that differs: what is in both is changed in its place, so that each change is told by itself. */
function assign(draft: Container, before: Container, after: Container): void {
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) delete draft[name];
  for (const name of Object.keys(after)) {
    const [was, is]: unknown[] = [Object.hasOwn(before, name) ? before[name] : undefined, after[name]];
    if (was === is) continue;
    if ((isObject(was) && isObject(is)) || haveSamePlaces(was, is)) assign(draft[name] as Container, was as Container, is as Container);
    else draft[name] = is;
  }
}

/** Whether these are lists of as many items, of which none went to another one's place. */
function haveSamePlaces(before: unknown, after: unknown): boolean {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return false;
  const there = new Set<unknown>(before);
  return after.every((item, i) => item === before[i] || !there.has(item));
}

/** What several did to one base, as a patch of what has become of the base meanwhile. */
export interface MergedTools {
  patch: JSONPatchOperation[];
  /** What the patch leads to. */
  state: unknown;
  conflicts: MergeConflict[];
  warnings: string[];
  /** Tools that wrote where another one had the only right to. */
  refused: Map<number, PatchwireError>;
}

/** Merges what tools did; those that did nothing, or failed, are undefined. */
export function mergeTools(base: unknown, present: unknown, writes: readonly (Writes | undefined)[], strategies: MergeStrategies | undefined, limits: Limits | undefined): MergedTools {
  const hasMoved = present !== base;
  const first = hasMoved ? [writesBetween(base, present)] : [];
  const refused: MergedTools["refused"] = new Map();
  for (;;) {
    const tools = writes.flatMap((one, i) => (one === undefined || refused.has(i) ? [] : [i]));
    const all = [...first, ...tools.map((i) => writes[i]!)];
    const { state, patch, conflicts, warnings } = mergeWrites(base, all, { dialect: "extended", limits: UNLIMITED, ...(strategies && { strategies }) });
    const numberOf = (writer: number): number => tools[writer - first.length] ?? -1;
    const told = conflicts.map((conflict) => ({ ...conflict, keptBy: numberOf(conflict.keptBy), lostBy: numberOf(conflict.lostBy) }));
    // One at a time: what the first of them did may be what the others lost against.
    const [loss] = told.filter(({ strategy, lostBy }) => strategy === "exclusive" && lostBy >= 0).sort((a, b) => a.lostBy - b.lostBy);
    if (loss === undefined) return { patch: hasMoved ? diff(present, state, { dialect: "extended", ...(limits && { limits: UNLIMITED }) }) : patch, state, conflicts: told, warnings, refused };
    refused.set(loss.lostBy, new PatchwireError("CONFLICT", "another one wrote first to a place that is exclusive", { path: loss.path }));
  }
}
