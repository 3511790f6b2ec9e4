import { expect, test } from "vitest";
import { current, StateTracker } from "patchwire";

// What a recipe puts in is no draft until the recipe has ended, and `current` gave it back as it was: whether a snapshot was one depended
// on what the same recipe had done before.

test("of what the recipe put in, current is a copy that later changes don't reach", () => {
  const tracker = new StateTracker<{ past: unknown[]; present: { n: number } }>({ past: [], present: { n: 0 } });
  tracker.update((draft) => {
    draft.present = { n: 1 };
    draft.past.push(current(draft.present));
    draft.present.n = 2;
  });
  expect(tracker.getState()).toEqual({ past: [{ n: 1 }], present: { n: 2 } });
});

test("drafts in it are plain in the copy, which outlives the recipe", () => {
  const tracker = new StateTracker<any>({ list: [{ n: 1 }, { n: 2 }], box: null });
  let saved: any;
  tracker.update((draft) => {
    draft.list[0].n = 5;
    draft.box = { kids: draft.list, first: draft.list[0], own: [draft.list[1]] };
    saved = current(draft.box);
    expect(structuredClone(saved)).toEqual(saved);
    draft.list[0].n = 6;
  });
  expect(saved).toEqual({ kids: [{ n: 5 }, { n: 2 }], first: { n: 5 }, own: [{ n: 2 }] });
  expect(saved.first).toBe(saved.kids[0]);
  expect(tracker.getState().box.first).toEqual({ n: 6 });
});

test("what is frozen, and what is no plain object, comes back as it is; a value that holds itself ends", () => {
  const tracker = new StateTracker<any>({ a: { b: 1 } });
  const state = tracker.getState();
  const date = new Date();
  expect(current(state)).toBe(state);
  expect(current(date)).toBe(date);
  expect(current(7)).toBe(7);
  const self: any = { list: [] };
  self.list.push(self);
  const copy = current(self);
  expect(copy).not.toBe(self);
  expect(copy.list[0]).toBe(copy);
});
