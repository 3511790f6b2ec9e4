import { expect, test } from "vitest";
import { current, StateDocument, StateTracker } from "patchwire";

// `current` shares with the state what hasn't changed. It shared large lists that nobody had seen, which the next change is made
// in; over a document it froze one that was being changed where it is, and the recipe failed.

const initial = { count: 0, rows: Array.from({ length: 300 }, (_, n) => ({ n })), map: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`m${n}`, { n, inner: { n } }])) };

test.each([["a plain value", () => structuredClone(initial)], ["a document", () => StateDocument.parse(JSON.stringify(initial))]])("a copy of a draft of %s stays as it was", (_, begin) => {
  const tracker = new StateTracker<typeof initial>(begin() as typeof initial);
  tracker.update((draft) => {
    draft.rows[1] = { n: 0 };
    draft.map["m1"] = { n: 0, inner: { n: 0 } };
  });
  let copy = initial;
  tracker.update((draft) => {
    draft.count++;
    copy = current(draft);
    draft.rows.push({ n: 300 });
    draft.map["m1"]!.n = 1;
  });
  tracker.update((draft) => {
    draft.rows.push({ n: 301 });
    draft.map["m2"]!.n = 1;
  });
  expect([copy.rows.length, copy.map["m1"]!.n, copy.map["m2"]!.n]).toEqual([300, 0, 2]);
  const { rows, map } = tracker.getState();
  expect([rows.length, map["m1"]!.n, map["m2"]!.n]).toEqual([302, 1, 1]);
});

test("what is changed where it is in a document goes on after a copy was made", () => {
  const tracker = new StateTracker<typeof initial>(StateDocument.parse(JSON.stringify(initial)));
  tracker.update((draft) => void (draft.rows[1] = { n: 0 }));
  tracker.update((draft) => {
    draft.rows.push({ n: 300 }, { n: 301 });
    expect(current(draft).rows.length).toBe(302);
    expect(tracker.getState().rows.length).toBe(300);
    draft.rows.push({ n: 302 });
  });
  expect(tracker.getState().rows.length).toBe(303);
});
