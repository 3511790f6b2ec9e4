import { StateTracker } from "patchwire";
import { expect, test } from "vitest";
import { refusal } from "../support/refusal.ts";

// Standard Schema says that issues are a list, or undefined where there are none. Libraries that say it in ways of their own, such as null for none,
// ended in a TypeError without a code.

const schema = (answer: unknown): never => ({ "~standard": { version: 1, vendor: "test", validate: () => answer } }) as never;

test("no issues may be null, and a path may be none", () => {
  const tracker = new StateTracker({ n: 0 }, { validate: schema({ value: {}, issues: null }) });
  tracker.update((draft) => void (draft.n = 1));
  expect(tracker.getState()).toEqual({ n: 1 });
  for (const [path, told] of [[[null], "/null"], ["abc", ""], [[{ key: "n" }], "/n"], [["n", 0], "/n/0"], [undefined, ""], [[{}], "/undefined"]]) {
    const refused = refusal(() => new StateTracker({ n: 0 }, { validate: schema({ issues: [{ message: "no", path }] }) }));
    expect([refused.code, refused.path]).toEqual(["VALIDATION_FAILED", told]);
  }
  expect(refusal(() => new StateTracker({ n: 0 }, { validate: schema({ issues: [] }) })).code).toBe("VALIDATION_FAILED");
});
