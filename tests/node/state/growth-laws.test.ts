import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { StateTracker } from "patchwire";
import { weightOf } from "../../../pkg/dist/json/size.js";
import { Headroom } from "../../../pkg/dist/tracker/headroom.js";
import { json, perform, step, type Json } from "../support/program.ts";
import { asked } from "../support/runs.ts";

// What a recipe is measured as bounds by how much the state grew, whatever was moved, wrapped, or put in several places: a limit that is
// near is found by that alone.

const depthOf = (value: Json): number => (typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0);

test("a state grows by no more than its changes were measured as", () => {
  const isNear = vi.spyOn(Headroom.prototype, "isNear");
  const programs = fc.array(fc.tuple(fc.array(step, { minLength: 1, maxLength: 6 }), fc.boolean()), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(json.filter((value) => typeof value === "object" && value !== null), programs, (start, recipes) => {
      const tracker = new StateTracker<Json & object>(start as Json & object);
      for (const [recipe, readsBefore] of recipes) {
        const before = tracker.getState() as Json;
        isNear.mockClear();
        tracker.update((draft) => {
          // A part of the state itself, which has no place.
          if (readsBefore && Array.isArray(draft) && Array.isArray(before)) draft.splice(0, draft.length, ...before.slice(1), ...draft.slice(0, 2));
          recipe.forEach((one) => perform(draft as Json, one));
        });
        const after = tracker.getState() as Json;
        const measure = isNear.mock.calls.at(-1)?.[0];
        expect(weightOf(after)).toBeLessThanOrEqual(weightOf(before) + (measure?.bytes ?? 0));
        expect(depthOf(after)).toBeLessThanOrEqual(Math.max(depthOf(before), measure?.depth ?? 0));
      }
    }),
    asked(3_000),
  );
  isNear.mockRestore();
}, 90_000);
