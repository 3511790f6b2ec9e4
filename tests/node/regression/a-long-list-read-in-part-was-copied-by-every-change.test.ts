import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";

// Over a document, a long list of which something hadn't been read yet was copied by each change: 0.7 ms for 50,000 items,
// and for ever, where a recipe that goes through the list began behind its first items.

interface State {
  rows: { id: number; text: string }[];
}

/** How often an array of so many items is copied: by spreading it, which asks for its iterator. */
function copiesOf(length: number, run: () => void): number {
  const { prototype } = Array as unknown as { prototype: { [Symbol.iterator](this: unknown[]): ArrayIterator<unknown> } };
  const iterator = prototype[Symbol.iterator];
  let copies = 0;
  prototype[Symbol.iterator] = function () {
    if (this.length === length) copies++;
    return iterator.call(this);
  };
  try {
    run();
  } finally {
    prototype[Symbol.iterator] = iterator;
  }
  return copies;
}

test("changes of a list that was read in part copy it once", () => {
  const rows = Array.from({ length: 200_000 }, (_, id) => ({ id, text: `row ${id}` }));
  const tracker = new StateTracker<State>(StateDocument.parse(JSON.stringify({ rows })) as never);
  // From the middle on, so that the first items are never read.
  const copies = copiesOf(rows.length, () => {
    for (let i = 20_000; i < 20_400; i++) tracker.update((draft) => void (draft.rows[i]!.text = `changed ${i}`));
  });
  expect(copies).toBeLessThanOrEqual(1);
  const expected = rows.map((row) => (row.id >= 20_000 && row.id < 20_400 ? { ...row, text: `changed ${row.id}` } : row));
  expect(tracker.getState().rows).toEqual(expected);
  expect(tracker.undo()).toBe(true);
  expect(tracker.getState().rows[20_399]).toEqual(rows[20_399]);
});

test("a recipe that fails takes back what it changed where it is", () => {
  const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, text: `row ${id}` }));
  const tracker = new StateTracker<State>(StateDocument.parse(JSON.stringify({ rows })) as never);
  tracker.update((draft) => void (draft.rows[500]!.text = "changed"));
  const fail = (): void =>
    tracker.update((draft) => {
      draft.rows[500]!.text = "lost";
      draft.rows[600]!.text = "lost";
      draft.rows.splice(10, 5, { id: -1, text: "lost" });
      draft.rows.push({ id: -2, text: "lost" });
      throw new Error("no");
    });
  expect(fail).toThrow("no");
  tracker.update((draft) => void (draft.rows[501]!.text = "changed as well"));
  const expected = rows.map((row) => (row.id === 500 ? { ...row, text: "changed" } : row.id === 501 ? { ...row, text: "changed as well" } : row));
  expect(tracker.getState().rows).toEqual(expected);
  expect(tracker.document().toJSON()).toEqual({ rows: expected });
});
