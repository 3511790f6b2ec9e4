import { expect, test } from "vitest";
import { ready, StateTracker } from "patchwire";
import { initSync } from "../../../pkg/dist/wasm/patchwire.js";

// A recipe that changes thousands of places is a step of the history that holds the document before. It was weighed by the number
// of places alone: where all rows had been put in anew in between, ten steps held ten documents, and the core had 153 MB.

test("steps that hold the document before stay within the history's bound", async () => {
  await ready();
  const { memory } = (initSync as () => { memory: WebAssembly.Memory })();
  const rows = () => Array.from({ length: 10_000 }, (_, id) => ({ id, done: false, content: `item ${id} ${"-".repeat(1_000)}` }));
  const tracker = new StateTracker({ rows: rows() });
  for (let round = 0; round < 12; round++) {
    tracker.update((draft) => void (draft.rows = rows()));
    tracker.document().free();
    tracker.update((draft) => draft.rows.forEach((row) => void (row.done = true)));
    tracker.resetTracking();
    tracker.getState();
  }
  expect(memory.buffer.byteLength).toBeLessThan(100 << 20);
  tracker.undo();
  expect(tracker.getState().rows[0]!.done).toBe(false);
});
