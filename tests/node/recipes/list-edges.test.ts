import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { refusal } from "../support/refusal.ts";

// What the methods of a list do at its edges, as those of a plain one do.

type Any = any;

test("an iterator that has come to the end stays there, though the list grows", () => {
  new StateTracker({ list: [1] }).update(({ list }) => {
    const iterator = list[Symbol.iterator]();
    expect([iterator.next().value, iterator.next().done]).toEqual([1, true]);
    list.push(2);
    expect(iterator.next().done).toBe(true);
  });
});

test("an item of the state itself isn't in a draft of its list, which has a draft of it", () => {
  const tracker = new StateTracker<Any>({ rows: [{ id: 1 }] });
  const [row] = tracker.getState().rows;
  tracker.update(({ rows }) => { expect([rows.indexOf(row), rows.includes(row), rows[0] === row, rows.indexOf(row)]).toEqual([-1, false, false, -1]); });
});

test("what a list with a hole at its end is mapped to is as long", () => {
  new StateTracker({ list: [1, 2, 3] }).update(({ list }) => {
    delete list[2];
    expect(list.map((item) => item * 2).length).toBe(3);
    list.pop();
  });
});

test("a list that got shorter while it was visited has nothing to visit where it was", () => {
  new StateTracker({ list: [1, 2, 3, 4] }).update(({ list }) => {
    const seen: unknown[] = [];
    list.forEach((item) => { seen.push(item); list.pop(); });
    expect(seen).toEqual([1, 2]);
  });
});

test("the number after the last index is a name, which no list has", () => {
  const tracker = new StateTracker<Any>({ list: [1] });
  expect(refusal(() => tracker.update((draft) => { draft.list[2 ** 32 - 1] = 1; }))).toMatchObject({ code: "NOT_JSON", path: "/list" });
});
