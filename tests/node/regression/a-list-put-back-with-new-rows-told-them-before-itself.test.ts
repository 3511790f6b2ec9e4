import { applyPatch as applyWithPeer } from "fast-json-patch";
import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// A long list that comes back with a few rows replaced is told as a reference to where it was, and those rows after it. Told
// in the other order, the reference would put the old rows back.

test.each([[false, 65], [true, 100], ["precise", 1000]] as const)("arrayDeltaMode %s, %i rows", (arrayDeltaMode, size) => {
  const tracker = new StateTracker<any>({ rows: Array.from({ length: size }, (_, id) => ({ id, text: `row ${id}` })), other: [] }, { arrayDeltaMode });
  const before = tracker.getState();
  for (const every of [64, 30, 3]) {
    tracker.update((draft) => { draft.rows = (tracker.getState().rows as any[]).map((row, i) => (i % every === 1 ? { ...row, n: every } : row)); });
    tracker.update((draft) => { draft.rows.forEach((row: any, i: number) => { if (i % every === 2) draft.rows[i] = { id: -i, every }; }); });
    tracker.update((draft) => { draft.other = draft.rows.map((row: any, i: number) => (i === 5 ? { ...row, last: every } : row)); });
    const state = tracker.getState();
    expect(tracker.document().toJSON()).toEqual(state);
    expect(applyWithPeer(structuredClone(before), structuredClone(tracker.getRFC6902Patches()) as never).newDocument).toEqual(state);
    expect(state.rows[0]).toBe(before.rows[0]);
  }
  while (tracker.undo());
  expect(tracker.getState()).toEqual(before);
});
