import fc from "fast-check";
import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { asked } from "../support/runs.ts";

// How values cross into the core: small containers member by member, larger ones as text; names by number.

const runs = asked(1000);

const name = fc.oneof(fc.constantFrom("a", "b", "id", "toJSON", "__proto__", "constructor", "", "\ud83d", "é"), fc.string({ unit: "binary", maxLength: 4 }));
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, -1.5, 1e21, "", "x".repeat(200), "\ud83d", "é".repeat(80)),
    fc.array(tie("node"), { maxLength: 80 }),
    fc.array(fc.tuple(name, tie("node")), { maxLength: 70 }).map((members) => {
      const object = {};
      for (const [key, member] of members) Object.defineProperty(object, key, { value: member, writable: true, enumerable: true, configurable: true });
      return object;
    }),
  ),
})).node;

test("whatever is assigned arrives", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(value, fc.boolean()), { minLength: 1, maxLength: 6 }), (values) => {
      const tracker = new StateTracker<{ list: unknown[]; last?: unknown }>({ list: [] });
      for (const [one, flushes] of values) {
        tracker.update((draft) => {
          draft.list.push(one, { one });
          draft.last = [one];
        });
        if (flushes) expect(tracker.document().toJSON()).toEqual(tracker.getState());
      }
      expect(JSON.stringify(tracker.document().toJSON())).toBe(JSON.stringify(tracker.getState()));
      expect(tracker.getState().list).toEqual(values.flatMap(([one]) => [one, { one }]));
    }),
    runs,
  );
}, 90_000);

test("names that are data don't fill the tables of names", () => {
  const tracker = new StateTracker<{ byId: object }>({ byId: {} });
  for (let i = 0; i < 300; i++) {
    const byId = Object.fromEntries(Array.from({ length: 20 }, (_, k) => [`id${i}-${k}`, { n: k }]));
    tracker.update((draft) => void (draft.byId = byId));
    expect(tracker.document().toJSON()).toEqual({ byId });
  }
});

test("what isn't JSON on the way may be gone in the end", () => {
  const tracker = new StateTracker<{ a: unknown }>({ a: null });
  tracker.update((draft) => {
    const holder = { date: new Date(0), list: [undefined, NaN, () => 1] as unknown[] };
    draft.a = holder;
    const own = draft.a as typeof holder;
    (own as { date: unknown }).date = "1970";
    own.list.length = 0;
  });
  expect(tracker.document().toJSON()).toEqual({ a: { date: "1970", list: [] } });
  expect(tracker.getState()).toEqual({ a: { date: "1970", list: [] } });
});

test("what is too large in a small container is refused, and nothing is left of it", () => {
  const tracker = new StateTracker<{ a?: unknown }>({}, { limits: { string: 1000, depth: 6 } });
  expect(() => tracker.update((draft) => void (draft.a = { fresh: ["x".repeat(1001)] }))).toThrow(expect.objectContaining({ code: "LIMIT_EXCEEDED" }));
  expect(() => tracker.update((draft) => void (draft.a = [[[[[[1]]]]]]))).toThrow(expect.objectContaining({ code: "LIMIT_EXCEEDED" }));
  tracker.update((draft) => void (draft.a = { fresh: [[[["x".repeat(1000)]]]], other: 1 }));
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
});
