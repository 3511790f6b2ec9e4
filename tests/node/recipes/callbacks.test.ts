import { describe, expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Callbacks see what indexing sees: an item that has a draft is that draft everywhere. Issue 9, section 2.

type Any = any;

const rows = (length = 6): Any => ({ list: Array.from({ length }, (_, i) => ({ id: i, n: (i * 5) % length })) });

describe("a comparator gets the drafts that indexing gives", () => {
  const sorts: [name: string, sort: (list: Any[]) => void][] = [
    ["a Map by item", (list) => { const order = new Map(list.map((x) => [x, -x.id])); list.sort((a, b) => order.get(a)! - order.get(b)!); }],
    ["indexOf in a copy", (list) => { const before = [...list].reverse(); list.sort((a, b) => before.indexOf(a) - before.indexOf(b)); }],
    ["indexOf in a list of favourites", (list) => { const first = [list[4], list[2]]; list.sort((a, b) => first.indexOf(b) - first.indexOf(a)); }],
    ["Set.has", (list) => { const some = new Set([list[1], list[5]]); list.sort((a, b) => Number(some.has(b)) - Number(some.has(a))); }],
    ["WeakMap", (list) => { const weight = new WeakMap<object, number>(); list.forEach((x, i) => weight.set(x, -i)); list.sort((a, b) => weight.get(a)! - weight.get(b)!); }],
    ["===", (list) => { const selected = list[3]; list.sort((x, y) => Number(y === selected) - Number(x === selected)); }],
    ["Object.is in toSorted", (list) => { const selected = list.at(-1); list.splice(0, list.length, ...list.toSorted((x, y) => Number(Object.is(y, selected)) - Number(Object.is(x, selected)))); }],
    ["a write", (list) => { list.sort((x, y) => { x.seen = true; y.seen = true; return y.id - x.id; }); }],
    ["items that were changed first", (list) => { list.forEach((x) => { x.n = 9 - x.id; }); const order = new Map(list.map((x) => [x, x.n])); list.sort((a, b) => order.get(a)! - order.get(b)!); }],
    ["new items among them", (list) => { const it = { id: 9, n: 9 }; list.push(it); list.sort((a, b) => Number(b === it) - Number(a === it)); }],
    ["sorted twice", (list) => { const order = new Map(list.map((x) => [x, -x.id])); list.sort((a, b) => a.n - b.n); list.sort((a, b) => order.get(a)! - order.get(b)!); }],
  ];
  test.each(sorts)("%s", (_, sort) => {
    for (const size of [6, 400]) {
      const plain = rows(size);
      sort(plain.list);
      for (const isWarm of [false, true]) {
        const tracker = new StateTracker<Any>(rows(size));
        // A warm tracker has an array that nobody has seen, which is changed where it is.
        if (isWarm) for (let i = 0; i < 2; i++) tracker.update((d) => { d.list.push({ id: -1, n: 0 }); d.list.pop(); });
        tracker.update((d) => { sort(d.list); });
        expect(tracker.getState()).toEqual(plain);
        expect(tracker.document().toJSON()).toEqual(plain);
      }
    }
  });
});

type Look = (list: Any[], note: (index: number, item: Any) => void) => void;
const looks: [name: string, look: Look][] = [
  ["forEach", (l, note) => l.forEach((x, i) => note(i, x))],
  ["map", (l, note) => void l.map((x, i) => note(i, x))],
  ["filter", (l, note) => void l.filter((x, i) => (note(i, x), true))],
  ["filter's result", (l, note) => l.filter(() => true).forEach((x, i) => note(i, x))],
  ["find", (l, note) => void l.find((x, i) => (note(i, x), false))],
  ["findIndex", (l, note) => void l.findIndex((x, i) => (note(i, x), false))],
  ["findLast", (l, note) => void l.findLast((x, i) => (note(i, x), false))],
  ["findLastIndex", (l, note) => void l.findLastIndex((x, i) => (note(i, x), false))],
  ["some", (l, note) => void l.some((x, i) => (note(i, x), false))],
  ["every", (l, note) => void l.every((x, i) => (note(i, x), true))],
  ["reduce", (l, note) => void l.reduce((_, x, i) => note(i, x), undefined)],
  ["reduceRight", (l, note) => void l.reduceRight((_, x, i) => note(i, x), undefined)],
  ["reduce without a start", (l, note) => void l.reduce((before, x, i) => (i === 1 && note(0, before), note(i, x), x))],
  ["reduceRight without a start", (l, note) => void l.reduceRight((before, x, i) => (i === l.length - 2 && note(i + 1, before), note(i, x), x))],
  ["flatMap", (l, note) => void l.flatMap((x, i) => (note(i, x), [x]))],
  ["flat", (l, note) => l.flat().forEach((x, i) => note(i, x))],
  ["for of", (l, note) => { let i = 0; for (const x of l) note(i++, x); }],
  ["entries", (l, note) => { for (const [i, x] of l.entries()) note(i, x); }],
  ["values", (l, note) => { let i = 0; for (const x of l.values()) note(i++, x); }],
  ["keys", (l, note) => { for (const i of l.keys()) note(i, l[i]); }],
  ["for in", (l, note) => { for (const i in l) note(Number(i), l[i as Any]); }],
  ["at", (l, note) => { for (let i = 0; i < l.length; i++) note(i, l.at(i - l.length)); }],
  ["slice", (l, note) => l.slice().forEach((x, i) => note(i, x))],
  ["concat", (l, note) => ([] as Any[]).concat(l).forEach((x, i) => note(i, x))],
  ["toReversed", (l, note) => l.toReversed().toReversed().forEach((x, i) => note(i, x))],
  ["toSpliced", (l, note) => l.toSpliced(l.length, 0, 1).slice(0, -1).forEach((x, i) => note(i, x))],
  ["with", (l, note) => l.with(0, l[0]).forEach((x, i) => note(i, x))],
  ["spread", (l, note) => [...l].forEach((x, i) => note(i, x))],
  ["spread into an object", (l, note) => Object.entries({ ...l }).forEach(([i, x]) => note(Number(i), x))],
  ["destructuring", (l, note) => { const [a, b, ...rest] = l; [a, b, ...rest].forEach((x, i) => note(i, x)); }],
  ["Array.from", (l, note) => Array.from(l, (x, i) => note(i, x))],
  ["Object.values", (l, note) => Object.values(l).forEach((x, i) => note(i, x))],
  ["Object.entries", (l, note) => Object.entries(l).forEach(([i, x]) => note(Number(i), x))],
  ["Object.getOwnPropertyDescriptors", (l, note) => { const all = Object.getOwnPropertyDescriptors(l); for (let i = 0; i < l.length; i++) note(i, all[i]!.value); }],
  ["Reflect.get", (l, note) => { for (let i = 0; i < l.length; i++) note(i, Reflect.get(l, i)); }],
  ["Array.prototype called on it", (l, note) => Array.prototype.forEach.call(l, (x, i) => note(i, x))],
];

test.each(looks)("%s gives the items that indexing gives", (_, look) => {
  for (const order of ["before", "after"]) {
    const tracker = new StateTracker<Any>(rows());
    let count = 0;
    tracker.update((d) => {
      const byIndex: Any[] = [];
      if (order === "before") for (let i = 0; i < d.list.length; i++) byIndex.push(d.list[i]);
      const seen: [number, Any][] = [];
      look(d.list, (i, x) => void seen.push([i, x]));
      for (const [i, x] of seen) {
        expect((order === "before" ? byIndex[i] : d.list[i]) === x, `item ${i}`).toBe(true);
        x.n = 100 + i;
        expect(d.list[i].n).toBe(100 + i);
        count++;
      }
    });
    expect(count).toBe(6);
    expect(tracker.getState().list.map((x: Any) => x.n)).toEqual([100, 101, 102, 103, 104, 105]);
  }
});

test("the third argument of a callback is the draft, and `this` is what was given", () => {
  new StateTracker<Any>(rows()).update((d) => {
    const self = {};
    for (const method of ["forEach", "map", "filter", "find", "findIndex", "findLast", "findLastIndex", "some", "every", "flatMap"]) {
      let calls = 0;
      d.list[method](function (this: unknown, _: Any, __: number, list: Any) { calls++; expect(list === d.list && this === self).toBe(true); return []; }, self);
      expect(calls, method).toBeGreaterThan(0);
    }
    for (const method of ["reduce", "reduceRight"]) d.list[method]((_: Any, __: Any, ___: number, list: Any) => expect(list === d.list).toBe(true), 0);
  });
});

test("members of an object, by every way to them", () => {
  const tracker = new StateTracker<Any>({ map: { a: { n: 1 }, b: { n: 2 } } });
  tracker.update(({ map }) => {
    const { a, ...rest } = map;
    const ways = [Object.values(map)[0], Object.entries(map)[0]![1], { ...map }.a, Object.assign({}, map).a, Reflect.get(map, "a"), Object.getOwnPropertyDescriptor(map, "a")!.value];
    for (const way of ways) expect(way === a).toBe(true);
    expect(rest.b === map.b).toBe(true);
    for (const key in map) map[key].n *= 10;
  });
  expect(tracker.getState()).toEqual({ map: { a: { n: 10 }, b: { n: 20 } } });
});

test("a comparator that throws, or changes the list, does as on a plain array", () => {
  const tracker = new StateTracker<Any>(rows());
  expect(() => tracker.update((d) => { d.list.sort(() => { throw new Error("mine"); }); })).toThrow("mine");
  expect(tracker.getState()).toEqual(rows());
  tracker.update((d) => { expect(() => d.list.sort(5)).toThrow(TypeError); expect(() => d.list.forEach(5)).toThrow(TypeError); expect(() => [].reduce.call(d.list, 5 as Any)).toThrow(TypeError); });
  expect(tracker.getState()).toEqual(rows());
});
