import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// A frozen value reads back as a draft. In a large list that nobody had seen, which is changed where it is, the list's slot was
// taken over and not its draft: what was written to it was lost, without a word.

test.each([3, 300])("a constant is put into a list of %i items, and changed there", (size) => {
  const tracker = new StateTracker({ list: Array.from({ length: size }, (_, n) => ({ n })), map: {} as Record<string, { n: number }> });
  tracker.update((draft) => {
    draft.list[0]!.n = -1;
    for (let n = 0; n < size; n++) draft.map[n] = { n };
  });
  const constant = Object.freeze({ n: 0 });
  tracker.update((draft) => {
    draft.list[1] = constant;
    draft.list[1].n = 7;
    draft.list.push(constant);
    draft.list.at(-1)!.n = 8;
    draft.map["a"] = constant;
    draft.map["a"].n = 9;
  });
  const { list, map } = tracker.getState();
  expect([list[1], list.at(-1), map["a"], constant]).toEqual([{ n: 7 }, { n: 8 }, { n: 9 }, { n: 0 }]);
});
