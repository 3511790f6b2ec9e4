import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";

// A container that was in two places of one parent, and before in another that had gone: going back to an older version
// and forth again, the parent let go of it with the first place. The state then showed the tree's own objects.

const start = '{"a":[{}]}';

test.each([
  ["a value", () => new StateTracker<any>(JSON.parse(start))],
  ["a document", () => new StateTracker<any>(StateDocument.parse(start))],
])("the state after reading an older version of %s", (_, open) => {
  const tracker = open();
  tracker.update((draft) => { draft.a = [{}]; });
  const older = tracker.getState();
  tracker.update((draft) => {
    draft.x = draft.a[0];
    draft.a = false;
    draft.y = draft.x;
    draft.x = 1;
  });
  expect(older).toEqual({ a: [{}] });
  expect(tracker.getState()).toEqual({ a: false, x: 1, y: {} });
});
