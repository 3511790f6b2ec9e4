import { expect, test } from "vitest";
import { applyPatch, StateTracker, type JSONPatchOperation } from "patchwire";
import { memoryStorage, SyncedState } from "patchwire/durable-objects";

// A short list is told whole where its items changed places. Who followed compared items at their indexes alone, so rows that
// had only moved were new objects, and each was rendered anew.
const rows = [1, 2, 3].map((i) => ({ i, text: `row ${i}` }));

const changes: [string, (list: typeof rows) => typeof rows, number[]][] = [
  ["the first one goes to the end, and is edited", ([first, ...rest]) => [...rest, { ...first!, text: "edited" }], [1, 2, -1]],
  ["the first one goes, and the last one is edited", ([, second, third]) => [second!, { ...third!, text: "edited" }], [1, -1]],
  ["all in another order", (list) => list.toReversed(), [2, 1, 0]],
  ["one of two that are equal", ([first, second]) => [second!, second!, first!], [1, 1, 0]],
];

test.each(changes)("%s", (_, change, from) => {
  const told: JSONPatchOperation[] = [{ op: "replace", path: "/rows", value: change(structuredClone(rows)) }];
  const tracker = new StateTracker({ rows });
  const before = tracker.getState().rows;
  tracker.apply(told);
  expect(tracker.getState()).toEqual({ rows: change(rows) });
  expect(tracker.getState().rows.map((row) => before.indexOf(row))).toEqual(from);
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
  expect(applyPatch({ rows }, tracker.getRFC6902Patches())).toEqual(tracker.getState());
  tracker.update((draft) => void (draft.rows[0]!.text = "later"));
  expect(tracker.getState().rows).toEqual(change(rows).with(0, { ...change(rows)[0]!, text: "later" }));
});

test("a state of storage alone takes patches of that kind, too", () => {
  const state = new SyncedState({ storage: memoryStorage() }, { initial: { rows } });
  const [, second] = state.getState().rows;
  state.apply([{ op: "replace", path: "/rows", value: changes[0]![1](structuredClone(rows)) }]);
  expect(state.getState().rows[0]).toBe(second);
  expect(state.fetch(new Request("https://state/", { headers: { Upgrade: "websocket" } })).status).toBe(501);
});
