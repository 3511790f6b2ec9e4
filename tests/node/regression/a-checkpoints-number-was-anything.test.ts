import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { refusal } from "../support/refusal.ts";

// Of a checkpoint's name only the part that says whose it is was looked at: with any number, or with none, it was the first one.

test("a checkpoint that nobody made is refused", () => {
  const tracker = new StateTracker<any>({ n: 0 });
  const made = tracker.checkpoint("begin");
  tracker.update((draft) => void draft.n++);
  const [, ...rest] = made.split("-");
  for (const number of ["", "x", "4294967296", "-0", "0x0", "1e0", " 0", "99"]) {
    expect(refusal(() => tracker.restore([number, ...rest].join("-") as never)).code, number).toBe("STALE_STATE");
  }
  expect(tracker.getState()).toEqual({ n: 1 });
  tracker.restore(made);
  expect(tracker.getState()).toEqual({ n: 0 });
});
