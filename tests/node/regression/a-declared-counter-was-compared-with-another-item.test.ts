import { expect, test } from "vitest";
import { applyPatch, applyStepWrites, StateTracker } from "patchwire";

test("declared counters and texts in items that changed places", () => {
  const before = { items: [{ n: 1, text: "a" }, { n: 5, text: "ab" }, { n: 9, text: "b".repeat(200) }] };
  const options = { arrayDeltaMode: "precise" as const, counters: ["/items/*/n"], texts: ["/items/*/text"] };
  const tracker = new StateTracker<typeof before>(before, options);
  tracker.update((draft) => {
    draft.items.unshift({ n: 100, text: "" });
    draft.items[1]!.text = "abc";
    draft.items[2]!.n = 6;
  });
  const writes = tracker.getStepWrites();
  expect(writes.ops.slice(1)).toEqual([
    { kind: "append_text", key: "items", path: "/items/1/text", text: "bc" },
    { kind: "increment", key: "items", path: "/items/2/n", by: 1 },
  ]);
  expect(applyStepWrites(before, writes).state).toEqual(tracker.getState());
  expect(applyPatch(before, tracker.getRFC6902Patches())).toEqual(tracker.getState());
});
