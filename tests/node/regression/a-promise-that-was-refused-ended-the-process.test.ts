import { afterAll, beforeAll, expect, test } from "vitest";
import { mergeBranches, StateTracker } from "patchwire";
import { memoryStorage, SyncedState } from "patchwire/durable-objects";
import { StateManager } from "patchwire/agentos";

// A function that merges, and one that migrates, may not be asynchronous. The promise was refused and dropped: where it was rejected later,
// nobody had handled that, and Node ended the process.

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => void process.off("unhandledRejection", note));

const later = async (): Promise<never> => {
  throw new Error("later");
};

test.each<[string, string, () => unknown]>([
  ["merges", "NOT_JSON", () => mergeBranches({ n: 1 }, [{ n: 2 }, { n: 3 }], { "/n": later })],
  ["reduces", "NOT_JSON", () => {
    const manager = new StateManager({ "scratch.n": later });
    manager.updateScratch(manager.updateScratch(manager.initialize(null), { n: 1 }), { n: 2 });
  }],
  ["validates", "VALIDATION_FAILED", () => new StateTracker({ n: 1 }, { validate: later as never })],
  ["changes", "ASYNC_RECIPE", () => new StateTracker({ n: 1 }).update(later as never)],
])("of what %s", async (_, code, run) => {
  expect(run).toThrow(expect.objectContaining({ code }));
  await new Promise((done) => setTimeout(done, 5));
  expect(unhandled).toEqual([]);
});

test("of what migrates", async () => {
  const storage = memoryStorage();
  new SyncedState({ storage }, { initial: { n: 1 } }).update((draft) => void draft.n++);
  // The next life of the object has the same rows.
  const woken = { ...storage, table: storage.table.bind(storage), transactionSync: storage.transactionSync.bind(storage) };
  const state = new SyncedState({ storage: woken }, { initial: { n: 0 }, version: 1, migrate: later as never });
  expect(() => state.getState()).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED", message: expect.stringContaining("promise") }));
  await new Promise((done) => setTimeout(done, 5));
  expect(unhandled).toEqual([]);
});
