import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Members that were where they had been counted as taken along by reference, also where they hadn't been: the change then made the
// state smaller by millions of bytes, and nobody looked whether it was over its limit.

const initial = () => ({
  map: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`m${i}`, { n: i, inner: { n: i } }])),
  list: Array.from({ length: 300 }, (_, n) => ({ n })),
});

test("a copy of what was published doesn't hide what came beside it", () => {
  const tracker = new StateTracker<any>(initial(), { limits: { document: JSON.stringify(initial()).length } });
  tracker.update((draft) => void (draft.map.m1 = { n: 0 }));
  const published = tracker.getState();
  tracker.update((draft) => void (draft.map.m7.n = 1));
  const over = (draft: any): void => {
    draft.list[0].text = "x".repeat(40);
    draft.map.m7.text = "x".repeat(40);
    draft.map = published.map;
    draft.map = { ...draft.map };
  };
  expect(() => tracker.update(over)).toThrow("LIMIT_EXCEEDED");
  expect(tracker.getState().list).toEqual(initial().list);
  expect(tracker.getState().map.m7).toEqual({ n: 1, inner: { n: 7 } });
});
