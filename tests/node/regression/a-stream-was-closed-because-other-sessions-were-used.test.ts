import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage, nodeStorage, SyncedState } from "patchwire/durable-objects";

// Whoever used sixteen other sessions took the memory of a state from a stream that wrote to it: the stream was closed, and couldn't put back
// what had been there. And a description of the tables under another number was read as theirs, while commits wrote a second one.

test("a state with an open stream keeps its memory", async () => {
  const store = new DurableStateStore(memoryStorage());
  for (let i = 0; i < 40; i++) await store.createSession(`s${i}`, { customState: { report: "none" } });
  const live = store.synced<{ report: unknown }>("s0");
  const stream = live.stream("/report");
  stream.write('{"title":"On st');
  for (let i = 1; i < 40; i++) {
    await store.loadState(`s${i}`);
    stream.write("x");
  }
  expect(live.unload()).toBe(false);
  expect(live.getState()).toEqual({ report: { title: `On st${"x".repeat(39)}` } });
  stream.abort();
  expect(live.getState()).toEqual({ report: "none" });
  expect(live.unload()).toBe(true);
  expect(live.getState()).toEqual({ report: "none" });
});

test("a description of the tables under another number is a lost one", () => {
  const database = new DatabaseSync(":memory:");
  const open = (): SyncedState<{ text: string }> => new SyncedState({ storage: nodeStorage(database) }, { initial: { text: "" } });
  const state = open();
  for (let i = 0; i < 5; i++) state.append("/text", "a");
  database.exec("UPDATE patchwire_meta SET id = 2");
  const damaged = open();
  expect(() => damaged.getState()).toThrow(expect.objectContaining({ code: "STREAM_TRUNCATED" }));
  expect(damaged.repair()).toMatchObject({ damage: { code: "STREAM_TRUNCATED" } });
  expect(damaged.getState()).toEqual({ text: "aaaaa" });
  for (let i = 0; i < 3_000; i++) damaged.append("/text", "b");
  expect(open().getState()).toEqual({ text: "aaaaa" + "b".repeat(3_000) });
});
