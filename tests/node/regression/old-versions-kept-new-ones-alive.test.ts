// Each version pointed to the next, and its journal to what had been published. Whoever kept one version kept all that came
// after it; and once V8 had put any version among its old objects, though garbage, the states that followed lived on until
// the next full collection: 60 µs an update of 10,000 items, where the copy takes 7.
import { setFlagsFromString } from "node:v8";
import { setImmediate as turn } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import { StateTracker } from "patchwire";
import { expect, test } from "vitest";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options?: { type: "minor" }) => void;

interface Rows {
  rows: number[];
  other: number[];
}

/** How many of the states of so many versions are still there when only the last is held. */
async function leftAlive(tracker: StateTracker<Rows>, versions: number, step: (i: number) => void): Promise<number> {
  const states: WeakRef<object>[] = [];
  for (let i = 0; i < versions; i++) {
    tracker.update((draft) => void (draft.rows[i % 3] = i + 1));
    step(i);
    states.push(new WeakRef(tracker.getState().rows));
  }
  await turn();
  collect();
  return states.filter((state) => state.deref() !== undefined).length;
}

test("a state that is kept keeps no later one", async () => {
  const tracker = new StateTracker<Rows>({ rows: [0, 0, 0], other: [] });
  tracker.update((draft) => void (draft.rows[0] = -1));
  const kept = tracker.getState();
  expect(await leftAlive(tracker, 50, () => {})).toBe(1);
  expect(kept).toEqual({ rows: [-1, 0, 0], other: [] });
});

test("a young collection takes away what was replaced, though an old version was garbage already", () => {
  const tracker = new StateTracker<Rows>({ rows: Array.from({ length: 10_000 }, (_, i) => i), other: [] });
  tracker.update((draft) => void (draft.rows[0] = -1));
  tracker.getState();
  // Makes what lives now old.
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 200; i++) {
    tracker.update((draft) => void (draft.rows[i] = i + 1));
    tracker.getState();
  }
  for (let i = 0; i < 3; i++) collect({ type: "minor" });
  // 200 copies of 10,000 items are 16 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(8 << 20);
});

test("what older versions share they still share, in whatever order they are read", () => {
  const tracker = new StateTracker<Rows>({ rows: [0, 0, 0], other: [1] });
  const { rows } = tracker.getState();
  const after = (recipe: (draft: Rows) => void): Rows => (tracker.update(recipe), tracker.getState() as Rows);
  const first = after((draft) => void draft.other.push(2));
  const second = after((draft) => void draft.other.push(3));
  expect(() => tracker.update((draft) => { draft.rows[0] = 5; throw new Error("taken back"); })).toThrow("taken back");
  const third = after((draft) => void (draft.rows[1] = 7));
  const { other } = tracker.getState();
  const fourth = after((draft) => void draft.other.pop());
  expect(second.rows).toBe(rows);
  expect(first.rows).toBe(rows);
  expect(third.other).toBe(other);
  expect(second.other).toBe(other);
  expect(first.other).toEqual([1, 2]);
  expect(fourth.rows).toBe(third.rows);
  expect([third.rows, fourth.other]).toEqual([[0, 7, 0], [1, 2]]);
});

test("a core that goes on from what a recipe left keeps the first state no longer than the history does", async () => {
  const tracker = new StateTracker({ rows: Array.from({ length: 5_000 }, (_, id) => ({ id, n: 0 })) }, { history: 0 });
  const rows = new WeakRef(tracker.getState().rows);
  for (let n = 1; n < 3; n++) {
    tracker.update((draft) => draft.rows.forEach((row) => void (row.n = n)));
    tracker.getRFC6902Patches();
    tracker.resetTracking();
  }
  tracker.update((draft) => void (draft.rows[0]!.n = 9));
  tracker.document().free();
  await turn();
  collect();
  expect(rows.deref()).toBeUndefined();
  expect(tracker.getState().rows[0]).toEqual({ id: 0, n: 9 });
});
