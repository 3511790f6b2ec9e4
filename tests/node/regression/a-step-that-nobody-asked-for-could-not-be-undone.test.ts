import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// What a recipe set and the next one set anew never crossed into the core, where nobody could ask for it any more. By default
// somebody can: `undo` takes back 100 steps. It took all of these back at once.

test("undo takes back one recipe at a time, whatever was asked and reset between them", () => {
  const tracker = new StateTracker({ n: 0, text: "" });
  for (let i = 1; i <= 5; i++) {
    tracker.update((draft) => { draft.n = i; });
    tracker.getRFC6902Patches();
    tracker.resetTracking();
  }
  for (let i = 4; i >= 0; i--) {
    expect(tracker.undo()).toBe(true);
    expect(tracker.getState().n).toBe(i);
  }
  expect(tracker.undo()).toBe(false);
  for (let i = 1; i <= 5; i++) {
    tracker.redo();
    expect(tracker.getState().n).toBe(i);
  }
});

test("without a history there is nothing to take back", () => {
  const tracker = new StateTracker({ n: 0 }, { history: 0 });
  for (let i = 1; i <= 5; i++) {
    tracker.update((draft) => { draft.n = i; });
    tracker.resetTracking();
  }
  expect(tracker.undo()).toBe(false);
  expect(tracker.document().toJSON()).toEqual({ n: 5 });
});
