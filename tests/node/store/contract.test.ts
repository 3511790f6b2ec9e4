import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { PatchwireError } from "patchwire";
import { DurableStateStore, memoryStorage, nodeStorage } from "patchwire/durable-objects";
import { backend } from "../../support/store/backends.ts";
import { begun, cases, type Notes } from "../../support/store/contract.ts";

describe("in memory", () => {
  test.each(Object.entries(cases))("%s", (_, run) => run(backend(memoryStorage())));
});

describe("in node:sqlite", () => {
  test.each(Object.entries(cases))("%s", (_, run) => run(backend(nodeStorage(new DatabaseSync(":memory:")))));
});

test("a storage that was deleted begins anew", async () => {
  const storage = memoryStorage();
  const store = await begun(storage);
  await storage.deleteAll!();
  expect(await store.loadState("s")).toBeNull();
  await store.createSession("s", { customState: { new: true } });
  expect((await store.loadState("s"))!.customState).toEqual({ new: true });
});

test("a state that was deleted isn't brought back by who still holds it", async () => {
  const store = await begun(memoryStorage());
  const held = store.synced<Notes>("s");
  await store.deleteSession("s");
  expect(() => held.increment("/count")).toThrow(PatchwireError);
  await store.createSession("s", { customState: { new: true } });
  expect(() => held.getState()).toThrow(PatchwireError);
  expect((await store.loadState("s"))!.customState).toEqual({ new: true });
});

test("node:sqlite: operations are part of a transaction that SQL began, and end with it", async () => {
  const database = new DatabaseSync(":memory:");
  const store = await begun(nodeStorage(database));
  database.exec("BEGIN");
  await store.incrementStepCount("s");
  database.exec("COMMIT");
  const again = new DurableStateStore(nodeStorage(database));
  expect((await again.loadState("s"))!.stepCount).toBe(1);
});
