import fc from "fast-check";
import { expect, test } from "vitest";
import { applyPatch, StateTracker } from "patchwire";
import { asked } from "../support/runs.ts";

// A list that was fetched again comes as copies. What equals what was there is that very object and isn't copied, also where items
// before it came or went; and all that is told is what differs.

interface Row { id?: unknown; key?: string; text: string; tags: unknown[]; at?: { x: number } }

const tags = fc.array(fc.constantFrom<unknown>("a", 1, null, { b: 1 }), { maxLength: 3 });
const edit = fc.record({
  does: fc.constantFrom("remove", "insert", "text", "tags", "rename", "unname", "swap", "repeat", "reverse", "zero"),
  at: fc.nat(1_000),
  count: fc.integer({ min: 1, max: 40 }),
  tags,
});

const rowOf = (i: number, size: number): Row => ({ id: i, text: `row ${i} ${"x".repeat(size)}`, tags: i % 3 === 0 ? [] : ["a", { b: i % 2 }], ...(i % 5 === 0 && { at: { x: i / 2 } }) });

function edited(rows: readonly Row[], { does, at, count, tags }: { does: string; at: number; count: number; tags: unknown[] }, next: () => number): Row[] {
  const list = structuredClone(rows) as Row[];
  const index = list.length === 0 ? 0 : at % list.length;
  const row = list[index];
  if (does === "insert") list.splice(index, 0, ...Array.from({ length: count % 4 + 1 }, () => rowOf(next(), 5)));
  else if (row === undefined) return list;
  else if (does === "remove") list.splice(index, count);
  else if (does === "text") row.text += "!";
  else if (does === "tags") row.tags = structuredClone(tags);
  else if (does === "rename") row.id = next();
  else if (does === "unname") delete row.id;
  else if (does === "swap") list.splice(index, 1, ...list.splice(0, 1, row));
  else if (does === "repeat") list.splice((at * 7) % list.length, 0, structuredClone(row));
  else if (does === "reverse") list.reverse();
  else row.at = { x: 0 };
  return list;
}

test("what equals what was there stays, and what differs is told", () => {
  fc.assert(
    fc.property(fc.constantFrom(0, 1, 3, 20, 90, 400), fc.constantFrom(0, 60), fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }), fc.boolean(), (length, size, steps, isHeld) => {
      let last = 10_000;
      const next = (): number => last++;
      let rows = Array.from({ length }, (_, i) => rowOf(i, size));
      const tracker = new StateTracker<{ rows: Row[]; held?: Row; n: number }>({ rows, n: 0 });
      for (const edits of steps) {
        const before = tracker.getState();
        rows = edits.reduce((list, one) => edited(list, one, next), rows);
        const given = structuredClone(rows);
        tracker.update((draft) => {
          // A draft among the copies, and a part of the state that is elsewhere too.
          const held = isHeld ? draft.rows[0] : undefined;
          draft.rows = given;
          if (held !== undefined) draft.held = held;
          draft.n++;
        });
        const after = tracker.getState();
        const wanted = JSON.parse(JSON.stringify(rows)) as Row[];
        expect(after.rows).toEqual(wanted);
        // Nothing of the caller's is in the state.
        for (const row of given) row.text = "the caller's";
        expect(tracker.getState().rows).toEqual(wanted);
        const known = new Map(before.rows.map((row) => [JSON.stringify(row), row]));
        const isUnique = known.size === before.rows.length && new Set(wanted.map((row) => JSON.stringify(row))).size === wanted.length;
        if (isUnique && edits.length === 1 && ["remove", "insert", "text"].includes(edits[0]!.does)) {
          // By their names, those that have one.
          for (const row of after.rows) if (row.id !== undefined && known.has(JSON.stringify(row))) expect(row).toBe(known.get(JSON.stringify(row)));
        }
        const patches = tracker.getRFC6902Patches();
        expect(applyPatch(before, patches)).toEqual(after);
        expect(tracker.document().toJSON()).toEqual(after);
        expect(applyPatch(after, tracker.getInversePatches())).toEqual(before);
        tracker.undo();
        expect(tracker.getState()).toEqual(before);
        tracker.redo();
        expect(tracker.getState()).toEqual(after);
        tracker.resetTracking();
      }
    }),
    asked(600),
  );
}, 90_000);

test.each([30, 70])("equal copies count as often as they are there, %i bytes each", (size) => {
  const row = { id: 1, text: "x".repeat(size) };
  const limits = { document: 100_000 };
  const tracker = new StateTracker<{ rows: Row[] }>({ rows: [{ ...row, tags: [] }] }, { limits });
  const fill = (count: number): void => tracker.update((draft) => void (draft.rows = Array.from({ length: count }, () => ({ ...row, tags: [] }))));
  fill(500);
  const before = tracker.getState();
  expect(() => fill(5_000)).toThrow("LIMIT_EXCEEDED");
  expect(tracker.getState()).toBe(before);
  expect(() => { for (let i = 1; i < 12; i++) fill(500 * i); }).toThrow("LIMIT_EXCEEDED");
  expect(JSON.stringify(tracker.getState()).length).toBeLessThanOrEqual(limits.document);
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
});
