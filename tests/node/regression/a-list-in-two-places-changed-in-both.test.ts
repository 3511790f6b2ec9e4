import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// A long list that nobody has seen is changed where it is. One that a recipe had put into a value of its own was so in both
// places, and the plain state differed from the document.
test("a list that was put into a new value is changed in one place", () => {
  const tracker = new StateTracker<{ list: number[]; held: number[][] }>({ list: Array.from({ length: 300 }, (_, i) => i), held: [] });
  tracker.update((draft) => void draft.list.push(1));
  tracker.update((draft) => void (draft.held = [draft.list]));
  tracker.update((draft) => void draft.list.push(2));
  expect(tracker.getState()).toEqual(tracker.document().toJSON());
  expect(tracker.getState().held[0]).toHaveLength(301);
});
