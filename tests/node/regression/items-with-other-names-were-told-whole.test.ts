import { expect, test } from "vitest";
import { diff, StateTracker } from "patchwire";

// Rows that had other ids and the same long texts were told whole where one change put them in, and by their ids where several did.
// An item that took another one's place was told whole by its index, and by its id where the list was mapped.
const rows = (from: number) => [0, 1, 2].map((i) => ({ id: from + i, text: "a long text ".repeat(400) }));

test("rows that have other ids are told by what differs, in one change as in three", () => {
  const patches = [1, 3].map((changes) => {
    const tracker = new StateTracker({ rows: rows(1) });
    for (let i = 1; i <= changes; i++) tracker.update((draft) => void (draft.rows = rows(i === changes ? 11 : 100 * i)));
    return tracker.getRFC6902Patches();
  });
  const ids = [0, 1, 2].map((i) => ({ op: "replace", path: `/rows/${i}/id`, value: 11 + i }));
  expect(patches).toEqual([ids, ids]);
  expect(diff({ rows: rows(1) }, { rows: rows(11) })).toEqual(ids);
});

test("an item that gets the id that a server gave it is told by that, however it is written", () => {
  for (const write of [
    (draft: { rows: ReturnType<typeof rows> }) => void (draft.rows[0] = { ...draft.rows[0]!, id: 99 }),
    (draft: { rows: ReturnType<typeof rows> }) => void (draft.rows = draft.rows.map((row) => (row.id === 1 ? { ...row, id: 99 } : row))),
  ]) {
    const tracker = new StateTracker({ rows: rows(1) });
    tracker.update(write);
    expect(tracker.getRFC6902Patches()).toEqual([{ op: "replace", path: "/rows/0/id", value: 99 }]);
  }
});
