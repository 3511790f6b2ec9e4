import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { DurableStateStore, memoryStorage, nodeStorage } from "patchwire/durable-objects";

// A session that was made in a transaction which was taken back left its number to the next one: who held its state read and wrote the
// other session's, and tools that had begun with it were merged into that. Tools that had begun with a revision that was taken back were
// merged as if it had been there, also where another commit had its number by then.

interface Notes { n: number; items: { id: string; done?: boolean }[] }

const storages = [["a memory", memoryStorage], ["node:sqlite", () => nodeStorage(new DatabaseSync(":memory:"))]] as const;

describe.each(storages)("in %s", (_, make) => {
  const takenBack = (storage: ReturnType<typeof make>, run: () => void): void =>
    expect(() => storage.transactionSync(() => { run(); throw new Error("taken back"); })).toThrow("taken back");

  test("its state is nobody's", async () => {
    const storage = make();
    const store = new DurableStateStore(storage);
    let state: ReturnType<typeof store.synced<Notes>> | undefined;
    takenBack(storage, () => {
      void store.createSession("ghost", { customState: { n: 0, items: [] } });
      state = store.synced<Notes>("ghost");
    });
    await store.createSession("real", { customState: { n: 7, items: [] } });
    expect(() => state!.getState()).toThrow("the session was deleted");
    expect(() => state!.update((draft) => void (draft.n = 999))).toThrow("the session was deleted");
    expect((await store.loadState("real"))?.customState).toEqual({ n: 7, items: [] });
  });

  test.each([true, false])("what tools began with was taken back: promoted at once %s", async (promote) => {
    const storage = make();
    const store = new DurableStateStore(storage);
    await store.createSession("s", { customState: { n: 1, items: [{ id: "a" }, { id: "b" }] } });
    const state = store.synced<Notes>("s");
    let go = (): void => {};
    const waiting = new Promise<void>((resolve) => (go = resolve));
    let running: Promise<unknown> | undefined;
    takenBack(storage, () => {
      state.update((draft) => void draft.items.unshift({ id: "ghost" }));
      const run = async (tool: any): Promise<void> => {
        await waiting;
        tool.update((draft: Notes) => void (draft.items[1]!.done = true));
      };
      running = store.parallel<Notes>("s", "step", [{ toolCallId: "call", run }], { promote });
      running.catch(() => {});
    });
    // Another commit has the number of the one that was taken back.
    state.update((draft) => void draft.n++);
    go();
    await expect(running).rejects.toThrow("CLOSED");
    expect((await store.promoteStaging("s", "step")) ?? {}).toMatchObject({ conflicts: [], warnings: [] });
    expect(state.getState()).toEqual({ n: 2, items: [{ id: "a" }, { id: "b" }] });
  });
});
