import { produce } from "immer";
import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Values are copied when they are assigned; what the caller then did to its own reference was silently lost.

const recipes: [name: string, start: object, recipe: (draft: any) => void][] = [
  ["a list made by ??=", {}, (draft) => { const list = (draft.x ??= []); list.push(1); }],
  ["an object changed after it was assigned", {}, (draft) => { const o = { a: 1 } as any; draft.o = o; o.a = 2; delete o.b; o.c = [3]; }],
  ["an item changed after it was pushed", { list: [] }, (draft) => { const item = { n: 1 }; draft.list.push(item); item.n = 2; }],
  ["members made inside members", { m: {} }, (draft) => { const m = (draft.m.k ??= {}); (m.n ??= { c: 0 }).c++; }],
  ["one buffer pushed twice", { list: [] }, (draft) => { const item = { n: 1 }; draft.list.push(item); item.n = 2; draft.list.push(item); }],
];

test.each(recipes)("%s", (_, start, recipe) => {
  const tracker = new StateTracker(start);
  tracker.update(recipe);
  expect(tracker.getState()).toEqual(produce(start, recipe));
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
});

test("what the caller does after the recipe is its own affair", () => {
  const mine = { list: [1] };
  const tracker = new StateTracker<any>({});
  tracker.update((draft) => { draft.o = mine; });
  mine.list.push(2);
  expect(tracker.getState()).toEqual({ o: { list: [1] } });
  expect(Object.isFrozen(mine.list)).toBe(false);
});
