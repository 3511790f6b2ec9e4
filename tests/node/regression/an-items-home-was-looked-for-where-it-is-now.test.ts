import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";
import { onTracker } from "../support/ways-in.ts";

// What took an item's place was compared with that item, and said to be it or to keep runs of it, by the index at which it was
// at the end of the recipe: where another edit had moved it meanwhile, the document had what was at that index before.

type Any = any;

test.each<[string, unknown[], (draft: Any) => void, unknown]>([
  ["an equal one", ["", []], (d) => { d[1] = []; d.shift(); }, [[]]],
  ["a filtered one", [[9], Array.from({ length: 100 }, (_, i) => ({ i }))], (d) => { d[1] = d[1].filter((x: Any) => x.i % 2 === 0); d.shift(); }, [Array.from({ length: 50 }, (_, i) => ({ i: i * 2 }))]],
  ["an edited copy", [{ id: 0 }, { id: 1, tags: ["a"], note: { text: "b" } }], (d) => { d[1] = { ...d[1], id: 2 }; d.unshift("first"); }, ["first", { id: 0 }, { id: 2, tags: ["a"], note: { text: "b" } }]],
])("%s that was put in before the list's beginning changed", (_, start, recipe, end) => {
  for (const tracker of [new StateTracker(structuredClone(start)), new StateTracker(StateDocument.parse(JSON.stringify(start)))]) {
    tracker.update(recipe);
    expect(tracker.document().toJSON()).toEqual(end);
    expect(tracker.getState()).toEqual(end);
  }
});

// A list that nobody has seen is changed where it is. Items that were first looked at after its beginning had changed were taken for
// those that had been at their indexes.

const rows = (count: number): Any[] => Array.from({ length: count }, (_, id) => ({ id, tags: [`t${id}`] }));
const recipe = (draft: Any): void => {
  draft.rows.shift();
  draft.rows[0].copy = { ...draft.rows[0] };
};

test("an item of a long list that was shifted in its place", () => {
  const tracker = new StateTracker<Any>({ rows: rows(400) });
  tracker.update((draft) => { draft.rows = draft.rows.filter((row: Any) => row.id !== 5); });
  tracker.update(recipe);
  const first = { id: 1, tags: ["t1"] };
  expect(tracker.document().get("/rows/0")).toEqual({ ...first, copy: first });
  expect(tracker.getState().rows[0]).toEqual({ ...first, copy: first });
});

test("an item of a list that isn't read, shifted, taken out and put back", () => {
  onTracker({ kind: "document", small: 0 }, { rows: rows(3) } as Any, {}, (tracker) => {
    tracker.update(recipe as Any);
    const first = { id: 1, tags: ["t1"] };
    expect(tracker.document().toJSON()).toEqual({ rows: [{ ...first, copy: first }, { id: 2, tags: ["t2"] }] });
  });
  onTracker({ kind: "document", small: 0 }, [{}, [{}]] as Any, {}, (tracker) => {
    tracker.update((draft: Any) => {
      draft.shift();
      const out = draft.splice(0, 1)[0];
      out.push(0);
      draft.splice(0, 0, out);
    });
    expect(tracker.document().toJSON()).toEqual([[{}, 0]]);
    expect(tracker.getState()).toEqual([[{}, 0]]);
  });
});
