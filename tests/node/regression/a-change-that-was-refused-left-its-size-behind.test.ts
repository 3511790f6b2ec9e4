import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// An update that was refused for its depth had been measured before, and the state was taken to be as small as it would have been: the next change
// could make it larger than its limit.

test("the state is as large as it was", () => {
  const limits = { document: 2_018, depth: 3 };
  const tracker = new StateTracker({ a: Array<unknown>(1_000).fill(1), b: "" }, { limits });
  const refused = expect.objectContaining({ code: "LIMIT_EXCEEDED" });
  expect(() => tracker.update((draft) => void (draft.a = [[[[]]]]))).toThrow(refused);
  expect(() => tracker.update((draft) => void (draft.b = "q".repeat(500)))).toThrow(refused);
  expect(() => tracker.append("/b", "q".repeat(500))).toThrow(refused);
  tracker.update((draft) => void (draft.b = "1234"));
  expect(JSON.stringify(tracker.getState())).toHaveLength(2_018);
});
