import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { nodeStorage, SyncedState } from "patchwire/durable-objects";

// One statement needs no transaction of its own, and so nobody saw that there was one, begun by SQL: its end took back what readers had been told.
test.each(["another statement", "another storage"])("a commit of one row is refused within the transaction of %s", async (whose) => {
  const database = new DatabaseSync(":memory:");
  const state = new SyncedState({ storage: nodeStorage(database) }, { initial: { answer: "", notes: [] as string[] } });
  await null;
  state.append("/answer", "a");
  state.append("/answer", "b");
  const within = (run: () => void): void => {
    if (whose === "another statement") {
      database.exec("BEGIN");
      run();
      database.exec("ROLLBACK");
      return;
    }
    const rollback = new Error("rolled back");
    expect(() => nodeStorage(database).transactionSync(() => {
      run();
      throw rollback;
    })).toThrow(rollback);
  };
  within(() => {
    for (const change of [() => state.append("/answer", "!"), () => state.update((draft) => void draft.notes.push("x"))]) {
      expect(change).toThrow(expect.objectContaining({ code: "CONFLICT" }));
    }
    expect(state.getState()).toEqual({ answer: "ab", notes: [] });
  });
  state.append("/answer", "c");
  expect([state.getState().answer, state.revision]).toEqual(["abc", 3]);
  expect(new SyncedState({ storage: nodeStorage(database) }, { initial: { answer: "", notes: [] as string[] } }).getState().answer).toBe("abc");
});
