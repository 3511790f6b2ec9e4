import fc from "fast-check";
import { create as produceWithMutative } from "mutative";
import { produce } from "immer";
import { expect, test } from "vitest";
import { current, StateTracker } from "patchwire";
import { expectToLead } from "../support/libraries.ts";
import { asked } from "../support/runs.ts";

// A recipe does to a draft what it does to a plain object, always: the same program runs on both, with values that have
// several names, identity tests, callbacks of every array method, drafts in new values, values of earlier states put back,
// and an end that throws or leaves what isn't JSON. What it did leads forward and back in four libraries, and what didn't
// change stays the same object.

type Any = any;

/** What a program runs on: the root, the states that were published before, and names for values. */
interface World {
  root: Any;
  published: Any[];
  names: Any[];
  log: unknown[];
}

type Move = (world: World, a: number, b: number, c: number) => void;

const at = <T>(list: readonly T[], i: number): T | undefined => (list.length === 0 ? undefined : list[i % list.length]);
const isRow = (value: Any): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
const rowsOf = (root: Any, i: number): Any[] => at([root.rows, root.other, root.box.list], i)!;
/** A name for a value that a program uses later; drafts and plain values alike. */
const name = (world: World, value: Any): void => void (typeof value === "object" && value !== null && world.names.push(value));
const holds = (outer: Any, inner: Any, seen = new Set<unknown>()): boolean => {
  if (outer === inner) return true;
  if (typeof outer !== "object" || outer === null || seen.has(outer)) return false;
  seen.add(outer);
  return Object.keys(outer).some((key) => holds(outer[key], inner, seen));
};
/** Puts a value somewhere, unless it would contain itself. */
const put = (target: Any, value: Any, how: (value: Any) => void): void => {
  if (!holds(value, target)) how(value);
};

const moves: Move[] = [
  // New values with several names.
  (w, a) => { const it = { id: 100 + a }; const list = rowsOf(w.root, a); list.push(it); w.log.push(list.indexOf(it), list.includes(it), list.find((x) => x === it) === it, list.filter((x) => x !== it).length); name(w, it); },
  (w, a) => { const e: Any = { n: 0 }; w.root.box.e = e; e.n++; w.root.box.e.n++; e.n += a; name(w, e); },
  (w, a) => { const s: Any[] = [{ id: 1 }, { id: 2 }, { id: 3 + a }]; w.root.other = s; w.root.other.push({ id: 9 }); s.shift(); name(w, s); },
  (w, a, b) => { const it = at(w.names, a); if (it !== undefined) put(rowsOf(w.root, b), it, (it) => rowsOf(w.root, b).unshift(it)); },
  (w, a, b) => { const it = at(w.names, a); if (it !== undefined && !Array.isArray(it) && !Object.isFrozen(it)) it.touched = b; },
  (w, a, b) => { const it = at(w.names, a); if (Array.isArray(it) && !Object.isFrozen(it)) it.push({ id: b }); },
  (w, a) => { const list = (w.root.box.made ??= []); list.push({ a }); w.root.box.made.push({ b: a }); },
  (w, a, b) => { const it = at(w.names, a); if (it !== undefined) put(w.root.box, it, (it) => (w.root.box[`k${b % 4}`] = it)); },
  // Drafts in new values, moved, removed, put back.
  (w, a, b) => { const list = rowsOf(w.root, a); const row = at(list, b); if (row !== undefined) { w.root.box.wrapped = { inner: row, all: [row] }; name(w, w.root.box.wrapped); } },
  (w, a, b, c) => { const [out] = rowsOf(w.root, a).splice(b % 5, 1); if (out !== undefined) put(rowsOf(w.root, c), out, (out) => rowsOf(w.root, c).push(out)); },
  (w, a, b) => { const list = rowsOf(w.root, a); w.root[a % 3 === 0 ? "rows" : a % 3 === 1 ? "other" : "spare"] = []; const out = list.pop(); if (out !== undefined) put(w.root.rows, out, (out) => w.root.rows.push(out)); name(w, list); void b; },
  (w, a, b) => { const row = at(rowsOf(w.root, a), b); if (row !== undefined) put(w.root.rows, row, (row) => w.root.rows.push(row, row)); },
  (w, a) => { const { box } = w.root; delete w.root.box; w.root.box = box; box.back = a; },
  (w, a, b) => { const [x, y] = [rowsOf(w.root, a), rowsOf(w.root, b)]; if (x.length > 0 && y.length > 0 && !holds(x[0], y) && !holds(y[0], x)) [x[0], y[0]] = [y[0], x[0]]; },
  // What was published comes back.
  (w, a) => { const state = at(w.published, a); if (state !== undefined) w.root.rows = state.rows; },
  (w, a, b) => { const state = at(w.published, a); if (state !== undefined) w.root.rows = state.rows.map((row: Any, i: number) => (i % 3 === b % 3 ? { ...row, n: b } : row)); },
  (w, a, b) => { const row = at((at(w.published, a)?.rows ?? []) as Any[], b); if (row !== undefined) w.root.other.push(row); },
  (w, a) => { const state = at(w.published, a); if (state !== undefined) Object.assign(w.root, { other: [...state.other, { id: a }] }); },
  // Everyday code.
  (w, a) => { w.root.rows = w.root.rows.filter((_: Any, i: number) => i % 3 !== a % 3); },
  (w, a) => { w.root.rows = w.root.rows.map((row: Any, i: number) => (i === a ? { ...row, mapped: true } : row)); },
  (w) => { w.root.rows = Array.from(w.root.rows); w.root.other = [...w.root.other]; },
  (w, a) => { if (w.root.rows.length > 0) w.root.rows = w.root.rows.with(a % w.root.rows.length, { id: 0 - a }); },
  (w, a) => { w.root.rows.forEach((row: Any, i: number, list: Any) => { if (isRow(row)) row.seen = a; w.log.push(list === w.root.rows && list[i] === row); }); },
  (w, a) => { const { rows } = w.root; for (let i = 0; i + 1 < rows.length; i += 2) [rows[i], rows[i + 1]] = [rows[i + 1], rows[i]]; void a; },
  (w, a) => { const { rows } = w.root; let to = 0; for (let i = 0; i < rows.length; i++) if (i % 2 === a % 2) rows[to++] = rows[i]; rows.length = to; },
  (w, a) => { const { rows } = w.root; for (let i = rows.length - 1; i >= 0; i--) if (i % 2 === a % 2) rows.splice(i, 1); },
  (w, a) => { for (const [i, row] of w.root.rows.entries()) { if (isRow(row)) row.i = i + a; } },
  (w, a) => { let i = 0; for (const row of w.root.rows) { if (i++ > 20) break; if (i === a) w.root.rows.push({ grown: row.id ?? 0 }); } },
  // Identity in callbacks.
  (w, a) => { const order = new Map(w.root.rows.map((row: Any, i: number) => [row, (i * 7 + a) % 11])); w.root.rows.sort((x: Any, y: Any) => (order.get(x) as number) - (order.get(y) as number)); },
  (w, a) => { const selected = at(w.root.rows as Any[], a); w.root.rows.sort((x: Any, y: Any) => Number(y === selected) - Number(x === selected)); },
  (w, a) => { const some = new Set(w.root.rows.slice(0, a)); w.root.other = w.root.rows.filter((row: Any) => some.has(row)); },
  (w, a) => { const { rows } = w.root; const row = at(rows as Any[], a); w.log.push(rows.findIndex((x: Any) => x === row), rows.findLast((x: Any) => x === row) === row, rows.some((x: Any) => x === row), rows.every((x: Any) => x !== row), rows.reduce((n: number, x: Any) => n + Number(x === row), 0), rows.reduceRight((n: number, x: Any) => n + Number(x === row), 0), rows.flatMap((x: Any) => [x, x]).indexOf(row), rows.lastIndexOf(row), rows.at(-1) === rows[rows.length - 1], rows.concat([row]).at(-1) === row, rows.toReversed()[0] === rows.at(-1), [...rows.values()][0] === rows[0], rows.slice(-1)[0] === rows.at(-1)); },
  (w, a) => { const { rows } = w.root; rows.reverse(); rows.copyWithin(0, a % 4, a % 4 + 1); },
  (w, a) => { w.root.rows.fill({ filled: a }, 1, 3); },
  (w) => { w.log.push(JSON.stringify(w.root).length, Object.keys(w.root.box), Object.entries(w.root.box).length, "e" in w.root.box, Object.hasOwn(w.root, "rows"), { ...w.root.box }.e === w.root.box.e); },
  (w, a) => { w.root.rows.length = Math.min(w.root.rows.length, a % 4); },
  (w, a) => { w.root.box[`m${a % 3}`] = a; delete w.root.box[`k${a % 4}`]; },
  (w, a) => { w.root.box["__proto__x"] = a; w.root.box.constructorx = { a }; },
  (w, a) => { w.root.count += a; w.root.text += "é"; },
  (w, a) => { w.root.count = a; w.root.count = 0; },
];

interface Step { what: number; a: number; b: number; c: number }
interface Recipe { steps: Step[]; end: "" | "throw" | "date"; reads: boolean; peeks: boolean }

const isPutBack = ({ what }: Step): boolean => what >= 14 && what <= 17;
const step = fc.record({ what: fc.nat(moves.length - 1), a: fc.nat(12), b: fc.nat(12), c: fc.nat(12) });
const recipe: fc.Arbitrary<Recipe> = fc.record({
  // An array of the recipe's own with frozen rows in it is that very array: its rows can't be written to, so this comes last.
  steps: fc.array(step, { minLength: 1, maxLength: 7 }).map((steps) => [...steps].sort((a, b) => Number(isPutBack(a)) - Number(isPutBack(b)))),
  end: fc.constantFrom("", "", "", "", "throw" as const, "date" as const),
  reads: fc.boolean(),
  peeks: fc.boolean(),
});

const initial = (size: number): Any => ({
  rows: Array.from({ length: size }, (_, id) => ({ id, tags: ["a", { deep: id }] })),
  other: Array.from({ length: 3 }, (_, id) => ({ id: 0 - id })),
  box: { list: [{ id: 77 }], e: { n: 1 } },
  count: 0,
  text: "",
});

const asJson = (value: unknown): Any => JSON.parse(JSON.stringify(value));

/** The same object wherever the two are equal: nothing that didn't change was copied. */
function isShared(before: Any, after: Any): boolean {
  if (typeof before !== "object" || before === null || before === after) return true;
  if (JSON.stringify(before) === JSON.stringify(after)) return false;
  if (typeof after !== "object" || after === null || Array.isArray(before) !== Array.isArray(after)) return true;
  if (Array.isArray(before) && before.length !== after.length) return true;
  return Object.keys(before).every((key) => !(key in after) || isShared(before[key], after[key]));
}

const runs = asked(1500);

const play = (steps: Step[], world: World): void => {
  for (const { what, a, b, c } of steps) moves[what]!(world, a, b, c);
};

/** What a program leaves on plain objects; one object that was put in two places becomes two. */
function onPlain(state: Any, steps: Step[], published: Any[]): { state: Any; log: unknown[] } {
  const world: World = { root: asJson(state), published: published.map(asJson), names: [], log: [] };
  play(steps, world);
  return { state: asJson(world.root), log: world.log };
}

test("a recipe leaves what it leaves on plain objects, and says so in patches that lead there and back", () => {
  fc.assert(
    fc.property(fc.array(recipe, { minLength: 1, maxLength: 5 }), fc.constantFrom(0, 4, 9, 300), fc.constantFrom(false, true, "precise" as const), (recipes, size, arrayDeltaMode) => {
      const tracker = new StateTracker<Any>(initial(size), { arrayDeltaMode });
      let plain = initial(size);
      const published: Any[] = [];
      const baseline = initial(size);
      for (const { steps, end, reads, peeks } of recipes) {
        const expected = onPlain(plain, steps, published);
        const log: unknown[] = [];
        const before = reads ? tracker.getState() : undefined;
        const patch = peeks ? tracker.getPatchText() : undefined;
        const update = (): void => tracker.update((draft) => {
          play(steps, { root: draft, published, names: [], log });
          expect(asJson(current(draft))).toEqual(expected.state);
          if (peeks) expect(tracker.getState()).toEqual(plain);
          if (end === "throw") throw new Error("on purpose");
          if (end === "date") draft.at = new Date(0);
        });
        if (end === "") {
          update();
          expect(log).toEqual(expected.log);
          plain = expected.state;
        } else {
          expect(update).toThrow(end === "throw" ? "on purpose" : "NOT_JSON");
          if (patch !== undefined) expect(tracker.getPatchText()).toBe(patch);
          if (before !== undefined) expect(tracker.getState()).toBe(before);
        }
        if (reads) {
          const state = tracker.getState();
          expect(state).toEqual(plain);
          published.push(state);
        }
      }
      expect(tracker.getState()).toEqual(plain);
      expect(tracker.document().toJSON()).toEqual(plain);
      expectToLead(baseline, tracker.getRFC6902Patches(), plain);
      expectToLead(plain, tracker.getInversePatches(), baseline);
      while (tracker.undo());
      expect(tracker.getState()).toEqual(baseline);
    }),
    runs,
  );
}, 120_000);

test("what a recipe didn't change is the same object afterwards", () => {
  const quiet = moves.flatMap((_, what) => ([1, 4, 22, 26, 36, 38, 39].includes(what) ? [what] : []));
  fc.assert(
    fc.property(fc.array(fc.record({ what: fc.constantFrom(...quiet), a: fc.nat(12), b: fc.nat(12), c: fc.nat(12) }), { maxLength: 3 }), fc.constantFrom(4, 300), (steps, size) => {
      const tracker = new StateTracker<Any>(initial(size));
      const before = tracker.getState();
      tracker.update((draft) => play(steps, { root: draft, published: [], names: [], log: [] }));
      expect(isShared(before, tracker.getState())).toBe(true);
    }),
    runs,
  );
}, 60_000);

test("Immer and Mutative leave the same, where no value has two names and nothing published comes back", () => {
  const common = [8, 9, 18, 19, 20, 21, 23, 24, 25, 26, 29, 31, 32, 35, 38, 39];
  const steps = fc.array(fc.record({ what: fc.constantFrom(...common), a: fc.nat(12), b: fc.nat(12), c: fc.nat(12) }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(steps, fc.constantFrom(0, 4, 9), (steps, size) => {
      const tracker = new StateTracker<Any>(initial(size));
      const run = (draft: Any): void => play(steps, { root: draft, published: [], names: [], log: [] });
      tracker.update(run);
      expect(tracker.getState()).toEqual(asJson(produce(initial(size), run)));
      expect(tracker.getState()).toEqual(asJson(produceWithMutative(initial(size), run)));
    }),
    asked(300),
  );
}, 60_000);

test.each([1, 126_000, 300_000])("%i edits of every kind are taken back whole", (size) => {
  const tracker = new StateTracker<Any>({ list: Array.from({ length: size }, (_, i) => i), map: {} });
  const before = tracker.getState();
  const patch = tracker.getPatchText();
  const edits: ((draft: Any) => void)[] = [
    (d) => { d.list.length = 0; },
    (d) => { d.list.splice(0, size); },
    (d) => { d.list.push(...Array.from({ length: Math.min(size, 60_000) }, () => 7)); },
    (d) => { d.list = []; },
    (d) => { d.list.reverse(); },
    (d) => { for (let i = 0; i < size; i++) d.list[i] = -1; },
    (d) => { for (let i = 0; i < size; i++) d.map[`k${i % 1000}`] = i; },
    (d) => { d.list.sort((a: number, b: number) => b - a); },
    (d) => { while (d.list.length > size / 2) d.list.pop(); },
  ];
  for (const edit of edits) {
    const now = tracker.getState();
    for (const end of [() => { throw new Error("on purpose"); }, (draft: Any) => { draft.bad = Number.NaN; }]) {
      expect(() => tracker.update((draft) => { edit(draft); end(draft); })).toThrow(/on purpose|NOT_JSON/);
      expect(tracker.getState() === now).toBe(true);
    }
    tracker.update((draft) => void edit(draft));
    tracker.update((draft) => { draft.list = before.list; draft.map = before.map; });
  }
  expect(tracker.getState().list.length).toBe(size);
  expect(tracker.getPatchText()).toBe(patch);
}, 120_000);
