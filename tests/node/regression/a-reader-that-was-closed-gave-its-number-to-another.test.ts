// A new core numbers its readers from 1 on, and the log may name them before there is one. It named them as the core had that was lost:
// where a reader had been closed, another one's baseline was moved.
import { expect, test } from "vitest";
import { applyPatch, StateTracker, type WriteCursor } from "patchwire";
import { failNow } from "../../support/faults.ts";

interface State {
  n: number;
  list: string[];
}

/** What the reader is told leads from its baseline to the state. */
function expectTold(tracker: StateTracker<State>, reader: WriteCursor, base: State): void {
  expect(applyPatch(base, reader.patchText({ dialect: "extended" }))).toEqual(tracker.getState());
}

test.each([[0, false], [0, true], [1, false], [1, true], [2, true]])("reader %i is closed, after the core was lost: %j", (closed, isAfter) => {
  const tracker = new StateTracker<State>({ n: 0, list: [] }, { arrayDeltaMode: "precise" });
  const readers = [tracker.cursor(), tracker.cursor(), tracker.cursor(), tracker.cursor()];
  const others = readers.filter((_, i) => i !== closed);
  tracker.update((draft) => void (draft.n = 1));
  for (const reader of readers) {
    reader.patchText();
    reader.advance();
  }
  if (!isAfter) readers[closed]!.close();
  failNow();
  // From here on nobody has asked the next core yet.
  tracker.update((draft) => void (draft.n = 2));
  others[0]!.advance();
  if (isAfter) readers[closed]!.close();
  tracker.update((draft) => draft.list.push("x"));
  others[1]!.advance();
  tracker.update((draft) => draft.list.push("y"));
  expectTold(tracker, others[0]!, { n: 2, list: [] });
  expectTold(tracker, others[1]!, { n: 2, list: ["x"] });
  expectTold(tracker, others[2]!, { n: 1, list: [] });
});
