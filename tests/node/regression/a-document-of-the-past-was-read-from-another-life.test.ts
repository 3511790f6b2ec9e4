import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { memoryStorage, nodeStorage, SyncedState } from "patchwire/durable-objects";

// A document that `at` gave reads its rows when somebody looks. After the state had been deleted, or a transaction taken back, the numbers
// of its rows were those of other rows: it showed a mixture of two states, one of which may have been somebody else's.

interface State { l: { i: number; tag: string; text: string }[] }

const rows = (tag: string): State["l"] => Array.from({ length: 3_000 }, (_, i) => ({ i, tag, text: "some text ".repeat(5) }));

/** Two commits, after which the state is in rows of its own. */
const write = (state: SyncedState<State>, tag: string): void => {
  state.update((draft) => void (draft.l = rows(tag)));
  state.update((draft) => void (draft.l[0]!.tag = `${tag} edit`));
};

const storages = [["a memory", memoryStorage], ["node:sqlite", () => nodeStorage(new DatabaseSync(":memory:"))]] as const;

describe.each(storages)("in %s", (_, make) => {
  const ways: [name: string, undo: (state: SyncedState<State>, storage: ReturnType<typeof make>) => unknown][] = [["destroy", (state) => state.destroy()]];
  if (make === memoryStorage) ways.push(["deleteAll", (_, storage) => storage.deleteAll!()]);

  test.each(ways)("after %s", async (_, undo) => {
    const storage = make();
    const state = new SyncedState<State>({ storage }, { initial: { l: [] } });
    write(state, "old");
    state.unload();
    const document = state.at(2);
    await undo(state, storage);
    write(state, "new");
    expect(() => document.toJSON()).toThrow("STALE_STATE");
    expect(() => document.get("/l/1/tag")).toThrow("STALE_STATE");
    expect(state.at(2).get("/l/1/tag")).toBe("new");
  });

  test.each([true, false])("after a transaction that was taken back, whose state was given back meanwhile: %s", (unloads) => {
    const storage = make();
    const state = new SyncedState<State>({ storage }, { initial: { l: [] } });
    expect(state.revision).toBe(0);
    let document = state.at(0);
    const undone = (): void =>
      storage.transactionSync(() => {
        write(state, "undone");
        if (unloads) state.unload();
        document = state.at(state.revision);
        throw new Error("taken back");
      });
    expect(undone).toThrow("taken back");
    write(state, "other");
    expect(() => document.toJSON()).toThrow("STALE_STATE");
    expect(state.at(2).get("/l/0/tag")).toBe("other edit");
  });

  test("one that wrote nothing leaves it", () => {
    const storage = make();
    const state = new SyncedState<State>({ storage }, { initial: { l: [] } });
    write(state, "old");
    state.unload();
    const document = state.at(2);
    expect(() => storage.transactionSync(() => { state.getState(); throw new Error("taken back"); })).toThrow("taken back");
    write(state, "new");
    expect([document.get("/l/0/tag"), document.get("/l/1/tag")]).toEqual(["old edit", "old"]);
  });
});
