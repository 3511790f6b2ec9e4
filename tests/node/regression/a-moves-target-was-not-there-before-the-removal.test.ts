import { applyPatch as applyWithPeer } from "fast-json-patch";
import { immutableJSONPatch } from "immutable-json-patch";
import { expect, test } from "vitest";
import { applyPatch, diff, StateTracker } from "patchwire";

// fast-json-patch looks a move's target up before it removes the value: `/2/0` wasn't there while the value was at `/1`.

const row = (id: number) => ({ id, text: `row ${id}, long enough that moving it is shorter than telling it again` });

test("values that move into items after them get there in other libraries too", () => {
  const start = [row(1), row(2), 0, [row(3)], { held: {} }] as any[];
  const tracker = new StateTracker<any>(start, { arrayDeltaMode: "precise" });
  tracker.update((draft: any) => {
    const [item] = draft.splice(1, 1);
    draft[2][0].n = item;
  });
  const patch = tracker.getRFC6902Patches();
  expect(patch).toEqual([{ op: "remove", path: "/1" }, { op: "add", path: "/2/0/n", value: row(2) }]);
  expect(tracker.getRFC6902Patches({ dialect: "extended" })).toEqual([{ op: "move", from: "/1", path: "/2/0/n" }]);
  const end = tracker.getState();
  for (const patch of [tracker.getRFC6902Patches(), diff(start, end)]) {
    expect(applyPatch(start, patch)).toEqual(end);
    expect(applyWithPeer(structuredClone(start), structuredClone(patch) as never, true).newDocument).toEqual(end);
    expect(immutableJSONPatch(start, patch as never)).toEqual(end);
  }
  expect(applyWithPeer(structuredClone(end) as any, tracker.getInversePatches() as never, true).newDocument).toEqual(start);
});
