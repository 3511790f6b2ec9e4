import { expect, test } from "vitest";
import { ready, StateTracker } from "patchwire";
import { initSync } from "../../../pkg/dist/wasm/patchwire.js";

// The history is bounded by bytes, a quarter of `limits.document`. It counted the values that were taken out, four bytes for a
// boolean, and not the edits that put them back: a hundred recipes that each set 10,000 places took 168 MB of the core's memory.

test("undo steps of many small edits stay within their bound", async () => {
  await ready();
  const { memory } = (initSync as () => { memory: WebAssembly.Memory })();
  const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, done: false, content: `item ${id}`, tags: ["a", "b"] }));
  const tracker = new StateTracker({ rows });
  for (let round = 0; round < 100; round++) {
    tracker.update((draft) => draft.rows.forEach((row) => void (row.done = !row.done)));
    tracker.getState();
  }
  expect(memory.buffer.byteLength).toBeLessThan(100 << 20);
  tracker.undo();
  expect(tracker.getState().rows[0]!.done).toBe(true);
});
