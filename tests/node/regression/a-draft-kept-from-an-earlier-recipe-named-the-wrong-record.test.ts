import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { refusal } from "../support/refusal.ts";

// What a recipe took out was known by the number of a record, which means something else in the next recipe. Drafts are
// dead for good when their recipe has ended.

test("a draft that an earlier recipe took out can't be put back", () => {
  const tracker = new StateTracker<any>({ list: [{ id: "kept" }], other: [{ id: "wrong" }] });
  let kept: any;
  tracker.update((draft) => { kept = draft.list.pop(); });
  const putBack = (): void => tracker.update((draft) => {
    draft.other.pop();
    draft.list.push(kept);
  });
  expect(refusal(putBack).code).toBe("DRAFT_REVOKED");
  expect(tracker.getState()).toEqual({ list: [], other: [{ id: "wrong" }] });
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
});
