import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Of long lists that nobody has seen eight may stay unfrozen. When a ninth came, it was frozen with the eight, and taken for one that
// may be changed where it is: the next recipe that did threw a TypeError.

test.each<[string, (draft: { rows: { id: number; n?: number }[] }, i: number) => void]>([
  ["reassigned", (draft) => void (draft.rows = draft.rows.filter((_, at) => at > 0))],
  ["shifted", (draft, i) => { draft.rows.push({ id: i }); draft.rows.shift(); }],
])("a list that is %s by each recipe can be changed by the next one", (_, change) => {
  const rows = Array.from({ length: 600 }, (_, id): { id: number; n?: number } => ({ id }));
  const [tracker, plain] = [new StateTracker({ rows }), { rows: structuredClone(rows) }];
  for (let i = 0; i < 40; i++) {
    for (const step of [(draft: typeof plain) => change(draft, i), (draft: typeof plain) => void (draft.rows[i]!.n = i)]) {
      tracker.update((draft) => void step(draft));
      step(plain);
    }
  }
  expect(tracker.getState()).toEqual(plain);
  expect(tracker.document().toJSON()).toEqual(plain);
});
