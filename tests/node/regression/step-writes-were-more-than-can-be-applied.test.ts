import { expect, test } from "vitest";
import { applyStepWrites, mergeWrites, StateTracker, stepWritesToRFC6902, type StateTrackerOptions } from "patchwire";

// A recipe may change as many places as it likes. Of more than `limits.operations` the tracker told as many writes, which
// applying, merging and translating them then refused.

const COUNT = 10_001;
const start = () => ({ byId: Object.fromEntries(Array.from({ length: COUNT }, (_, id) => [`row${id}`, { n: 0 }])), log: ["made"], done: false });

test.each<StateTrackerOptions["arrayDeltaMode"]>([false, true, "precise"])("arrayDeltaMode %s", (arrayDeltaMode) => {
  const tracker = new StateTracker(start(), { arrayDeltaMode });
  tracker.update((draft) => {
    for (const row of Object.values(draft.byId)) row.n++;
    draft.log.push("counted");
    draft.done = true;
  });
  const state = tracker.getState();
  const writes = tracker.getStepWrites();
  expect(writes.ops.map(({ path }) => path)).toEqual(["/byId", "/log", "/done"]);
  expect(applyStepWrites(start(), writes)).toEqual({ state, warnings: [] });
  expect(mergeWrites(start(), [writes]).state).toEqual(state);
  expect(stepWritesToRFC6902(writes, { base: start() })).toHaveLength(3);
});

test("up to the limit each place is told", () => {
  const tracker = new StateTracker(start());
  tracker.update((draft) => { for (const row of Object.values(draft.byId).slice(1)) row.n++; });
  const { ops } = tracker.getStepWrites();
  expect([ops.length, ops[0]!.path]).toEqual([COUNT - 1, "/byId/row1/n"]);
});
