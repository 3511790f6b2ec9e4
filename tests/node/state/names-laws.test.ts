// The names of an object are known for as long as nothing adds one or takes one away: whatever does must be noticed.
import fc from "fast-check";
import { expect, test } from "vitest";
import { current, StateTracker } from "patchwire";
import { asked } from "../support/runs.js";

type Rows = Record<string, unknown>;
const start = (count: number): Rows => Object.fromEntries(Array.from({ length: count }, (_, i) => [`row${i}`, i % 3 === 0 ? { id: i, tags: ["a"] } : i]));
const name = fc.oneof(fc.integer({ min: 0, max: 40 }).map((i) => `row${i}`), fc.constantFrom("7", "new", "__proto__", "constructor", "length"));

const steps = {
  set: (rows: Rows, key: string, i: number) => void put(rows, key, -i - 1),
  object: (rows: Rows, key: string, i: number) => void put(rows, key, { id: i }),
  delete: (rows: Rows, key: string) => void delete rows[key],
  edit(rows: Rows, key: string, i: number) {
    const row = Object.hasOwn(rows, key) ? (rows[key] as { id: number } | undefined) : undefined;
    if (typeof row === "object") row.id = i + 1;
  },
  move(rows: Rows, key: string) {
    if (!Object.hasOwn(rows, key)) return;
    const row = rows[key];
    delete rows[key];
    put(rows, key, row);
  },
};
const put = (rows: Rows, key: string, value: unknown): void => void Object.defineProperty(rows, key, { value, writable: true, enumerable: true, configurable: true });
const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

test("an object of many members has the members of a plain one, in their order, whatever is done to it", () => {
  const kinds = fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[]));
  const one = fc.record({ work: fc.array(fc.tuple(kinds, name), { minLength: 1, maxLength: 4 }), way: fc.constantFrom("update", "update", "update", "throw", "apply", "undo", "put back", "frozen"), isSeen: fc.boolean() });
  fc.assert(
    fc.property(fc.constantFrom(15, 20, 300, 1_019, 1_025, 1_100, 1_100), fc.array(one, { minLength: 1, maxLength: 25 }), (count, all) => {
      const tracker = new StateTracker<{ rows: Rows }>({ rows: start(count) }, { own: true });
      let model: Rows = start(count);
      let frozen = tracker.getState().rows;
      const past: Rows[] = [];
      const remember = (before: Rows) => JSON.stringify(before) !== JSON.stringify(model) && past.push(before);
      all.forEach(({ work, way, isSeen }, i) => {
        const before = structuredClone(model);
        const run = (rows: Rows) => work.forEach(([kind, key]) => steps[kind](rows, key, i));
        if (way === "update") {
          tracker.update((draft) => run(draft.rows));
          run(model);
          remember(before);
        } else if (way === "throw") {
          expect(() => tracker.update((draft) => (run(draft.rows), JSON.parse("oops")))).toThrow();
        } else if (way === "apply") {
          const key = work[0]![1];
          tracker.apply([{ op: "add", path: `/rows/${escaped(key)}`, value: i }]);
          put(model, key, i);
          remember(before);
        } else if (way === "undo") {
          if (past.length > 0 && tracker.undo()) model = past.pop()!;
          // The order of members isn't kept.
          expect(tracker.getState().rows).toEqual(model);
          model = structuredClone(tracker.getState().rows);
          past.length = 0;
        } else if (way === "put back") {
          tracker.update((draft) => void (draft.rows = structuredClone(frozen)));
          model = structuredClone(frozen);
          remember(before);
        } else {
          // A snapshot of a draft is its caller's, who may give it other names before it comes back.
          let copy: Rows = {};
          tracker.update((draft) => {
            run(draft.rows);
            copy = current(draft.rows) as Rows;
            // What the recipe left as it was is the state itself.
            if (Object.isFrozen(copy)) copy = { ...copy };
          });
          run(model);
          put(copy, `later${i}`, i);
          Object.freeze(copy);
          tracker.update((draft) => void (draft.rows = copy as never));
          model = structuredClone(copy);
          past.length = 0;
          frozen = tracker.getState().rows;
          expect(Object.hasOwn(frozen, `later${i}`)).toBe(true);
        }
        if (isSeen) expect(JSON.stringify(tracker.getState().rows)).toBe(JSON.stringify(model));
      });
      expect(JSON.stringify(tracker.getState().rows)).toBe(JSON.stringify(model));
    }),
    asked(120),
  );
});
