import { expect, test } from "vitest";
import { isDraft, StateTracker } from "patchwire";
import { refusal } from "../support/refusal.ts";

// A name that somebody sent, `__proto__`, makes a draft the prototype of a new object. That was then taken for the draft, so that
// everything else in it was lost without a word; and what was set in such an object was set in the draft.

type Any = any;

const initial = (): Any => ({ list: [{ id: "a", n: 1 }, { id: "__proto__", n: 2 }], byId: {}, map: JSON.parse('{"__proto__":{"n":3},"a":1}'), some: { y: 1 }, items: [1] });

const refused: [name: string, at: string, recipe: (draft: Any) => void][] = [
  ["rows by their ids", "/byId", (d) => void (d.byId = d.list.reduce((map: Any, row: Any) => ((map[row.id] = row), map), {}))],
  ["Object.assign", "/map", (d) => void (d.map = Object.assign({}, d.map, { c: 1 }))],
  ["a literal", "/c", (d) => void (d.c = { __proto__: d.some, own: 1 })],
  ["in an array", "/list/2", (d) => void d.list.push(Object.create(d.some))],
  ["in a new value", "/c/0/x", (d) => void (d.c = [{ x: Object.create(d.items) }])],
];

test.each(refused)("%s: it isn't JSON", (_, at, recipe) => {
  const tracker = new StateTracker<Any>(initial());
  const before = tracker.getState();
  const error = refusal(() => tracker.update(recipe));
  expect([error.code, error.path]).toEqual(["NOT_JSON", at]);
  expect(error.message).toContain("__proto__");
  expect(tracker.getState()).toBe(before);
});

test("what is set in it is its own", () => {
  const tracker = new StateTracker<Any>(initial());
  tracker.update((draft) => {
    const heir = Object.create(draft.some);
    heir.x = 2;
    heir.y = 3;
    expect([Object.keys(heir), isDraft(heir), isDraft(draft.some)]).toEqual([["x", "y"], false, true]);
    const other: Any = {};
    Reflect.set(draft.some, "x", 5, other);
    Reflect.set(draft.items, "0", 6, other);
    expect(other).toEqual({ x: 5, 0: 6 });
  });
  expect(tracker.getState()).toEqual(initial());
});
