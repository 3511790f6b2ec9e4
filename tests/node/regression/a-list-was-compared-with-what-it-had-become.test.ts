import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// A long list that nobody has seen is changed where it is. A copy of it that the same recipe put in its place was told as a run of
// what was there, with items that only the recipe had pushed, and the core refused the log.
test.each([
  ["the list itself", (draft: { inside: { list: number[] } }) => void (draft.inside.list = [...draft.inside.list, 3])],
  ["what it is in", (draft: { inside: { list: number[] } }) => void (draft.inside = { list: [...draft.inside.list, 3] })],
])("a recipe pushes to a list and then replaces %s", (_, replace) => {
  const tracker = new StateTracker({ inside: { list: Array.from({ length: 300 }, (_, i) => i) } });
  tracker.update((draft) => void draft.inside.list.push(1));
  tracker.update((draft) => {
    draft.inside.list.push(2);
    replace(draft);
  });
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
  expect(tracker.getState().inside.list.slice(299)).toEqual([299, 1, 2, 3]);
});
