import fc from "fast-check";
import { expect, test } from "vitest";
import { diff, StateTracker } from "patchwire";
import { expectToLead } from "../support/libraries.ts";
import { asked } from "../support/runs.ts";

// fast-json-patch and rfc6902 look a move's target up before they remove the value. `/2/0` wasn't there while the value was at `/1`, and
// fast-json-patch said so; where another item had that index, rfc6902 put the value into that one without a word.

type Any = any;
const row = (id: number) => ({ id, text: `row ${id}, long enough that moving it is shorter than telling it again` });

test("values that move into items after them get there in other libraries too", () => {
  const start = [row(1), row(2), 0, [row(3)], { held: {} }] as Any[];
  const tracker = new StateTracker<Any>(start, { arrayDeltaMode: "precise" });
  tracker.update((draft: Any) => {
    const [item] = draft.splice(1, 1);
    draft[2][0].n = item;
  });
  const patch = tracker.getRFC6902Patches();
  expect(patch).toEqual([{ op: "copy", from: "/1", path: "/3/0/n" }, { op: "remove", path: "/1" }]);
  expect(tracker.getRFC6902Patches({ dialect: "extended" })).toEqual([{ op: "move", from: "/1", path: "/2/0/n" }]);
  const end = tracker.getState();
  for (const patch of [tracker.getRFC6902Patches(), diff(start, end)]) expectToLead(start, patch, end);
  expectToLead(end, tracker.getInversePatches(), start);
});

test("an item that is dragged into one after it isn't put into another one", () => {
  const before = { list: [{ id: "a", label: "the first item, which is dragged", children: [] }, { id: "b", children: [] }, { id: "c", children: [] }] as Any[] };
  const tracker = new StateTracker(before);
  tracker.update((draft) => {
    const [first] = draft.list.splice(0, 1);
    draft.list[1].children.push(first);
  });
  expectToLead(before, tracker.getRFC6902Patches(), tracker.getState());
});

/** A tree, and what is dragged where in it. */
const tree = fc.letrec((tie) => ({
  item: fc.record({ id: fc.uuid(), label: fc.string({ maxLength: 30 }), children: fc.oneof({ maxDepth: 3, withCrossShrink: true }, fc.constant([]), fc.array(tie("item"), { maxLength: 4 })) }),
})).item;
const drags = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { minLength: 1, maxLength: 4 });

test("trees whose items are dragged about lead to the same in all libraries, there and back", () => {
  fc.assert(fc.property(fc.array(tree, { minLength: 1, maxLength: 4 }), drags, (items, drags) => {
    const before = { items: items as Any[] };
    const tracker = new StateTracker<Any>(structuredClone(before), { arrayDeltaMode: "precise" });
    const listsIn = (items: Any[]): Any[][] => [items, ...items.flatMap((item) => listsIn(item.children))];
    tracker.update((draft) => {
      for (const [from, to, at] of drags) {
        const sources = listsIn(draft.items).filter((list) => list.length > 0);
        const source = sources[from % sources.length];
        if (source === undefined) continue;
        const [item] = source.splice(at % source.length, 1);
        const targets = listsIn(draft.items);
        const target = targets[to % targets.length]!;
        target.splice(from % (target.length + 1), 0, item);
      }
    });
    const after = tracker.getState();
    expectToLead(before, tracker.getRFC6902Patches(), after);
    expectToLead(after, tracker.getInversePatches(), before);
    expectToLead(before, diff(before, structuredClone(after)), after);
  }), asked(400));
});
