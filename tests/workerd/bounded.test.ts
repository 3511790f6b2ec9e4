import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { failNow, memory } from "../support/faults.ts";
import { inBare, newSession, update, within } from "./session.ts";

// What many commits leave behind, in the core's memory, which never shrinks, and in JavaScript's heap. Workers have no way
// to read the size of the heap; whether old versions are collected can be seen by weak references to them.

const MB = 1 << 20;
const taken = (): number => memory().buffer.byteLength;
const records = (count: number): { text: string }[] => Array.from({ length: count }, (_, i) => ({ text: `${i} `.padEnd(200, "x") }));

/** Weak references to states, of which all but a few have to be collected once memory is needed. */
class Watched {
  readonly #refs: WeakRef<object>[] = [];

  add(state: unknown): void {
    this.#refs.push(new WeakRef(state as object));
  }

  /** How many are still there after as much garbage as makes the collector run. Looking keeps what is looked at, so it is done once. */
  async left(): Promise<number> {
    // What outlives a few turns is old, and only a collection of the whole heap frees it, and what is watched.
    const held: number[][] = [];
    for (let turn = 0; turn < 60; turn++) {
      await inBare(() => {
        for (let i = 0; i < 20; i++) held[(turn * 20 + i) % 100] = new Array<number>(1 << 16).fill(i + 0.5);
      });
    }
    return this.#refs.filter((ref) => ref.deref() !== undefined).length;
  }
}

/** What is rightly there: the present state, the one before it, and what the last turns of the engine hold. */
const KEPT = 8;

/** One round of changes that leaves the state as large as it was. */
function change(state: { update(recipe: (draft: any) => void): void; append(pointer: string, text: string): void }, i: number): void {
  state.update((draft) => (draft.notes.push({ text: `${i}`.padEnd(200, "y") }), void draft.notes.shift()));
  state.append("/answer", "token ");
  state.update((draft) => void (i % 50 === 0 && (draft.answer = "")));
  state.update((draft) => void (draft.notes[i % 1_000]!.text = `${i}`.padEnd(200, "z")));
}

test("thousands of commits leave neither old versions in the heap nor memory in the core", async () => {
  failNow();
  const stub = newSession();
  await update(stub, (draft) => void (draft.notes = records(1_000)));
  const watched = new Watched();
  const rounds = (from: number, to: number): Promise<void> =>
    within(stub, ({ state }) => {
      for (let i = from; i < to; i++) {
        change(state, i);
        if (i % 10 === 0) watched.add(state.getState());
      }
    });
  await rounds(0, 500);
  const before = taken();
  for (let from = 500; from < 6_000; from += 500) await rounds(from, from + 500);
  expect(taken() - before).toBeLessThan(2 * MB);
  expect(await watched.left()).toBeLessThanOrEqual(KEPT);
});

test("commits that fail leave neither the state that they led to nor its tracker", async () => {
  failNow();
  const stub = newSession();
  await update(stub, (draft) => void (draft.notes = records(1_000)));
  await within(stub, (_, { storage }) => {
    for (const write of ["INSERT", "UPDATE"]) storage.sql.exec(`CREATE TRIGGER refuse_${write} BEFORE ${write} ON patchwire_log BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  });
  const watched = new Watched();
  const rounds = (count: number): Promise<void> =>
    within(stub, ({ state }) => {
      for (let i = 0; i < count; i++) {
        const refused = { notes: records(3) };
        expect(() => state.update((draft) => void draft.notes.push(...refused.notes))).toThrow("refused");
        expect(() => state.append("/answer", "token")).toThrow("refused");
        watched.add(refused);
        watched.add(refused.notes[0]);
      }
      expect(state.getState().notes).toHaveLength(1_000);
    });
  await rounds(100);
  const before = taken();
  for (let i = 0; i < 10; i++) await rounds(200);
  expect(taken() - before).toBeLessThan(2 * MB);
  expect(await watched.left()).toBeLessThanOrEqual(KEPT);
});

test("a tracker's history holds so many steps, and nothing of those before", async () => {
  failNow();
  const tracker = new StateTracker({ notes: records(1_000), answer: "" }, { history: 20 });
  const watched = new Watched();
  const rounds = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      change(tracker, i);
      if (i % 10 === 0) watched.add(tracker.getState());
      if (i % 100 === 0) (tracker.undo(), tracker.redo(), tracker.getPatchText(), tracker.resetTracking());
    }
  };
  rounds(0, 1_000);
  const before = taken();
  rounds(1_000, 10_000);
  expect(taken() - before).toBeLessThan(2 * MB);
  expect(await watched.left()).toBeLessThanOrEqual(KEPT);
  let steps = 0;
  while (tracker.undo()) steps++;
  expect(steps).toBe(20);
});
