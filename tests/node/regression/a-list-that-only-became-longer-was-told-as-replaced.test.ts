import { describe, expect, test } from "vitest";
import { StateTracker } from "patchwire";

// With `arrayDeltaMode: true` a list is appended to where what it was is the beginning of what it became. Where it was assigned and
// holds an item twice, or more than is compared item by item, it was told as replaced: others' items in it were lost when two steps merged.

const rows = () => [{ id: 1, text: "a text that is longer" }, { id: 2, text: "another one" }, 1];

const recipes: [name: string, recipe: (draft: any) => void, appended: unknown[]][] = [
  ["an item that is in it", (draft) => void (draft.rows = [...draft.rows, draft.rows[0]]), [rows()[0]]],
  ["a new one, and one that is in it", (draft) => void (draft.rows = draft.rows.concat([{ id: 3 }, draft.rows[1]])), [{ id: 3 }, rows()[1]]],
  [
    "emptied, and filled again",
    (draft) => {
      const items = [...draft.rows];
      draft.rows.length = 0;
      draft.rows.push(...items, { id: 3 }, items[0]);
    },
    [{ id: 3 }, rows()[0]],
  ],
];

describe.each([{ granularity: "path" as const }, { granularity: "key" as const }])("$granularity", ({ granularity }) => {
  test.each(recipes)("%s", (_, recipe, appended) => {
    const tracker = new StateTracker<any>({ rows: rows() }, { arrayDeltaMode: true, granularity });
    tracker.update(recipe);
    expect(tracker.getRFC6902Patches()).toEqual(appended.map((value) => ({ op: "add", path: "/rows/-", value })));
  });

  test("one of which an item differs is replaced", () => {
    const tracker = new StateTracker<any>({ rows: rows() }, { arrayDeltaMode: true, granularity });
    tracker.update((draft) => void (draft.rows = [draft.rows[0], { id: 2 }, 1, draft.rows[0]]));
    expect(tracker.getRFC6902Patches()).toEqual([{ op: "replace", path: "/rows", value: [rows()[0], { id: 2 }, 1, rows()[0]] }]);
  });
});
