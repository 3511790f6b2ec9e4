import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// What a stream brings may nest deeper than all that was there. That wasn't noted, so that a tracker with a lower limit took the state.

test("a tracker doesn't take a state that is over its limit of depth", () => {
  const tracker = new StateTracker({ big: "x".repeat(20_000), s: null as unknown });
  const stream = tracker.stream("/s");
  stream.write(`${"[".repeat(300)}"t"${"]".repeat(300)}`);
  stream.end();
  const state = tracker.getState();
  expect(() => new StateTracker(state, { limits: { depth: 100 } })).toThrow(expect.objectContaining({ code: "LIMIT_EXCEEDED" }));
  expect(new StateTracker(state, { limits: { depth: 302 } }).getState()).toBe(state);
});
