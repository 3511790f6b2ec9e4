import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// copyWithin puts one container into two slots of the same array; what was done to it reached the core for neither.

test("both slots have what was done to the one container, and are separate afterwards", () => {
  const tracker = new StateTracker<any>([0, [{}]]);
  tracker.update((draft) => {
    draft.copyWithin(0, 1, 2);
    draft[0][0].found = 1;
  });
  expect(tracker.getState()).toEqual([[{ found: 1 }], [{ found: 1 }]]);
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
  tracker.update((draft) => { draft[1][0].found = 2; });
  expect(tracker.getState()).toEqual([[{ found: 1 }], [{ found: 2 }]]);
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
});
