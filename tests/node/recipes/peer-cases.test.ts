import { produce } from "immer";
import { create } from "mutative";
import { describe, expect, test } from "vitest";
import { current, isDraft, original, StateTracker } from "patchwire";

// The ordinary ground of the public test suites of Immer and Mutative, in cases of our own: each runs on a plain object, on
// both libraries and here.

type Any = any;
type Recipe = (d: Any) => void;

const start = (): Any => ({
  anInstance: { a: 1 }, anArray: [3, 2, { c: 3 }, 1], aProp: "hi", anObject: { nested: { yummy: true }, coffee: false }, rows: [{ id: 1, tags: ["x"] }, { id: 2, tags: [] }, { id: 3, tags: ["y", "z"] }], empty: {}, none: null, n: 0,
});

const cases: [name: string, recipe: Recipe][] = [
  ["a property set, added, deleted", (d) => { d.aProp = "hello"; d.more = 1; delete d.none; }],
  ["a nested property", (d) => { d.anObject.nested.yummy = false; d.anObject.nested.more = { deep: [1] }; d.anObject.nested.more.deep.push(2); }],
  ["set to what it was", (d) => { d.aProp = d.aProp; d.anObject.nested = d.anObject.nested; d.anArray[0] = 3; }],
  ["set and set back", (d) => { d.aProp = "x"; d.aProp = "hi"; d.anArray.push(1); d.anArray.pop(); }],
  ["deleted and set again", (d) => { delete d.anObject.nested; d.anObject.nested = { yummy: 1 }; delete d.aProp; d.aProp = "hi"; }],
  ["a missing property deleted", (d) => { delete d.never; delete d.anObject.never; }],
  ["a property renamed in every item", (d) => { d.rows.forEach((r: Any) => { r.key = r.id; delete r.id; }); }],
  ["null and falsy values", (d) => { d.a = null; d.b = 0; d.c = ""; d.d = false; d.anObject = null; }],
  ["push, pop, shift, unshift", (d) => { d.anArray.push(4, 5); d.n = d.anArray.pop() + d.anArray.shift(); d.anArray.unshift({ first: true }); }],
  ["splice in its forms", (d) => { d.anArray.splice(1, 1); d.anArray.splice(0, 0, "a", "b"); d.anArray.splice(-1); d.anArray.splice(1, 2, { x: 1 }); d.anArray.splice(99, 5, "end"); d.anArray.splice(1, -1); }],
  ["sort and reverse", (d) => { d.rows.sort((a: Any, b: Any) => b.id - a.id); d.rows.reverse(); d.rows[0].tags.sort(); d.rows.reverse(); }],
  ["fill and copyWithin", (d) => { d.anArray.fill(0, 1, 2); d.anArray.copyWithin(0, 1); }],
  ["length cut and grown by index", (d) => { d.anArray.length = 1; d.anArray[1] = "x"; d.rows.length = 0; d.rows[0] = { id: 9 }; }],
  ["an item replaced and changed", (d) => { d.rows[1] = { id: 20, tags: [] }; d.rows[1].tags.push("new"); d.rows[0].tags[0] = "first"; }],
  ["items swapped", (d) => { [d.rows[0], d.rows[2]] = [d.rows[2], d.rows[0]]; d.rows[0].swapped = true; }],
  ["members swapped", (d) => { [d.anObject, d.anInstance] = [d.anInstance, d.anObject]; d.anInstance.coffee = true; d.anObject.a = 2; }],
  ["a part moved up and changed", (d) => { const { nested } = d.anObject; delete d.anObject.nested; d.nested = nested; nested.moved = 1; }],
  ["an item moved from list to list", (d) => { const x = d.rows.shift(); d.anArray.push(x); x.tags.push("moved"); }],
  ["a part reused in a new object", (d) => { d.wrapped = { inner: d.anObject.nested, list: [d.rows[0]] }; d.anObject.nested.seen = 1; d.wrapped.list[0].id = 10; }],
  ["a new object changed after it was put in", (d) => { const x: Any = { n: 1 }; d.x = x; d.x.n = 2; d.rows.push(x); }],
  ["filter, map, concat, slice reassigned", (d) => { d.rows = d.rows.filter((r: Any) => r.id > 1); d.rows = d.rows.map((r: Any) => ({ ...r, m: 1 })); d.anArray = d.anArray.concat([7]).slice(1); }],
  ["find and change", (d) => { d.rows.find((r: Any) => r.id === 2).tags.push("found"); d.rows.findLast((r: Any) => r.id > 0).last = true; d.rows.at(-1).at = 1; }],
  ["remove by indexOf of a draft", (d) => { const r = d.rows[1]; d.rows.splice(d.rows.indexOf(r), 1); }],
  ["loops", (d) => { for (const r of d.rows) r.id *= 2; for (const i in d.rows) d.rows[i].i = i; for (const [i, r] of d.rows.entries()) r.e = i; for (const k of Object.keys(d.anObject)) d.anObject[`${k}2`] = 1; d.rows.forEach((r: Any) => r.tags.push("all")); }],
  ["Object.keys, values, entries, assign", (d) => { d.n = [Object.keys(d), Object.values(d.anObject.nested), Object.entries(d.anInstance), Object.keys(d.anArray)]; Object.assign(d.anObject, { coffee: true, more: 1 }, { nested: { a: 1 } }); }],
  ["keys after changes", (d) => { delete d.anObject.coffee; d.anObject.z = 1; d.anObject.a = 2; d.n = [Object.keys(d.anObject), Reflect.ownKeys(d.anObject), "coffee" in d.anObject, "z" in d.anObject, Object.hasOwn(d.anObject, "coffee")]; }],
  ["for in after changes", (d) => { const names: string[] = []; delete d.anObject.coffee; d.anObject.z = 1; for (const k in d.anObject) names.push(k); d.n = names; }],
  ["spread and rest", (d) => { const { coffee, ...rest } = d.anObject; d.anObject = { ...rest, coffee: !coffee }; d.rows = [...d.rows, { id: 4 }]; const [first, ...others] = d.rows; d.rows = [...others, first]; }],
  ["destructured defaults", (d) => { const { never = 5, aProp = "no" } = d; d.n = [never, aProp]; }],
  ["Reflect", (d) => { Reflect.set(d, "aProp", "r"); Reflect.deleteProperty(d, "none"); d.n = [Reflect.has(d, "n"), Reflect.get(d, "aProp"), Reflect.ownKeys(d.anInstance), Reflect.getPrototypeOf(d) === Object.prototype]; }],
  ["descriptors", (d) => { d.anInstance.a = 5; const x = Object.getOwnPropertyDescriptor(d.anInstance, "a")!; d.n = [x.value, x.enumerable, Object.getOwnPropertyDescriptor(d, "never") === undefined, Object.getOwnPropertyNames(d.anObject)]; }],
  ["JSON, join, includes", (d) => { d.n = [JSON.stringify(d.anObject), d.anArray.join("-").length, d.anArray.includes(2), d.anArray.indexOf(1), d.anArray.lastIndexOf(99), Array.isArray(d.anArray), d.rows.length]; }],
  ["reduce, some, every, flat, flatMap", (d) => { d.n = [d.rows.reduce((n: number, r: Any) => n + r.id, 0), d.rows.some((r: Any) => r.id === 2), d.rows.every((r: Any) => r.id), d.rows.flatMap((r: Any) => r.tags), [d.rows[0].tags].flat()]; }],
  ["arithmetic assignments", (d) => { d.n++; d.n += 5; d.n **= 2; d.aProp += "!"; d.x ??= 1; d.n ||= 7; d.none &&= 8; d.anObject.coffee ||= "yes"; }],
  ["numeric and odd names", (d) => { d.empty[1] = "a"; d.empty["0"] = "b"; d.empty[""] = "c"; d.empty["a/b"] = "d"; d.empty.length = 5; d.empty.push = 1; d.empty.hasOwnProperty = 2; }],
  ["arrays of arrays", (d) => { d.grid = [[1, 2], [3, 4]]; d.grid[0][1] = 20; d.grid.push([5]); d.grid[2].push(6); d.grid.reverse(); d.grid[0][0] = 50; }],
  ["a list emptied in three ways", (d) => { d.rows.length = 0; d.rows.push({ id: 1 }); d.rows.splice(0); d.rows.push({ id: 2 }); while (d.rows.length) d.rows.pop(); d.rows = []; d.rows.push({ id: 3 }); }],
  ["frozen input put in", (d) => { d.frozen = Object.freeze({ a: 1, list: Object.freeze([1]) }); d.list = Object.freeze([1, 2]); }],
  ["a draft assigned to itself in a new list", (d) => { d.rows = [d.rows[2], d.rows[0]]; d.rows[0].id = 30; d.rows[1].tags.length = 0; }],
];

const libraries: { [name: string]: (state: Any, recipe: Recipe) => Any } = {
  plain: (state, recipe) => { recipe(state); return state; },
  immer: (state, recipe) => produce(state, recipe),
  mutative: (state, recipe) => create(state, recipe),
  patchwire: (state, recipe) => { const tracker = new StateTracker<Any>(state); tracker.update(recipe); return tracker.getState(); },
  "patchwire, warm": (state, recipe) => { const tracker = new StateTracker<Any>(state); tracker.update((d) => { d.rows.push(1); d.rows.pop(); d.extra = 1; }); tracker.update((d) => { delete d.extra; }); tracker.update(recipe); return tracker.getState(); },
  "patchwire, of a document": (state, recipe) => { const tracker = new StateTracker<Any>(new StateTracker<Any>(state).document()); tracker.update(recipe); expect(tracker.document().toJSON()).toEqual(tracker.getState()); return tracker.getState(); },
};

describe.each(cases)("%s", (_, recipe) => {
  const expected = start();
  recipe(expected);
  test.each(Object.keys(libraries))("%s", (name) => {
    const state = libraries[name]!(start(), recipe);
    expect(state).toEqual(expected);
    expect(Object.keys(state)).toEqual(Object.keys(expected));
  });
  test("unchanged parts are shared, as with the peers", () => {
    const tracker = new StateTracker<Any>(start());
    const before = tracker.getState();
    const after = (tracker.update(recipe), tracker.getState());
    const peer = start();
    const next = produce(peer, recipe) as Any;
    for (const key of Object.keys(peer)) if (next[key] === peer[key]) expect(after[key], key).toBe(before[key]);
  });
});

test("a recipe that does nothing gives the same state", () => {
  const tracker = new StateTracker<Any>(start());
  const before = tracker.getState();
  for (const recipe of [() => {}, (d: Any) => { void d.anObject.nested.yummy; }, (d: Any) => { d.aProp = "hi"; }, (d: Any) => { d.rows[0].id = 5; d.rows[0].id = 1; }]) {
    tracker.update(recipe);
    expect(tracker.getState()).toBe(before);
  }
});

test("getters of the initial state are read once, frozen input isn't written to, nothing of the caller's is frozen", () => {
  let reads = 0;
  const input = { get x() { reads++; return { n: 1 }; }, frozen: Object.freeze([Object.freeze({ a: 1 })]), own: [1] };
  const tracker = new StateTracker<Any>(input);
  tracker.update((d) => { d.x.n = 2; d.frozen[0].a = 2; d.own.push(2); });
  expect([reads, input.frozen[0]!.a, input.own, Object.isFrozen(input.own)]).toEqual([1, 1, [1], false]);
  expect(tracker.getState()).toEqual({ x: { n: 2 }, frozen: [{ a: 2 }], own: [1, 2] });
});

test("isDraft, original and current after changes of every kind", () => {
  for (const [name, recipe] of cases) {
    const tracker = new StateTracker<Any>(start());
    tracker.update((d) => {
      recipe(d);
      const now = current(d);
      expect(now, name).toEqual(JSON.parse(JSON.stringify(d)));
      expect(original(d), name).toEqual(start());
      expect([isDraft(d), isDraft(now), isDraft(original(d))], name).toEqual([true, false, false]);
      d.later = { now };
      expect(now.later, name).toBeUndefined();
    });
    expect(JSON.stringify(tracker.getState()).length, name).toBeGreaterThan(10);
  }
});
