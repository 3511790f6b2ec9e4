import fc from "fast-check";
import { expect, test } from "vitest";
import { applyPatch, StateTracker } from "patchwire";
import { asked } from "../support/runs.ts";

// `sort` takes an array's items out, orders them and puts them in one by one, whatever the comparator has done to the array meanwhile.
// It was told as an order of the items that the array had begun with, so the state and what was told of it weren't the same.

type Any = any;

const edits: Record<string, (list: Any[], outside: Any) => void> = {
  push: (list) => void list.push(9),
  pop: (list) => void list.pop(),
  unshift: (list) => void list.unshift(7),
  shift: (list, outside) => void outside.taken.push(list.shift() ?? null),
  splice: (list) => void list.splice(1, 1),
  empty: (list) => void (list.length = 0),
  set: (list) => void (list[0] = 5),
  "set an item": (list) => void (list[Math.max(0, list.length - 1)] = { n: 3 }),
  reverse: (list) => void list.reverse(),
  sort: (list) => void list.sort((a, b) => Number(b.n ?? b) - Number(a.n ?? a)),
  "change an item": (list) => list.forEach((item) => typeof item === "object" && item.n++),
  "take the list away": (list, outside) => void (outside.list = [...list]),
  nothing: () => {},
};

const items = fc.array(fc.oneof(fc.nat(9), fc.record({ n: fc.nat(9) })), { maxLength: 12 });
const plan = fc.array(fc.constantFrom(...Object.keys(edits)), { maxLength: 6 });

test("the state is what it is with a plain array, and so is what is told", () => {
  fc.assert(fc.property(items, plan, fc.boolean(), (list, plan, isWarm) => {
    const recipe = (d: Any): void => {
      let step = 0;
      const sorted = d.list;
      sorted.sort((a: Any, b: Any) => {
        const edit = plan[step++];
        if (edit !== undefined) edits[edit]!(d.list, d);
        return Number(a.n ?? a) - Number(b.n ?? b);
      });
    };
    const before: Any = { list, taken: [] };
    const plain = structuredClone(before);
    recipe(plain);
    const tracker = new StateTracker<Any>(structuredClone(before), { arrayDeltaMode: "precise" });
    if (isWarm) for (let i = 0; i < 2; i++) tracker.update((d) => { d.list.push({ n: 0 }); d.list.pop(); });
    tracker.resetTracking();
    let isRefused = false;
    try {
      tracker.update(recipe);
    } catch (error) {
      // Where items went for good, plain arrays have holes and several have none: what isn't JSON is refused.
      expect(error).toMatchObject({ code: "NOT_JSON" });
      isRefused = true;
    }
    const isJson = JSON.stringify(plain) === JSON.stringify(structuredClone(plain)) && plain.list.every((item: Any) => item !== undefined) && Object.keys(plain.list).length === plain.list.length;
    expect(isRefused).toBe(!isJson);
    const after = isRefused ? before : plain;
    expect(tracker.getState()).toEqual(after);
    expect(tracker.document().toJSON()).toEqual(after);
    expect(applyPatch(before, tracker.getRFC6902Patches())).toEqual(after);
    expect(applyPatch(after, tracker.getInversePatches())).toEqual(before);
  }), asked(1000));
});

test.each<[string, (d: Any) => void]>([
  ["a length that is a string", (d) => { d.list.length = "2"; }],
  ["holes among what was taken out", (d) => { delete d.list[1]; d.has = [0, 1, 2].map((i) => i in d.list.splice(0, 3)); d.list = []; }],
  ["the text of an array that was in itself", (d) => { d.nested[0].push(d.nested); d.text = `${d.nested}`; d.nested[0].pop(); }],
  ["a default order by the text of an array that was in itself", (d) => { d.nested[0].push(d.nested); d.nested.sort(); d.nested.find((one: Any) => one.length > 1).pop(); }],
])("%s is as with a plain array", (_, recipe) => {
  const before = { list: [1, 2, 3, 4], nested: [[3], [1]] };
  const plain = structuredClone(before);
  recipe(plain);
  const tracker = new StateTracker<Any>(structuredClone(before));
  tracker.update(recipe);
  expect(tracker.getState()).toEqual(plain);
});

test("what is no function is refused as JavaScript refuses it", () => {
  const tracker = new StateTracker<Any>({ list: [] });
  for (const method of ["forEach", "map", "filter", "find", "findIndex", "some", "every"]) {
    expect(() => tracker.update((d) => void d.list[method](1))).toThrow(new TypeError("1 is not a function"));
  }
  expect(() => tracker.update((d) => void d.list.sort(5))).toThrow(TypeError);
});
