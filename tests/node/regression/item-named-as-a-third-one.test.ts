import { expect, test } from "vitest";
import { current, StateTracker } from "patchwire";

// An item that took another one's place and has the name of a third one is compared with that by the core, and was compared with the one
// before it by the shim: the same change was told in two ways, whoever was asked.

test("an item that takes the name of a third one is told in one way", () => {
  const [tracker, twin] = [0, 1].map(() => new StateTracker<any>({ rows: [{ id: 0, tags: [] }, { id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }] }));
  for (const one of [tracker!, twin!]) {
    one.update((draft) => {
      const rows: any[] = structuredClone(current(draft.rows));
      draft.rows = rows.map((row, i) => (i === 0 ? { ...row, id: 4 } : row));
    });
  }
  twin!.document().free();
  expect(tracker!.getPatchText()).toBe(twin!.getPatchText());
});
