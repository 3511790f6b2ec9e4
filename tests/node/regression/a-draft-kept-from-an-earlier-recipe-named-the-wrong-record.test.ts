import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// What a recipe took out was known by the number of a record, which means something else in the next recipe.

test("a draft that an earlier recipe took out is put back as what it was", () => {
  const tracker = new StateTracker<any>({ list: [{ id: "kept" }], other: [{ id: "wrong" }] });
  let kept: any;
  tracker.update((draft) => { kept = draft.list.pop(); });
  tracker.update((draft) => {
    draft.other.pop();
    draft.list.push(kept);
  });
  expect(tracker.getState()).toEqual({ list: [{ id: "kept" }], other: [] });
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
});
