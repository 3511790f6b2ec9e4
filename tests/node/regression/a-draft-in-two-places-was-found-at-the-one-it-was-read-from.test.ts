import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";

// In a list of which not all was read, a draft was found where it had been read from, even if it had been put before that as well.

test("indexOf finds the first one", () => {
  const rows = Array.from({ length: 3 }, (_, i) => ({ i, text: "x".repeat(5_000) }));
  for (const initial of [{ rows }, StateDocument.parse(JSON.stringify({ rows }))]) {
    const tracker = new StateTracker<{ rows: unknown[] }>(initial);
    tracker.update(({ rows }) => {
      rows[0] = rows[1];
      const row = rows[1];
      expect([rows.indexOf(row), rows.indexOf(row, 1), rows.indexOf(row, 2), rows.lastIndexOf(row), rows.includes(row)]).toEqual([0, 1, -1, 1, true]);
      rows[2] = row;
      expect([rows.indexOf(row), rows.indexOf(row, 1), rows.indexOf(row, 2), rows.lastIndexOf(row)]).toEqual([0, 1, 2, 2]);
    });
  }
});
