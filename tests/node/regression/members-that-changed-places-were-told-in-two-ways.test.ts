import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Two members that change places were compared without the core, and told as wholes by the core, which took them for items that moved.
test.each(["", "same ".repeat(400)])("objects that change places are told alike, whoever tells it: %#", (text) => {
  const patches = [(): void => {}, (tracker: StateTracker<any>) => void tracker.getStepWrites(), (tracker: StateTracker<any>) => void tracker.getInversePatches()].map((ask) => {
    const tracker = new StateTracker<any>({ a: { i: 1, text }, b: { i: 2, text } });
    tracker.update((draft) => {
      [draft.a, draft.b] = [draft.b, draft.a];
    });
    ask(tracker);
    return tracker.getRFC6902Patches();
  });
  for (const patch of patches) expect(patch).toEqual([{ op: "replace", path: "/a/i", value: 2 }, { op: "replace", path: "/b/i", value: 1 }]);
});
