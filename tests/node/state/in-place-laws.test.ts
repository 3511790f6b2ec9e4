import fc from "fast-check";
import { expect, test } from "vitest";
import { applyPatch, current, StateDocument, StateTracker } from "patchwire";
import { asked } from "../support/runs.ts";

// Large containers that nobody has seen are changed where they are. Whatever a recipe does to them, and however it ends,
// everything is as if they were copied: the same program runs on plain objects.

type Any = any;

interface World {
  root: Any;
  /** Parts of states that were published. */
  published: Any[];
  log: unknown[];
  /** A constant: a draft of one can be written to, a plain object couldn't. */
  fixed: (value: Any) => Any;
  /** What was published, to be put back: changing it there leaves what was published as it is. */
  again: (value: Any) => Any;
}

type Move = (world: World, a: number, b: number) => void;

const SIZE = 300;
const names = ["m7", "7", "__proto__", "constructor", "length", "new"];
/** Mostly a member that is there, and seldom the first or the last one. */
const nameOf = (a: number): string => (a % 5 === 0 ? names[a % names.length]! : `m${(a * 41) % SIZE}`);
const put = (target: Any, key: string, value: unknown): void =>
  void Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
const own = (object: Any, key: string): Any => (Object.hasOwn(object, key) ? object[key] : undefined);

const moves: Move[] = [
  // A map of rows.
  ({ root: { map } }, a, b) => { const row = own(map, nameOf(a)); if (isObject(row)) row.n = b; },
  ({ root: { map } }, a, b) => put(map, nameOf(a), { n: b }),
  ({ root: { map } }, a, b) => put(map, nameOf(a), b),
  ({ root: { map } }, a) => void delete map[nameOf(a)],
  ({ root: { map } }, a, b) => put(map, `n${a}`, { n: b, inner: { list: [b] } }),
  ({ root: { map }, fixed }, a, b) => { put(map, nameOf(a), fixed({ n: b, inner: fixed({ n: 0 }) })); map[nameOf(a)].n++; map[nameOf(a)].inner.n = a; },
  ({ root: { map } }, a, b) => { const row = own(map, nameOf(b)); if (row !== undefined) put(map, nameOf(a), row); },
  ({ root: { map, other } }, a, b) => { const row = own(map, nameOf(a)); put(map, nameOf(a), { n: b }); if (isObject(row)) { row.left = true; other.kept = row; } },
  ({ root: { map } }, a) => { const row = own(map, nameOf(a)); delete map[nameOf(a)]; if (row !== undefined) put(map, nameOf(a), row); },
  ({ root: { map } }, a, b) => { const row = own(map, nameOf(a)); delete map[nameOf(a)]; if (isObject(row)) { row.n = b; put(map, `r${b}`, row); } },
  ({ root: { map } }, a) => { for (const key of Object.keys(map).slice(a, a + 20)) if (isObject(map[key])) map[key].seen = a; },
  ({ root: { map } }, a, b) => { Object.assign(map, { [`m${a}`]: { n: b }, added: { b } }); },
  ({ root }) => { root.map = { ...root.map }; },
  ({ root }, a, b) => { root.map = Object.fromEntries(Object.entries(root.map).filter((_, i) => i % 7 !== a % 7)); put(root.map, "put", { b }); },
  ({ root }) => { root.other.map = root.map; },
  ({ root }, a) => { root.map = root.map.m1 ?? { a }; root.list.push(root.map); },
  ({ root: { map }, log }, a) => void log.push(Object.keys(map).length, nameOf(a) in map, own(map, nameOf(a)) === own(map, nameOf(a)), JSON.stringify(own(map, nameOf(a)))),
  ({ root: { map }, published, again }, a, b) => { const state = published[b % Math.max(published.length, 1)]; const row = state && own(state.map, nameOf(a + 1)); if (row !== undefined) put(map, nameOf(a), again(row)); },
  ({ root, published, again }, a) => { const state = published[a % Math.max(published.length, 1)]; if (state !== undefined) root.map = again(state.map); },
  // A list of rows.
  ({ root: { list } }, a, b) => { const row = list[a % list.length]; if (isObject(row)) row.n = b; },
  ({ root: { list }, fixed }, a, b) => { list[a] = fixed({ n: b }); list[a].n++; list.push(fixed({ end: a })); list.at(-1).end++; },
  ({ root: { list } }, a, b) => { list[a] = list[b]; },
  ({ root: { list } }, a) => void list.push({ a }, a),
  ({ root: { list } }, a) => void list.splice(a, 1),
  ({ root: { list, map } }, a, b) => { for (const row of [list[a], own(map, nameOf(b))]) if (isObject(row)) row.text = "x".repeat(b * 40); },
  ({ root: { list, map } }, a, b) => { const row = list[a]; list[a] = { b }; if (isObject(row)) { row.n = b; put(map, "row", row); } },
];

/** What makes the map an object of the recipe's own, in which frozen rows can't be written to. */
const isMade = ({ what }: { what: number }): boolean => [12, 13, 15, 18].includes(what);

const step = fc.record({ what: fc.nat(moves.length - 1), a: fc.nat(30), b: fc.nat(30) });
const recipe = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) => [...steps].sort((a, b) => Number(isMade(a)) - Number(isMade(b)))),
  end: fc.constantFrom("", "", "", "", "throw", "date"),
  reads: fc.constantFrom(false, false, true),
  takes: fc.constantFrom(false, false, true),
  peeks: fc.constantFrom(false, false, false, true),
  asks: fc.boolean(),
});

/** By how many bytes the state may grow beyond what it begins with. */
const room = fc.oneof(fc.constant(Infinity), fc.nat(600), fc.nat(6_000));

const play = (steps: { what: number; a: number; b: number }[], world: World): void => {
  for (const { what, a, b } of steps) moves[what]!(world, a, b);
};

const initial = (): Any => ({
  map: Object.fromEntries(Array.from({ length: SIZE }, (_, i) => [`m${i}`, i % 9 === 0 ? i : { n: i, inner: { n: i } }])),
  list: Array.from({ length: SIZE }, (_, i) => ({ n: i })),
  other: { n: 0 },
});

const asJson = (value: unknown): Any => JSON.parse(JSON.stringify(value));
/** Not `toEqual`: a failure would print hundreds of members, and the order of members counts. */
const expectSame = (value: unknown, other: unknown): void => expect(JSON.stringify(value) === JSON.stringify(other)).toBe(true);

/** Its values are still JavaScript's, so that the core doesn't know how large it is. */
const ofAnother = (): StateDocument => {
  const other = new StateTracker<Any>(initial());
  other.increment("/other/n", 0);
  return other.document();
};

test.each([["a plain value", initial], ["a document", () => StateDocument.parse(JSON.stringify(initial()))], ["another tracker's document", ofAnother]])("what is changed where it is in %s looks as if it had been copied", (_, begin) => {
  fc.assert(
    fc.property(fc.array(recipe, { minLength: 2, maxLength: 7 }), room, (recipes, room) => {
      let plain = initial();
      const most = JSON.stringify(plain).length + room;
      const tracker = new StateTracker<Any>(begin(), most === Infinity ? {} : { limits: { document: most } });
      // Nothing is large and unseen before something was changed.
      const begun = (draft: Any): void => { draft.map.m1 = { n: 0 }; draft.list[1] = { n: 0 }; };
      const before = [JSON.stringify(plain)];
      tracker.update(begun);
      begun(plain);
      const published: Any[] = [];
      const copies: [copy: Any, text: string][] = [];
      const sent = tracker.cursor();
      let mirror = asJson(plain);
      for (const { steps, end, reads, takes, peeks, asks } of recipes) {
        const world: World = { root: asJson(plain), published: published.map(asJson), log: [], fixed: (value) => value, again: (value) => structuredClone(value) };
        // Somebody takes a copy half-way, which later changes don't reach.
        const half = steps.length >> 1;
        play(steps.slice(0, half), world);
        const text = JSON.stringify(world.root);
        play(steps.slice(half), world);
        const log: unknown[] = [];
        const update = (): void => tracker.update((draft) => {
          const drafted: World = { root: draft, published, log, fixed: Object.freeze, again: (value) => value };
          play(steps.slice(0, half), drafted);
          if (takes) copies.push([current(draft), text]);
          play(steps.slice(half), drafted);
          if (peeks) {
            expectSame(current(draft), world.root);
            expectSame(tracker.getState(), plain);
            expectSame(current(draft), world.root);
          }
          if (end === "throw") throw new Error("on purpose");
          if (end === "date") draft.map.at = new Date(0);
        });
        before.push(JSON.stringify(plain));
        if (end === "" && JSON.stringify(world.root).length > most) expect(update).toThrow("LIMIT_EXCEEDED");
        else if (end === "") {
          update();
          expect(log).toEqual(world.log);
          plain = asJson(world.root);
        } else expect(update).toThrow(end === "throw" ? "on purpose" : "NOT_JSON");
        if (asks) {
          const patch = sent.patches();
          sent.advance();
          mirror = applyPatch(mirror, patch);
          expect(mirror).toEqual(plain);
        }
        if (reads) {
          const state = tracker.getState();
          expectSame(state, plain);
          published.push(state);
        }
      }
      const states = published.map((state) => JSON.stringify(state));
      expect(copies.every(([copy, text]) => JSON.stringify(copy) === text)).toBe(true);
      expectSame(tracker.getState(), plain);
      expect(tracker.document().toJSON()).toEqual(plain);
      while (tracker.undo());
      // What a step may hold is bounded by the limit as well.
      if (most === Infinity) expect(tracker.getState()).toEqual(initial());
      else expect(before.map((text): unknown => JSON.parse(text))).toContainEqual(tracker.getState());
      expect(published.map((state) => JSON.stringify(state))).toEqual(states);
    }),
    asked(400),
  );
}, 120_000);
