import { afterEach, expect, test } from "vitest";
import { StateTracker } from "patchwire";

// The 16th update of a process first runs a small recipe of ours (pkg/src/tracker/rehearsal.ts). What that threw, the update threw.

const inherited = Object.prototype as Record<string, unknown>;

afterEach(() => delete inherited.copies);

test("an update goes on where the rehearsal before it fails", () => {
  let asked = 0;
  // What the rehearsal sets, and this update doesn't.
  Object.defineProperty(inherited, "copies", { set: () => { asked++; throw new Error("nobody sets that"); }, configurable: true });
  const tracker = new StateTracker({ n: 0 });
  for (let n = 1; n <= 40; n++) tracker.update((draft) => void (draft.n = n));
  expect(tracker.getState()).toEqual({ n: 40 });
  expect(asked).toBe(1);
});
