import fc from "fast-check";
import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage, type SyncedState } from "patchwire/durable-objects";
import { clone, json, step, type Json, type Step } from "../support/program.ts";
import { performUnread } from "../support/unread-program.ts";
import { asked } from "../support/runs.ts";

// Whatever is done to a state that has just been read from its rows, of which nothing is read but what is looked at, is as if
// it had been done to a plain value: in objects of so many members that names and members have chunks of their own.

interface Life {
  recipes: { steps: Step[]; fails: boolean; reads: boolean }[];
}

const life: fc.Arbitrary<Life> = fc.record({
  recipes: fc.array(fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 4 }), fails: fc.boolean(), reads: fc.integer({ min: 0, max: 3 }).map((n) => n === 0) }), { minLength: 1, maxLength: 3 }),
});

/** Some members that programs meet, and many others. */
const wide = fc.tuple(fc.array(json, { minLength: 1, maxLength: 4 }), fc.integer({ min: 900, max: 1_300 }), fc.boolean()).map(([met, count, isInside]): Json => {
  const text = "x".repeat(80);
  const members = Object.fromEntries([...met.map((value, i): [string, Json] => [`a${i}`, value]), ...Array.from({ length: count }, (_, i): [string, Json] => [`n${i}`, i % 3 === 0 ? [i, text] : text + i])]);
  return isInside ? { list: [1], map: members } : members;
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
