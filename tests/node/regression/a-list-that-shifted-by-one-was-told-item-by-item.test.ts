import { expect, test } from "vitest";
import { applyPatch, StateTracker } from "patchwire";

// A list in which most is equal, so that the end seems to have stayed where it was: what had come to its beginning was told as if each
// scalar behind it had been set.

test.each([3, 8, 20])("one comes to %i lines of a list that is padded, and the last one goes", (lines) => {
  for (const padding of [40, 100, 300]) {
    const log = [...Array.from({ length: lines }, (_, i) => `a line of the log, number ${i}`), ...new Array<null>(padding).fill(null)];
    const tracker = new StateTracker<{ log: (string | null)[] }>({ log });
    tracker.update((draft) => void (draft.log = ["a new line", ...draft.log.slice(0, -1)]));
    const patch = tracker.getRFC6902Patches();
    expect(patch.length).toBeLessThanOrEqual(2);
    expect(applyPatch({ log }, patch)).toEqual({ log: ["a new line", ...log.slice(0, -1)] });
  }
});

test("scalars that are set are told as that", () => {
  const tracker = new StateTracker({ log: Array.from({ length: 100 }, (_, i) => i) });
  tracker.update((draft) => void (draft.log = draft.log.map((n) => (n === 10 || n === 50 || n === 90 ? n + 0.5 : n))));
  expect(tracker.getRFC6902Patches().map(({ op, path }) => `${op} ${path}`)).toEqual(["replace /log/10", "replace /log/50", "replace /log/90"]);
});
