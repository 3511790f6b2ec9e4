import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Reserving room can grow wasm memory, which detaches the view of it that was taken before.

test("logs larger than anything before them arrive whole", () => {
  const tracker = new StateTracker<{ texts: string[] }>({ texts: [] }, { arrayDeltaMode: true });
  for (let size = 1; size < 2 ** 22; size *= 4) {
    tracker.update((draft) => { draft.texts.push("é".repeat(size)); });
    expect(tracker.document().get(`/texts/${tracker.getState().texts.length - 1}`)).toBe(tracker.getState().texts.at(-1));
  }
});
