import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { nodeStorage, SyncedState } from "patchwire/durable-objects";

// `repair` believed the number of a row's last patch, which has no hash, where that was what was damaged: it told too few revisions as lost, and
// gave the number of one of them once more.

test.each([["too low", 3], ["too high", 9]])("a row of the log says that its last patch is %s", (_, last) => {
  const database = new DatabaseSync(":memory:");
  const open = (): SyncedState<{ text: string }> => new SyncedState({ storage: nodeStorage(database) }, { initial: { text: "" } });
  const state = open();
  for (let i = 0; i < 5; i++) state.append("/text", "a");
  expect(state.revision).toBe(5);
  database.exec(`UPDATE patchwire_log SET last = ${last}`);
  const damaged = open();
  expect(() => damaged.getState()).toThrow();
  const { restored, newest, revision } = damaged.repair()!;
  expect(newest).toBe(Math.max(5, last));
  expect(revision).toBe(newest + 1);
  expect(damaged.getState()).toEqual({ text: "a".repeat(restored) });
});
