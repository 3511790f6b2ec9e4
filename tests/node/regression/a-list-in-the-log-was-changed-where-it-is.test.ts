import { expect, test } from "vitest";
import { applyPatch, StateTracker } from "patchwire";

// A long list that many edits changed stays open to be changed where it is. The log had that very list as its value.

test.each([false, true, "precise"] as const)("what comes later is told once, arrayDeltaMode %s", (arrayDeltaMode) => {
  const start = Array.from({ length: 1_100 }, (_, i) => i);
  const tracker = new StateTracker<(number | string)[]>(start, { arrayDeltaMode });
  tracker.update((draft) => { for (let i = 0; i < 18; i++) draft[i] = "new"; for (let i = 18; i < 1_100; i++) draft[i] = -i; });
  tracker.update((draft) => { draft.push("last"); });
  tracker.update((draft) => { draft[3] = "set"; });
  const expected = [...Array.from({ length: 1_100 }, (_, i) => (i === 3 ? "set" : i < 18 ? "new" : -i)), "last"];
  expect(applyPatch<unknown>(start, tracker.getRFC6902Patches())).toEqual(expected);
  expect(tracker.document().toJSON()).toEqual(expected);
  expect(tracker.getState()).toEqual(expected);
});

test("after the list was rotated", () => {
  const start = Array.from({ length: 1_100 }, (_, i) => i);
  const tracker = new StateTracker<(number | string)[]>(start, { arrayDeltaMode: false });
  tracker.update((draft) => { for (let i = 0; i < 18; i++) draft.unshift(draft.pop()!); });
  tracker.update((draft) => { draft.push("last"); });
  expect(applyPatch<unknown>(start, tracker.getRFC6902Patches())).toEqual(tracker.getState());
  expect(tracker.getState()).toHaveLength(1_101);
});
