import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// An assignment that changed nothing was forgotten, so that its value, which an arrow function returns, was no container of the
// state; nor was an item of a list that the recipe had made of what was published.

test("a container that is in the state may be returned", () => {
  const constant = Object.freeze({ r: 1 });
  const tracker = new StateTracker<any>({ u: null, list: [{ a: 1 }, { a: 2 }] });
  for (const _ of [1, 2]) tracker.update((draft) => (draft.u = constant));
  tracker.update((draft) => (draft.list = tracker.getState().list));
  tracker.update((draft) => {
    draft.list = [tracker.getState().list[1], { a: 3 }];
    return draft.list[0];
  });
  expect(tracker.getState()).toEqual({ u: { r: 1 }, list: [{ a: 2 }, { a: 3 }] });
});
