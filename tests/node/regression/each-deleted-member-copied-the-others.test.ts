import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Each delete copied the members that stay: 4,000 in one change took 20 seconds, and a patch may have 10,000 of them.
// In time that is linear it takes a blink; the runner's own time limit is the only clock here.

const N = 10_000;
const initial = (): Record<string, number> => Object.fromEntries(Array.from({ length: 2 * N }, (_, i) => [`member${i}`, i]));
const left = Object.fromEntries(Object.entries(initial()).slice(N));

function deleteHalf(draft: Record<string, number>): void {
  for (let i = 0; i < N; i++) delete draft[`member${i}`];
}

const isWritten = (state: unknown, as: unknown): boolean => JSON.stringify(state) === JSON.stringify(as);

test("10,000 members are deleted in one recipe, and older versions stay", () => {
  const tracker = new StateTracker(initial());
  tracker.update((draft) => void (draft["member0"] = 0.5));
  const before = tracker.getState();
  tracker.update(deleteHalf);
  expect(isWritten(tracker.getState(), left)).toBe(true);
  expect(isWritten(before, { ...initial(), member0: 0.5 })).toBe(true);
});

test("10,000 members are deleted by one patch", () => {
  const tracker = new StateTracker(initial());
  tracker.apply(Array.from({ length: N }, (_, i) => ({ op: "remove" as const, path: `/member${i}` })));
  expect(isWritten(tracker.getState(), left)).toBe(true);
});

test("a recipe that fails after that leaves the members in their order", () => {
  const tracker = new StateTracker(initial());
  const failing = (draft: Record<string, number>): void => {
    deleteHalf(draft);
    draft["member1"] = 1;
    delete draft["member1"];
    throw new RangeError("on purpose");
  };
  expect(() => tracker.update(failing)).toThrow("on purpose");
  expect(isWritten(tracker.getState(), initial())).toBe(true);
});
