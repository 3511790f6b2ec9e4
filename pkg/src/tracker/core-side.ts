import { call, core } from "../bridge/core.js";
import { Values } from "../bridge/host.js";
import type { Limits } from "../types.js";
import { StateDocument } from "../values/document.js";
import type { TrackerCore } from "../wasm/patchwire.js";

/** What the core has to know of a tracker's options. */
export interface MeaningOptions {
  byKey: boolean;
  append: boolean;
  precise: boolean;
  counters: string[];
  texts: string[];
  limits: Limits;
  history: number | undefined;
}

/** A tracker's core, or what it will begin with once somebody asks it something. */
export type CoreSide =
  | { kind: "document"; document: StateDocument }
  /** A frozen state, which the core reads where it looks into it. */
  | { kind: "frozen"; value: unknown }
  /** The session tells its checkpoints from those of other trackers, and of cores that were lost. */
  | { kind: "running"; tracker: TrackerCore; session: string };

/** Starts a tracker's core, of a state that nests so deep at most. */
export function start(
  side: Exclude<CoreSide, { kind: "running" }>,
  options: MeaningOptions,
  bounds: Float64Array,
  depth: number,
): CoreSide & { kind: "running" } {
  const document = begin(side, bounds, depth);
  const { byKey, append, precise, counters, texts, history } = options;
  const given = [byKey, append, precise, counters, texts, history];
  const tracker = call(() => new (core().TrackerCore)(document.handle, given, bounds));
  if (side.kind !== "document") document.free();
  return running(tracker);
}

/** A core that runs already. */
export function running(tracker: TrackerCore): CoreSide & { kind: "running" } {
  return { kind: "running", tracker, session: Math.random().toString(36).slice(2) };
}

function begin(side: Exclude<CoreSide, { kind: "running" }>, bounds: Float64Array, depth: number): StateDocument {
  switch (side.kind) {
    case "document":
      return side.document;
    case "frozen":
      return new StateDocument(call(() => core().DocumentHandle.over(Values.ours(side.value, depth), bounds)));
  }
}
