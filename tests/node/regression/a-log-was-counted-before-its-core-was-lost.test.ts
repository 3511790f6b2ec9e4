// What was counted of a long log, before a core was found to be lost that takes the log along, was dropped from it afterwards:
// its length was below zero, and what came later was told wrongly or not at all.
import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { failAt, hasFailed } from "../../support/faults.ts";

type Row = { id: number; n: number };
const rows = (n: number): Row[] => Array.from({ length: 4_200 }, (_, id) => ({ id, n }));

/** Does it whatever fails: what is asked of a core that is lost says so once. */
function attempt(run: () => void): void {
  try {
    run();
  } catch (error) {
    expect(error).toMatchObject({ code: "ENGINE_LOST" });
  }
}

test.each(["thousands of places at once", "thousands of recipes"])("%s: whichever call fails, the tracker goes on", (what) => {
  for (let failing = 1, isDone = false; !isDone; failing++) {
    const tracker = new StateTracker<{ n: number; rows: Row[] }>({ n: 0, rows: rows(0) }, { history: what === "thousands of recipes" ? 0 : 100 });
    tracker.update((draft) => void (draft.n = 1));
    attempt(() => tracker.getPatchText());
    attempt(() => tracker.resetTracking());
    failAt(failing);
    for (let step = 2; step < 5; step++) {
      if (what === "thousands of recipes") {
        for (let i = 0; i < 2_200; i++) {
          tracker.update((draft) => void (draft.n = i));
          attempt(() => tracker.resetTracking());
        }
      } else tracker.update((draft) => draft.rows.forEach((row) => void (row.n = step)));
      attempt(() => tracker.resetTracking());
      tracker.update((draft) => void (draft.n = step));
      attempt(() => tracker.resetTracking());
    }
    isDone = !hasFailed();
    failAt(Infinity);
    attempt(() => tracker.getPatchText());
    tracker.resetTracking();
    tracker.update((draft) => void (draft.rows[0]!.n = -1));
    expect(tracker.getPatchText()).toBe('[{"op":"replace","path":"/rows/0/n","value":-1}]');
    const expected = { n: 4, rows: rows(what === "thousands of recipes" ? 0 : 4) };
    expected.rows[0]!.n = -1;
    expect(tracker.getState()).toEqual(expected);
    expect(tracker.document().toJSON()).toEqual(expected);
  }
}, 60_000);
