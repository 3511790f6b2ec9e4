import { TRACKER_OPTION } from "../bridge/boundary.js";
import { call, core } from "../bridge/core.js";
import { Values } from "../bridge/host.js";
import type { Limits } from "../types.js";
import { StateDocument } from "../bridge/document.js";
import type { TrackerCore } from "../wasm/patchwire.js";

/** What the core has to know of a tracker's options. */
export interface TrackedOptions {
  granularity: "path" | "key";
  arrayDelta: boolean | "precise";
  counters: string[];
  texts: string[];
  limits: Limits | undefined;
  history: number | undefined;
}

/** A tracker's core, or what it will begin with once somebody asks it something. */
export type CoreSide =
  | { kind: "document"; document: StateDocument }
  /** A frozen state, which the core reads where it looks into it. */
  | { kind: "frozen"; value: unknown }
  /**
   * `signature` is made with the first checkpoint and is part of its id: those of other trackers, and of cores that were lost, have another
   * one. `values` is what the core reads a frozen state through.
   */
  | { kind: "running"; tracker: TrackerCore; signature: string | null; values: Values | null };

/** Starts a tracker's core, of a state that nests so deep at most. */
export function start(
  side: Exclude<CoreSide, { kind: "running" }>,
  options: TrackedOptions,
  bounds: Float64Array,
  depth: number,
): CoreSide & { kind: "running" } {
  const values = side.kind === "frozen" ? Values.ours(side.value, depth) : null;
  const document = values === null ? (side as { document: StateDocument }).document : new StateDocument(call(() => core().DocumentHandle.over(values, bounds)));
  const { granularity, arrayDelta, counters, texts, history } = options;
  const given: unknown[] = [];
  given[TRACKER_OPTION.GRANULARITY] = granularity;
  given[TRACKER_OPTION.ARRAY_DELTA] = arrayDelta;
  given[TRACKER_OPTION.COUNTERS] = counters;
  given[TRACKER_OPTION.TEXTS] = texts;
  given[TRACKER_OPTION.HISTORY] = history;
  const tracker = call(() => new (core().TrackerCore)(document.handle, given, bounds));
  if (values !== null) document.free();
  return sideOf(tracker, values);
}

/** A core that runs already. */
export function sideOf(tracker: TrackerCore, values: Values | null = null): CoreSide & { kind: "running" } {
  return { kind: "running", tracker, signature: null, values };
}
