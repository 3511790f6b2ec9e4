import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";

// To measure a state that might be over the limit it was frozen, with the large containers that the change had been made in:
// taking the change back failed with a TypeError half-way, and the next update committed the rest of it.

interface State {
  rows: { id: number; text: string }[];
  map: Record<string, { id: number; text: string }>;
}

const rows = Array.from({ length: 300 }, (_, id) => ({ id, text: "x".repeat(20) }));
const first = (): State => JSON.parse(JSON.stringify({ rows, map: Object.fromEntries(rows.map((row) => [`k${row.id}`, row])) })) as State;
const big = "L".repeat(3_000);

const changes: [string, (draft: State) => void][] = [
  ["items", (draft) => { draft.rows[9]!.text = big; draft.map["k8"]!.text = big; }],
  ["ends", (draft) => { draft.rows.push({ id: -1, text: big }); draft.rows.shift(); }],
  ["members", (draft) => { draft.map["new"] = { id: 1, text: big }; delete draft.map["k9"]; }],
  ["order", (draft) => { draft.rows.splice(3, 2, { id: 1, text: big }); draft.rows.reverse(); }],
];

test.each(changes)("of %s", (_, change) => {
  for (const begin of [first(), StateDocument.parse(JSON.stringify(first()))]) {
    const tracker = new StateTracker<State>(begin, { limits: { document: JSON.stringify(first()).length + 2_000 } });
    const plain = first();
    const small = (draft: State): void => {
      draft.rows[5]!.text = "y";
      draft.rows.push({ id: 7, text: "" });
      draft.map["k5"]!.text = "z";
      draft.map["added"] = { id: 8, text: "" };
    };
    for (let round = 0; round < 3; round++) {
      tracker.update(small);
      small(plain);
      expect(() => tracker.update(change)).toThrow("LIMIT_EXCEEDED");
    }
    expect(tracker.getState()).toEqual(plain);
    expect(tracker.document().toJSON()).toEqual(plain);
  }
});
