import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// How long a value's text is was asked of `String(value)` for objects, too, where nothing was done with the answer: an object with
// a member of that name threw the platform's TypeError.

test("what a member is called doesn't matter to patches", () => {
  const tracker = new StateTracker<{ tool: unknown; n: number }>({ tool: null, n: 0 });
  const tool = { name: "fmt", toString: "returns text", valueOf: 1, list: [{ toString: null }] };
  tracker.update((draft) => {
    draft.tool = tool;
    draft.n++;
  });
  expect(tracker.getRFC6902Patches()).toEqual([
    { op: "replace", path: "/tool", value: tool },
    { op: "replace", path: "/n", value: 1 },
  ]);
});
