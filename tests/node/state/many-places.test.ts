import fc from "fast-check";
import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { clone, onPlain, perform, step, type Json } from "../support/program.ts";
import { asked } from "../support/runs.ts";

// Containers in which many parts were touched, read or unread in between: every version reads as on a plain object.

const SIZE = 60;

const initial = (): Json => ({
  list: Array.from({ length: SIZE }, (_, i) => ({ i })),
  map: Object.fromEntries(Array.from({ length: SIZE }, (_, i) => [`m${i}`, [i]])),
});

interface Round {
  steps: (Parameters<typeof perform>[1])[];
  fails: boolean;
  reads: boolean;
  isKept: boolean;
}

const rounds: fc.Arbitrary<Round[]> = fc.array(
  fc.record({
    steps: fc.array(fc.tuple(step, fc.nat(2 * SIZE + 2), fc.nat(2 * SIZE + 2)).map(([one, place, other]) => ({ ...one, place, other })), { minLength: 1, maxLength: 4 }),
    fails: fc.boolean(),
    reads: fc.boolean(),
    isKept: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);


test("every version of containers with many touched parts reads as on a plain object", () => {
  fc.assert(
    fc.property(rounds, (program) => {
      let plain = initial();
      const tracker = new StateTracker(initial(), { arrayDeltaMode: "precise" });
      const touchAll = (state: Json): void => {
        const { list, map } = state as { list: { seen?: true }[]; map: Record<string, number[]> };
        for (const item of list) item.seen = true;
        for (const item of Object.values(map)) item.push(-1);
      };
      touchAll(plain);
      tracker.update((draft) => touchAll(draft as Json));
      tracker.getState();
      const kept: [state: unknown, text: string][] = [];
      for (const { steps, fails, reads, isKept } of program) {
        const before = tracker.getState();
        if (fails) {
          expect(() => tracker.update((draft) => {
            for (const one of steps) perform(draft as Json, one);
            throw new Error("taken back");
          })).toThrow("taken back");
          expect(tracker.getState()).toBe(before);
          continue;
        }
        plain = onPlain(plain, [steps]);
        tracker.update((draft) => steps.forEach((one) => perform(draft as Json, one)));
        if (reads) expect(tracker.getState()).toEqual(clone(plain));
        if (isKept) kept.push([tracker.getState(), JSON.stringify(plain)]);
      }
      expect(tracker.getState()).toEqual(clone(plain));
      expect(tracker.document().toJSON()).toEqual(JSON.parse(JSON.stringify(plain)));
      for (const [state, text] of kept.reverse()) expect(JSON.stringify(state)).toBe(text);
    }),
    asked(600),
  );
}, 90_000);

test("what changed between two readings, and only that, is another object", () => {
  const tracker = new StateTracker({ list: Array.from({ length: 100 }, (_, i) => ({ i, tags: [i] })) });
  tracker.update((draft) => draft.list.forEach((item) => void (item.i += 1)));
  const before = tracker.getState().list;
  tracker.update((draft) => { draft.list[40]!.tags.push(1); draft.list.unshift(draft.list.pop()!); });
  const after = tracker.getState().list;
  expect(after[0]).toBe(before[99]);
  expect(after.slice(1).map((item, i) => item === before[i])).toEqual(before.slice(0, 99).map((_, i) => i !== 40));
  expect(after[41]!.tags).toEqual([40, 1]);
});
