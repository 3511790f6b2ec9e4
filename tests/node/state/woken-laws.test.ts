import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { StateDocument } from "patchwire";
import { DurableStateStore, memoryStorage, type SyncedState } from "patchwire/durable-objects";
import { clone, json, step, type Json, type Step } from "../support/program.ts";
import { performUnread } from "../support/unread-program.ts";
import { asked } from "../support/runs.ts";

// Whatever is done to a state that has just been read from its rows, of which nothing is read but what is looked at, is as if
// it had been done to a plain value: in objects of so many members that names and members have chunks of their own, and with strings
// that have.

interface Life {
  recipes: { steps: Step[]; fails: boolean; reads: boolean }[];
}

const life: fc.Arbitrary<Life> = fc.record({
  recipes: fc.array(fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 4 }), fails: fc.boolean(), reads: fc.integer({ min: 0, max: 3 }).map((n) => n === 0) }), { minLength: 1, maxLength: 3 }),
});

/** Strings that have chunks of their own. */
const long = fc.integer({ min: 0, max: 9 }).map((n): Json => `${n} long`.repeat(14_000));

/** Some members that programs meet, and many others. */
const wide = fc.tuple(fc.array(fc.oneof({ weight: 4, arbitrary: json }, { weight: 1, arbitrary: long }, { weight: 1, arbitrary: fc.array(fc.oneof(json, long), { maxLength: 4 }) }), { minLength: 1, maxLength: 4 }), fc.integer({ min: 900, max: 1_300 }), fc.boolean()).map(([met, count, isInside]): Json => {
  const text = "x".repeat(80);
  const members = Object.fromEntries([...met.map((value, i): [string, Json] => [`a${i}`, value]), ...Array.from({ length: count }, (_, i): [string, Json] => [`n${i}`, i % 3 === 0 ? [i, text] : text + i])]);
  return isInside ? { list: [1], text: clone(met[0]!), map: members } : members;
});

test("a wide state that has just woken is like a plain one", async () => {
  await fc.assert(
    fc.asyncProperty(wide, fc.array(life, { minLength: 1, maxLength: 4 }), async (first, lives) => {
      const storage = memoryStorage();
      await new DurableStateStore(storage).createSession("s", { customState: first as Record<string, unknown> });
      let plain = first;
      for (const { recipes } of lives) {
        const state = new DurableStateStore(storage).synced("s") as unknown as SyncedState<Json>;
        for (const { steps, fails, reads } of recipes) {
          const next = clone(plain);
          const change = (): unknown => state.update((draft) => {
            for (const one of steps) performUnread(draft as Json, next, one);
            if (fails) throw new RangeError("stop");
          });
          if (fails) expect(change).toThrow("stop");
          else {
            change();
            plain = JSON.parse(JSON.stringify(next)) as Json;
          }
          if (reads) expect(JSON.stringify(state.getState())).toBe(JSON.stringify(plain));
        }
      }
      const state = new DurableStateStore(storage).synced("s");
      expect(JSON.stringify(state.getState())).toBe(JSON.stringify(plain));
    }),
    asked(150),
  );
}, 90_000);

test("members that were asked for by name are forgotten when they are many, and nothing else is", async () => {
  const storage = memoryStorage();
  type Wide = Record<string, { n: number }>;
  const first = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`old ${i}`, { n: i, text: "x".repeat(60) }]));
  await new DurableStateStore(storage).createSession("s", { customState: first });
  const state = new DurableStateStore(storage).synced<Wide>("s");
  const documents = StateDocument.prototype as unknown as { member(path: number[], name: string): unknown };
  const asked = vi.spyOn(documents, "member");
  for (let i = 0; i < 10_000; i++) state.update((draft) => void (draft[`new ${i}`] = { n: i }));
  state.update((draft) => {
    expect([draft["new 1"]!.n, draft["new 9999"]!.n, draft["old 5"]!.n, draft["new 10000"]]).toEqual([1, 9_999, 5, undefined]);
    draft["new 1"]!.n = -1;
    delete draft["old 5"];
  });
  const times = (name: string): number => asked.mock.calls.filter((call) => call[1] === name).length;
  expect([times("new 1"), times("new 9999")]).toEqual([2, 1]);
  asked.mockRestore();
  const seen = state.getState();
  expect(Object.keys(seen)).toEqual([...Object.keys(first).filter((name) => name !== "old 5"), ...Array.from({ length: 10_000 }, (_, i) => `new ${i}`)]);
  expect(seen["new 1"]).toEqual({ n: -1 });
  // What somebody has seen stays what it is.
  for (let i = 0; i < 9_000; i++) state.update((draft) => void (draft[`more ${i}`] = { n: i }));
  expect(state.getState()["old 7"]).toBe(seen["old 7"]);
});
