import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Where an item went to another place in its list, that was told without looking whether it is equal to all that it passed: a patch where
// nothing had changed, and no step writes. Short lists were compared as a whole.

type Any = any;

const lists: [string, () => Any][] = [
  ["lists", () => [1, 2]],
  ["objects", () => ({ v: 0, tags: ["a"], text: "a text that is long enough to be worth a move, so that it is told as one" })],
];
const recipes: [string, (list: Any[]) => void][] = [
  ["the first to the end", (list) => list.push(list.shift())],
  ["the last to the beginning", (list) => list.unshift(list.pop())],
  ["two that change places", (list) => { [list[3], list[40]] = [list[40], list[3]]; }],
  ["one in the middle", (list) => list.splice(5, 0, ...list.splice(30, 1))],
];

test.each(lists.flatMap(([items, item]) => recipes.flatMap(([name, recipe]) => [41, 64, 300].map((length) => [items, name, length, item, recipe] as const))))(
  "equal %s: %s, of %i",
  (_, __, length, item, recipe) => {
    const tracker = new StateTracker<Any>({ list: Array.from({ length }, item), n: 0 });
    tracker.update((draft) => void recipe(draft.list));
    expect(tracker.getPatchText()).toBe("[]");
    expect(tracker.getStepWrites().ops).toEqual([]);
    const other = new StateTracker<Any>({ list: Array.from({ length }, item), n: 0 });
    other.update((draft) => void (recipe(draft.list), draft.n++));
    expect(other.getRFC6902Patches()).toEqual([{ op: "replace", path: "/n", value: 1 }]);
  },
);
