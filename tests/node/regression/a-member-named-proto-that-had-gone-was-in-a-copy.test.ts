import { expect, test } from "vitest";
import { current, StateTracker } from "patchwire";

// A copy of a draft looks at the members that were written to. Of one that had gone it found what all objects inherit.

test("a member named __proto__ that was read and removed isn't in a copy of the draft", () => {
  const tracker = new StateTracker<Record<string, { n: number }>>(JSON.parse('{"a":{"n":1},"__proto__":{"n":2}}') as Record<string, { n: number }>);
  tracker.update((draft) => {
    draft["__proto__"]!.n = 3;
    delete draft["__proto__"];
    expect(Object.keys(current(draft))).toEqual(["a"]);
  });
});
