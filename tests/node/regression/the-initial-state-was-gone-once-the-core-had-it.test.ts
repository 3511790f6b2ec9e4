import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";

// What makes a tracker ask the core at once (a document, declared pointers, a large state) left its own state null.

test.each([
  ["a document", () => new StateTracker<any>(StateDocument.parse('{"n":1}'))],
  ["counters", () => new StateTracker<any>({ n: 1 }, { counters: ["/n"] })],
  ["texts", () => new StateTracker<any>({ n: 1 }, { texts: ["/n"] })],
  ["a large state", () => new StateTracker<any>({ n: 1, large: "x".repeat(6_000_000) })],
])("%s", (_, make) => {
  const tracker = make();
  expect(tracker.getState().n).toBe(1);
  tracker.update((draft) => { draft.n = 2; });
  expect(tracker.getState().n).toBe(2);
  expect(tracker.document().get("/n")).toBe(2);
});
