import { expect, test } from "vitest";
import { applyPatch, StateTracker } from "patchwire";
import { failNow } from "../../support/faults.ts";

// A reader that is told `ENGINE_LOST` takes the state as it is. What had been changed between the loss and the error was in that state,
// and was told to it afterwards once more.

test("who takes the state after a loss is told what comes after that, and nothing twice", () => {
  const tracker = new StateTracker({ list: ["a"] });
  const cursor = tracker.cursor();
  tracker.update((draft) => void draft.list.push("b"));
  failNow();
  expect(() => tracker.getStepWrites()).toThrow(expect.objectContaining({ code: "ENGINE_LOST" }));
  tracker.update((draft) => void draft.list.push("c"));
  expect(() => cursor.stepWrites()).toThrow(expect.objectContaining({ code: "ENGINE_LOST" }));
  let follower: unknown = tracker.getState();
  expect(cursor.patches()).toEqual([]);
  for (const item of ["d", "e"]) {
    tracker.update((draft) => void draft.list.push(item));
    expect(JSON.stringify(cursor.stepWrites().ops)).not.toContain('"c"');
    follower = applyPatch(follower, cursor.patches());
    expect(follower).toEqual(tracker.getState());
    cursor.advance();
  }
});
