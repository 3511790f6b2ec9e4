import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// What was read in a recipe sent the log to the core, which made it shorter than it was before the recipe: the update
// passed for one that had done nothing. The core was told of it all the same.

test("an update is made, whatever its recipe asks the tracker", () => {
  const tracker = new StateTracker({ n: 0, m: 0 });
  for (let i = 0; i < 5; i++) tracker.update((draft) => void draft.m++);
  tracker.update((draft) => {
    draft.n = 1;
    expect(tracker.getRFC6902Patches()).toEqual([{ op: "replace", path: "/m", value: 5 }]);
  });
  expect(tracker.getState()).toEqual({ n: 1, m: 5 });
  expect(tracker.document().toJSON()).toEqual({ n: 1, m: 5 });
});
