import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// A draft's `toSpliced` and `concat` passed all their arguments on, for which the stack has no room where there are as many
// as one call can just take.

test("as many as a plain array takes are taken", () => {
  const many = Array.from({ length: 100_000 }, (_, i) => i);
  const tracker = new StateTracker<{ list: number[] }>({ list: [-1, -2, -3] });
  tracker.update((draft) => void (draft.list = draft.list.toSpliced(-2, 1, ...many)));
  expect(tracker.getState().list).toEqual([-1, -2, -3].toSpliced(-2, 1, ...many));
  tracker.update((draft) => void (draft.list = draft.list.concat(...many, [7, 8])));
  expect(tracker.getState().list.length).toBe(200_004);
  expect(tracker.getState().list.slice(-3)).toEqual([99_999, 7, 8]);
});
