import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// What was member "0" of an object and becomes item 0 of an array has another path, though both spell it alike.

test("a container that moves between an object's \"0\" and an array's 0 is found again", () => {
  const tracker = new StateTracker<any>({ object: { "0": { n: 1 } }, array: [] });
  tracker.update((draft) => { draft.array = [draft.object["0"]]; delete draft.object["0"]; });
  tracker.update((draft) => { draft.array[0].n = 2; });
  tracker.update((draft) => { draft.object = { "0": draft.array[0] }; draft.array.pop(); });
  tracker.update((draft) => { draft.object["0"].n = 3; });
  expect(tracker.getState()).toEqual({ object: { "0": { n: 3 } }, array: [] });
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
});
