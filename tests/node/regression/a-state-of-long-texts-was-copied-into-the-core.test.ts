import { expect, test } from "vitest";
import { ready, StateTracker } from "patchwire";
import { initSync } from "../../../pkg/dist/wasm/patchwire.js";

// Where a limit might have been near, a plain state was sent into the core as text. The bound of its longest string was the
// length of all its texts, so that from 5 MB on every state was near that limit: the first patch of a chat of 10,000 messages
// took 12 ms, and ten times its size in the core.

const memory = (): number => (initSync as () => { memory: WebAssembly.Memory })().memory.buffer.byteLength;

test("a patch of one row costs no copy of the others", async () => {
  await ready();
  const messages = Array.from({ length: 10_000 }, (_, id) => ({ id, isRead: false, text: `${id}`.repeat(200) }));
  const tracker = new StateTracker({ messages }, { own: true });
  const before = memory();
  tracker.update((draft) => {
    draft.messages = tracker.getState().messages.map((row) => (row.id === 5_000 ? { ...row, isRead: true } : row));
  });
  expect(tracker.getRFC6902Patches()).toEqual([{ op: "replace", path: "/messages/5000/isRead", value: true }]);
  expect(memory() - before).toBeLessThan(2 << 20);
});

test("a list that is assigned with one item changed is told as that item", () => {
  const tracker = new StateTracker({ rows: Array.from({ length: 100 }, (_, id) => ({ id, on: false })) }, { arrayDeltaMode: "precise" });
  tracker.update((draft) => {
    draft.rows = draft.rows.map((row) => (row.id === 50 ? { ...row, on: true } : row));
  });
  expect(tracker.getPatchText()).toBe('[{"op":"replace","path":"/rows/50/on","value":true}]');
});

test("a document of a plain state is held to a limit that came later", () => {
  const first = new StateTracker({ list: new Array<unknown>(500).fill("text") });
  const second = new StateTracker<{ list: unknown[] }>(first.document(), { limits: { document: 1_000 } });
  expect(() => second.update((draft) => draft.list.push(1))).toThrow("LIMIT_EXCEEDED");
  second.update((draft) => { draft.list.length = 10; });
  second.update((draft) => { draft.list.push(1); });
  expect(second.getState().list).toHaveLength(11);
});
