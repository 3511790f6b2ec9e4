import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Each of n items was looked for among n, three times over: 40,000 took minutes. In time that is linear it takes a blink;
// the runner's own time limit is the only clock here.

test("40,000 drafted items are filtered and spread into new arrays", () => {
  const tracker = new StateTracker({ rows: Array.from({ length: 40_000 }, (_, id) => ({ id })) }, { arrayDeltaMode: "precise" });
  tracker.update((draft) => { draft.rows = draft.rows.filter(({ id }) => id % 2 === 0); });
  tracker.update((draft) => { draft.rows = [...draft.rows, { id: -1 }]; draft.rows[1]!.id = 7; });
  expect(tracker.getState().rows).toHaveLength(20_001);
  expect(tracker.getState().rows[1]).toEqual({ id: 7 });
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
});
