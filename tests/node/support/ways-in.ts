import fc from "fast-check";
import { StateDocument, StateTracker, type StateTrackerOptions } from "patchwire";
import type { Json } from "./program.ts";

/** How a state comes into a tracker: as a plain value, or as a document in which containers over `small` bytes stay unread. */
export type WayIn = { kind: "value" } | { kind: "document"; small: number };

export const wayIn: fc.Arbitrary<WayIn> = fc.constantFrom<WayIn>(
  { kind: "value" },
  { kind: "document", small: 0 }, { kind: "document", small: 0 }, { kind: "document", small: 12 }, { kind: "document", small: 4096 },
);

type Reading = { open(path: Uint32Array, small: number): string; read(path: Uint32Array, children: Uint32Array, small: number): string };
const handles = Object.getPrototypeOf(StateDocument.parse("0").handle) as Reading;
const { open, read } = handles;

/**
 * Runs a law on a tracker of the state. Random states are small, so the core is told to take less for small than the shim
 * says; `publishing` too reads piece by piece then.
 */
export function onTracker(way: WayIn, start: Json, options: StateTrackerOptions, law: (tracker: StateTracker<Json>) => void): void {
  if (way.kind === "value") return law(new StateTracker<Json>(start, options));
  const document = StateDocument.parse(JSON.stringify(start));
  const tracker = new StateTracker<Json>(document, options);
  document.free();
  handles.open = function (path, small) {
    return open.call(this, path, Math.min(small, way.small));
  };
  handles.read = function (path, children, small) {
    return read.call(this, path, children, Math.min(small, way.small));
  };
  try {
    law(tracker);
  } finally {
    Object.assign(handles, { open, read });
  }
}
