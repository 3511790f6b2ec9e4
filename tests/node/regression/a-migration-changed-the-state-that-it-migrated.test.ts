import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { nodeStorage, SyncedState } from "patchwire/durable-objects";

// `migrate` may ask the state that it migrates. Where it changed that, the change was overwritten by what it returned; where it unloaded or
// deleted it, what was gone was used on ("null pointer passed to rust"), and where it renewed it, it was called for ever.

interface Count {
  n: number;
  isMigrated?: boolean;
}

async function stored(): Promise<DatabaseSync> {
  const database = new DatabaseSync(":memory:");
  new SyncedState<Count>({ storage: nodeStorage(database) }, { initial: { n: 1 } }).increment("/n");
  await Promise.resolve();
  return database;
}

const asks: [string, (state: SyncedState<Count>) => unknown][] = [
  ["update", (state) => state.update((draft) => void (draft.n = 9))],
  ["increment", (state) => state.increment("/n")],
  ["append", (state) => state.append("/n", "")],
  ["apply", (state) => state.apply([{ op: "replace", path: "/n", value: 9 }])],
  ["restore", (state) => state.restore(0)],
  ["renew", (state) => state.renew()],
  ["repair", (state) => state.repair()],
  ["destroy", (state) => state.destroy()],
];

test.each(asks)("%s is refused", async (_, ask) => {
  const database = await stored();
  const thrown: unknown[] = [];
  const migrate = (before: Count): Count => {
    try {
      ask(state);
    } catch (error) {
      thrown.push(error);
    }
    return { ...before, isMigrated: true };
  };
  const state = new SyncedState<Count>({ storage: nodeStorage(database) }, { initial: { n: 0 }, version: 1, migrate });
  expect(state.getState()).toEqual({ n: 2, isMigrated: true });
  expect(thrown).toEqual([expect.objectContaining({ code: "TRACKER_BUSY" })]);
  state.increment("/n");
  expect([state.getState().n, state.revision]).toEqual([3, 3]);
});

test("what reads isn't, and unload says that it didn't", async () => {
  const database = await stored();
  const said: unknown[] = [];
  const migrate = (before: Count): Count => {
    said.push(state.getState(), state.revision, state.unload());
    return { ...before, isMigrated: true };
  };
  const state = new SyncedState<Count>({ storage: nodeStorage(database) }, { initial: { n: 0 }, version: 1, migrate });
  expect(state.getState()).toEqual({ n: 2, isMigrated: true });
  expect(said).toEqual([{ n: 2 }, 1, false]);
});
