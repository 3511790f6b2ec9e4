import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// A value that was made of parts of others, and was equal to the one whose place it took, made the state another one, and
// nothing was told of it.
test("an equal value made of parts of others changes nothing", () => {
  const tracker = new StateTracker({ selected: [{ row: [0, 1], column: [2, 3], more: true }], copy: [{ row: [0, 1], column: [2, 3] }], n: 0 });
  const before = tracker.getState();
  tracker.update((draft) => void (draft.copy = draft.selected.map(({ row, column }) => ({ row, column }))));
  expect(tracker.getState()).toBe(before);
  expect(tracker.getRFC6902Patches()).toEqual([]);
  tracker.update((draft) => {
    draft.copy = draft.selected.map(({ row, column }) => ({ row, column }));
    draft.selected[0]!.row[0] = 5;
  });
  expect(tracker.getState()).toMatchObject({ selected: [{ row: [5, 1] }], copy: [{ row: [5, 1] }] });
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
});
