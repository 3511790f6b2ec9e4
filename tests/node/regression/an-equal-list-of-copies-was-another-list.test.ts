import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// A list of copies that equal what was there, item by item, became another list of the same items, with a step to undo.

interface State {
  list: { id: number; tags: unknown[] }[];
  grid: number[][];
}

test("it is the list that was there", () => {
  const tracker = new StateTracker<State>({ list: [{ id: 1, tags: ["a"] }, { id: 2, tags: [] }, { id: 3, tags: [1] }], grid: [[1], [2]] });
  const before = tracker.getState();
  tracker.update((draft) => void (draft.list = draft.list.map((row) => ({ ...row }))));
  tracker.update((draft) => void Object.assign(draft, JSON.parse(JSON.stringify(draft))));
  expect(tracker.getState()).toBe(before);
  expect(tracker.getRFC6902Patches()).toEqual([]);
  expect(tracker.undo()).toBe(false);
});

test("and items that equal those that were there are those", () => {
  const tracker = new StateTracker<State>({ list: [{ id: 1, tags: ["a"] }, { id: 2, tags: [] }, { id: 3, tags: [1] }], grid: [] });
  const before = tracker.getState();
  tracker.update((draft) => {
    const copy = JSON.parse(JSON.stringify(draft.list)) as State["list"];
    copy[1]!.id = 7;
    draft.list = copy;
  });
  const after = tracker.getState();
  expect([after.list[0] === before.list[0], after.list[2] === before.list[2]]).toEqual([true, true]);
  expect(tracker.getRFC6902Patches()).toEqual([{ op: "replace", path: "/list/1/id", value: 7 }]);
});
