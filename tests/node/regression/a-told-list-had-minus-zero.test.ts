import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// JSON has no -0: a patch has the same values as objects and as text, whoever tells it.

test.each<[string, (draft: any) => void]>([
  ["in what is pushed", (draft) => { draft.list.push([-0]); }],
  ["in what is set", (draft) => { draft.at = { n: -0 }; }],
  ["in what is put in and changed there", (draft) => { draft.list.push([]); draft.list[0].push(-0); }],
])("-0 is told as 0, %s", (_, recipe) => {
  const [tracker, twin] = [new StateTracker<any>({ list: [] }), new StateTracker<any>({ list: [] })];
  for (const one of [tracker, twin]) one.update(recipe);
  expect(tracker.getRFC6902Patches()).toStrictEqual(JSON.parse(twin.getPatchText()));
});
