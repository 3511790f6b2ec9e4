import { expect, test } from "vitest";
import { mergeWrites, parallel, StateTracker } from "patchwire";

// A place with the strategy `merge` was merged from its values as wholes, so that numbers that were added, text that was appended and
// changes of different items, which compose where nothing is said, were lost but for the last writer's.

test("what tools added to is in an object that is merged", async () => {
  const tracker = new StateTracker({ stats: { spent: 1, note: "a", list: [{ x: 1, y: 1 }, { x: 2, y: 2 }] } });
  const { conflicts } = await parallel(tracker, [
    (tool) => {
      tool.increment("/stats/spent", 2);
      tool.append("/stats/note", "b");
      tool.update((draft) => { draft.stats.list[0]!.x = 5; });
    },
    (tool) => {
      tool.increment("/stats/spent", 3);
      tool.append("/stats/note", "c");
      tool.update((draft) => { draft.stats.list[0]!.y = 6; draft.stats.list.push({ x: 3, y: 3 }); });
    },
  ], { strategies: { "/stats": "merge" } });
  expect(tracker.getState()).toEqual({ stats: { spent: 6, note: "abc", list: [{ x: 5, y: 6 }, { x: 2, y: 2 }, { x: 3, y: 3 }] } });
  expect(conflicts).toEqual([]);
});

test("who set the object, or a value in it, is merged with who added to it", () => {
  const base = { stats: { spent: 1, by: "none" } };
  const added = { ops: [{ kind: "increment", path: "/stats/spent", by: 2 } as const] };
  const set = { ops: [{ kind: "replace", path: "/stats", value: { spent: 1, by: "b", more: true } } as const] };
  const merge = (...writes: Parameters<typeof mergeWrites>[1]) => mergeWrites(base, writes, { strategies: { "/stats": "merge" } });
  for (const { state, conflicts } of [merge(added, set), merge(set, added)]) {
    expect(state).toEqual({ stats: { spent: 3, by: "b", more: true } });
    expect(conflicts).toEqual([]);
  }
  const { state, conflicts } = merge(added, { ops: [{ kind: "replace", path: "/stats/spent", value: 9 }] });
  expect(state).toEqual({ stats: { spent: 9, by: "none" } });
  expect(conflicts).toEqual([{ path: "/stats/spent", strategy: "merge", kept: 9, lost: 3, keptBy: 1, lostBy: 0 }]);
});
