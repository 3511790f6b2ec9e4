import { call, core, passTexts, release } from "#merge";
import { PatchwireError } from "../errors.js";
import { derive, type PlainEdit } from "../state/edits.js";
import { jsonOf } from "../json/json.js";
import { segmentsOf, toldAt } from "../json/pointer.js";
import { checkSize, given } from "./given.js";
import { bounds } from "../bridge/limits.js";
import { checkList, checkOptions, isExtended, isPromise, refusal } from "../bridge/checks.js";
import type { Dialect, Immutable, JSONPatchOperation, Limits, StepWrites, StepWritesInput } from "../types.js";

/**
 * How the values that several writers gave one place become one. What a writer didn't change never counts; where only
 * one changed it, its value is taken.
 *
 * - `last`, `first`: that writer's. `exclusive`: the first, and a later write is a conflict even where it is equal.
 * - `concat`: the base and what each added to its end (arrays, strings). `union`: the base's items without those that a
 *   writer removed, and what each added, equal items once. `merge`: objects, member by member.
 * - `sum`: the base and every difference from it. `min`, `max`, `avg`, `longest`: of the changed values.
 * - A function gets what it made of the base and the writers before, this writer's value, and the `context`; its result
 *   must be JSON. Where the base has nothing, it starts from the first value.
 *
 * Where the types don't fit, or a writer deleted the place, the last one's is taken and the others are conflicts.
 */
export type MergeStrategy =
  | "last" | "first" | "exclusive" | "concat" | "merge" | "sum" | "min" | "max" | "avg" | "longest" | "union"
  | ((existing: any, incoming: any, context: MergeContext) => unknown);

/** What a function that merges may want to know. */
export interface MergeContext {
  /** What all writers started from; undefined where there was nothing. */
  base: unknown;
  /** Where, as a JSON Pointer. */
  path: string;
  /** Which writer, counted from 0. */
  writer: number;
}

/** Strategies by JSON Pointer, in which `*` is any one segment. Of two that mean the same place, the earlier counts. */
export type MergeStrategies = Readonly<Record<string, MergeStrategy>>;

/** A write that isn't in the merged state; also one that set a number to the same one as another writer did: as `count++` twice. */
export interface MergeConflict {
  /** Where, as a JSON Pointer. */
  path: string;
  /** What decided: `last` where nothing was asked for, `function` for a function. */
  strategy: string;
  /** What the merged state has there, which isn't copied; absent where there is nothing. */
  kept?: unknown;
  /** What the writer who lost had there, which shares with the base what it left alone: of a branch, its very value; absent where it deleted it. */
  lost?: unknown;
  /** The writer whose write decided, counted from 0. */
  keptBy: number;
  /** The writer whose write isn't there. */
  lostBy: number;
}

/** What several writers did, in one state. */
export interface Merged<T> {
  /** The merged state. It shares with the base what no writer changed; what is new is frozen. */
  state: Immutable<T>;
  /** Leads from the base to the state. */
  patch: JSONPatchOperation[];
  /** What was lost, and to whom. */
  conflicts: MergeConflict[];
  /** Writes that didn't fit the base: left out, or what they missed was created. */
  warnings: string[];
}

/** How to merge. */
export interface MergeOptions {
  /** How the values of some places become one; of all others the last one stays. */
  strategies?: MergeStrategies | undefined;
  /** Which operations the patch may have. */
  dialect?: Dialect | undefined;
  /** Bounds on what is accepted. */
  limits?: Limits | undefined;
}

/**
 * Merges the step writes of tools that ran at the same time, each from the same base, in the order of the list. Items and
 * text that were appended and numbers that were added to compose; of values that were set the last one stays, and every
 * write that is lost is told. A later write inside a value that an earlier writer set applies to it, if it fits. An index
 * means an item of the base's array: writers may change different items (`getStepWrites({ byItem: true })` tells them so, where a
 * short list would be told as a whole), but one that moved or removed items has set the array. The base isn't copied and isn't frozen. O(what the writes touch · the members, items and strings around it).
 *
 * @throws PatchwireError `INVALID_PATCH` where writes are malformed, `VALIDATION_FAILED` or `INVALID_POINTER` where
 *   strategies are, `NOT_JSON`, `LIMIT_EXCEEDED`; and what a function throws.
 * @example
 * ```ts
 * import { mergeWrites } from "patchwire";
 * const base = { notes: ["a"], title: "", count: 1 };
 * const { state, conflicts } = mergeWrites(base, [
 *   { ops: [{ kind: "append", path: "/notes", items: ["b"] }, { kind: "replace", path: "/title", value: "One" }] },
 *   { ops: [{ kind: "append", path: "/notes", items: ["c"] }, { kind: "replace", path: "/title", value: "Two" }] },
 * ]);
 * console.log(state); // { notes: [ 'a', 'b', 'c' ], title: 'Two', count: 1 }
 * console.log(conflicts); // [ { path: '/title', strategy: 'last', kept: 'Two', lost: 'One', keptBy: 1, lostBy: 0 } ]
 * ```
 */
export function mergeWrites<T>(base: T, writes: readonly (StepWrites | StepWritesInput)[], options?: MergeOptions): Merged<T> {
  return merge([base], jsonOf(writes), false, options);
}

/**
 * Merges whole states that all started as the base, in the order of the list: their differences from it, as
 * {@link mergeWrites} does. An array of which the base's is the beginning was appended to; strings and numbers were set.
 * O(size of the states), of which what is `===` in both isn't looked at.
 *
 * @param reducers strategies by JSON Pointer; see {@link MergeStrategy}.
 * @throws PatchwireError as {@link mergeWrites}.
 * @example
 * ```ts
 * import { mergeBranches } from "patchwire";
 * const base = { tokens: 100, best: "", tags: ["x"] };
 * const branches = [{ ...base, tokens: 130, best: "short" }, { ...base, tokens: 150, best: "a longer answer", tags: ["x", "y"] }];
 * const { state } = mergeBranches(base, branches, { "/tokens": "sum", "/best": (a, b) => (b.length > a.length ? b : a) });
 * console.log(state); // { tokens: 180, best: 'a longer answer', tags: [ 'x', 'y' ] }
 * ```
 */
export function mergeBranches<T>(base: T, branches: readonly T[], reducers?: MergeStrategies, options?: Omit<MergeOptions, "strategies">): Merged<T> {
  checkList("the branches", branches);
  checkOptions(options, ["dialect", "limits"]);
  if (Object.hasOwn(reducers ?? {}, "strategies")) throw refusal('the third argument is the strategies themselves, by pointer: { "/tokens": "sum" }');
  return merge([base, ...(branches as readonly T[])], "", true, { ...options, ...(reducers && { strategies: reducers }) });
}

/** Merges branches of the first state, or where there are none the writes in the text. */
function merge<T>(states: readonly T[], writes: string, areBranches: boolean, options: MergeOptions = {}): Merged<T> {
  const [extended, limits] = [isExtended(options, "strategies", "limits"), bounds(options.limits)];
  const failure: Failure = {};
  const strategies = onAllTexts(options.strategies, failure);
  for (const state of states) checkSize(state, options.limits);
  // Two calls: a function may itself call the core, which then needs the arena.
  const handle = call(() => new (core().MergeHandle)(given(states, options.limits), ...passTexts(writes), areBranches, limits));
  try {
    const { edits, conflicts, ...merged } = JSON.parse(call(() => handle.run(strategies, extended))) as Omit<Merged<T>, "state"> & { edits: PlainEdit[] };
    const state = derive(states[0], edits);
    checkSize(state, options.limits);
    const writers: unknown[] = areBranches ? states.slice(1) : [];
    for (const conflict of conflicts) {
      const { path, lostBy } = conflict;
      // What is in a state already isn't made once more.
      if ("kept" in conflict) conflict.kept = toldAt(state, segmentsOf(path));
      if (!("lost" in conflict)) continue;
      if (!(lostBy in writers)) writers[lostBy] = derive(states[0], JSON.parse(call(() => handle.edits_of(lostBy))) as PlainEdit[]);
      conflict.lost = toldAt(writers[lostBy], segmentsOf(path));
    }
    return { state: state as Immutable<T>, conflicts, ...merged };
  } catch (error) {
    throw "thrown" in failure ? failure.thrown : error;
  } finally {
    release(handle);
  }
}

/** What a function threw. It doesn't go through the core, where it could be taken for the core's own failure. */
export interface Failure {
  thrown?: unknown;
}

/** Strategies as the core takes them. */
export function onAllTexts(strategies: MergeStrategies = {}, failure: Failure): unknown[] {
  return Object.entries(strategies).map(([pointer, strategy]) => [pointer, typeof strategy === "function" ? onTexts(strategy, failure) : strategy]);
}

/** The function as the core calls it. */
export function onTexts(reduce: Exclude<MergeStrategy, string>, failure: Failure) {
  return (existing: string, incoming: string, base: string | undefined, path: string, writer: number): string | undefined => {
    try {
      const result = reduce(JSON.parse(existing), JSON.parse(incoming), { base: base === undefined ? undefined : JSON.parse(base), path, writer });
      if (result === undefined) throw new PatchwireError("NOT_JSON", "a function that merges returned undefined", { path });
      if (isPromise(result)) throw new PatchwireError("NOT_JSON", "a function that merges returned a promise: decide without waiting", { path });
      return jsonOf(result, segmentsOf(path));
    } catch (error) {
      failure.thrown = error;
      return undefined;
    }
  };
}
