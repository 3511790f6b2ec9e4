import fc from "fast-check";
import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { asked } from "../support/runs.ts";

// V8 keeps objects with many members as dictionaries; the order of their keys is remembered for publishing them.

const runs = asked(100);

type Wide = Record<string, unknown>;
interface Change {
  sets: string[];
  deletes: string[];
  end: "commit" | "throw" | "publish";
}

const name = fc.oneof(fc.constantFrom("7", "07", "__proto__", "constructor", "a"), fc.nat({ max: 1100 }).map((i) => `member${i}`));
const change: fc.Arbitrary<Change> = fc.record({
  sets: fc.array(name, { maxLength: 4 }),
  deletes: fc.array(name, { maxLength: 3 }),
  end: fc.constantFrom("commit", "throw", "publish"),
});

function put(object: Wide, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

function carryOut({ sets, deletes }: Change, object: Wide, n: number, write: (object: Wide, key: string, value: unknown) => void): void {
  for (const key of sets) write(object, key, n);
  for (const key of deletes) delete object[key];
  for (const key of sets.slice(2)) write(object, key, { n });
}

/** Not `toBe`: a failure would print a thousand members. */
const isWritten = (state: Wide, text: string): boolean => JSON.stringify(state) === text;

test.each([60, 70, 1000, 1100])("members come to %i others and go in the order in which they do in a plain object", (size) => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
      let plain: Wide = Object.fromEntries(Array.from({ length: size }, (_, i) => [`member${i}`, i]));
      const tracker = new StateTracker<Wide>(plain);
      const versions: [kept: Wide, text: string][] = [];
      changes.forEach((one, n) => {
        const next = { ...plain };
        carryOut(one, next, n, put);
        const update = (): Wide => {
          tracker.update((draft) => {
            // On a draft every name is an own member's.
            carryOut(one, draft, n, (object, key, value) => void (object[key] = value));
            if (one.end === "throw") throw new RangeError("on purpose");
          });
          return tracker.getState();
        };
        if (one.end === "throw") expect(update).toThrow("on purpose");
        else {
          versions.push([update(), JSON.stringify(next)]);
          plain = next;
        }
        if (one.end === "publish") expect(isWritten(tracker.getState(), JSON.stringify(plain))).toBe(true);
        expect(Object.getPrototypeOf(tracker.getState())).toBe(Object.prototype);
      });
      expect(isWritten(tracker.getState(), JSON.stringify(plain))).toBe(true);
      for (const [kept, text] of versions.reverse()) expect(isWritten(kept, text)).toBe(true);
    }),
    runs,
  );
}, 60_000);

test("what a recipe put in beside thousands of members, frozen or not, holds what is the recipe's own", () => {
  const tracker = new StateTracker<Wide>(Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`member${i}`, { n: i }])));
  const own = { n: 1 };
  tracker.update((draft) => {
    draft.own = Object.freeze({ inner: own });
    expect((draft.own as Wide).inner).toBe(own);
    draft.member1 = draft.own;
    expect((draft.member1 as Wide).inner).toBe(own);
    (draft.member2 as Wide).n = "written";
    expect((draft.member3 as Wide).n).toBe(3);
    own.n = 2;
  });
  const { member1, member2, member3 } = tracker.getState();
  expect([member1, member2, member3]).toEqual([{ inner: { n: 2 } }, { n: "written" }, { n: 3 }]);
});
