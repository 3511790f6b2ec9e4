import { expect, test } from "vitest";
import { StateTracker, type Draft } from "patchwire";

// Of items that were each set to an equal value only the first one was compared with what had been there. The others became new objects,
// with a step that did nothing, and what had been undone couldn't be done again.

interface State {
  list: { v: number; tags?: string[] }[];
}
const same: Record<string, (draft: Draft<State>) => void> = {
  "each item is spread": ({ list }) => list.forEach((item, i) => void (list[i] = { ...item })),
  "two are set": ({ list }) => void ([list[0], list[2]] = [{ v: 1, tags: ["a"] }, { v: 3 }]),
  "behind an item that came and went": ({ list }) => {
    list.unshift({ v: 0 });
    list[1] = { v: 1, tags: ["a"] };
    list.splice(3, 1, { v: 3 });
    list.shift();
  },
  "where the order changed twice": ({ list }) => {
    list.reverse();
    list[0] = { v: 3 };
    list[2] = { v: 1, tags: ["a"] };
    list.reverse();
  },
};

test.each(Object.entries(same))("%s", (_, recipe) => {
  const tracker = new StateTracker<State>({ list: [{ v: 1, tags: ["a"] }, { v: 2 }, { v: 3 }] });
  tracker.update((draft) => void (draft.list[0]!.v = 8));
  tracker.undo();
  const before = tracker.getState();
  tracker.resetTracking();
  tracker.update(recipe);
  expect(tracker.getState()).toBe(before);
  expect(tracker.getRFC6902Patches()).toEqual([]);
  expect(tracker.redo()).toBe(true);
});

test("beside one that differs", () => {
  const tracker = new StateTracker<State>({ list: [{ v: 1 }, { v: 2 }, { v: 3 }] }, { arrayDeltaMode: "precise" });
  const before = tracker.getState().list;
  tracker.update(({ list }) => [1, 7, 3].forEach((v, i) => void (list[i] = { v })));
  expect(tracker.getState().list.map((item, i) => item === before[i])).toEqual([true, false, true]);
  expect(tracker.getRFC6902Patches()).toEqual([{ op: "replace", path: "/list/1/v", value: 7 }]);
});
