import { expect, test } from "vitest";
import { ready, StateTracker } from "patchwire";
import { initSync } from "../../../pkg/dist/wasm/patchwire.js";

// The core was told once 4,096 records waited, whatever was in them: of a tracker whose changes nobody reads that were hundreds of
// megabytes, and one update waited for all of them.
const memory = (): number => (initSync as () => { memory: WebAssembly.Memory })().memory.buffer.byteLength;

test.each<[string, object, (draft: any, i: number) => void]>([
  ["a long text that grows", { text: "x".repeat(200_000) }, (draft, i) => void (draft.text += ` ${i}`)],
  ["a long list that is put in another order", { list: Array.from({ length: 5_000 }, (_, id) => ({ id })) }, (draft) => draft.list.reverse()],
  ["a list that is made anew", { list: [] }, (draft, i) => void (draft.list = Array.from({ length: 500 }, (_, id) => ({ id: id + i, text: "a row" })))],
])("%s takes little memory while nobody reads it", async (_, initial, recipe) => {
  await ready();
  const tracker = new StateTracker<any>(initial, { own: true });
  const before = memory();
  for (let i = 0; i < 2_100; i++) tracker.update((draft) => recipe(draft, i));
  expect(memory() - before).toBeLessThan(96 << 20);
  const after = tracker.getState();
  expect(tracker.undo()).toBe(true);
  expect(tracker.getState()).not.toEqual(after);
  expect(tracker.redo()).toBe(true);
  expect(tracker.getState()).toEqual(after);
});

// There the core begins anew with what everybody has read, instead of carrying it out.
test("a long text that grows, and is read with each change, is what it was where it is undone", () => {
  const tracker = new StateTracker({ text: "x".repeat(200_000), n: 0 }, { own: true });
  const follower = new StateTracker({ text: "x".repeat(200_000), n: 0 });
  const lengths = [200_000];
  for (let i = 1; i <= 400; i++) {
    tracker.update((draft) => {
      draft.text += ` token ${i}`;
      draft.n++;
    });
    follower.apply(tracker.getRFC6902Patches());
    lengths.push(tracker.getState().text.length);
    tracker.resetTracking();
  }
  expect(follower.getState()).toEqual(tracker.getState());
  for (let i = 399; i >= 340; i--) {
    expect(tracker.undo()).toBe(true);
    const { n, text } = tracker.getState();
    expect([n, text.length, text.endsWith(` token ${i}`)]).toEqual([i, lengths[i], true]);
  }
  follower.apply(tracker.getRFC6902Patches());
  expect(follower.getState()).toEqual(tracker.getState());
});
