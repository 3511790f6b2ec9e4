import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { PatchwireError } from "patchwire";
import { DurableStateStore, memoryStorage, nodeStorage } from "patchwire/durable-objects";
import { backend } from "../../support/store/backends.ts";
import { begun, cases, initial, type Notes } from "../../support/store/contract.ts";

/** All rows of all tables. */
function rowsOf(database: DatabaseSync): unknown {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all() as { name: string }[];
  return tables.map(({ name }) => [name, database.prepare(`SELECT * FROM "${name}"`).all()]);
}

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

test("tools whose session was deleted write nothing into another one that has its id", async () => {
  const store = await begun(memoryStorage());
  const run = store.parallel<Notes>("s", "step", [{ toolCallId: "a", run: async (tool) => {
    await store.deleteSession("s");
    await store.createSession("s", { customState: { count: 100 } });
    tool.increment("/count", 1);
  } }]);
  await expect(run).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect((await store.loadState("s"))!.customState).toEqual({ count: 100 });
});

/** As a Node before 22.16 has it, which doesn't say whether a transaction is open. */
const older = (database: DatabaseSync) => nodeStorage({ prepare: (query) => database.prepare(query), exec: (query) => database.exec(query) });

const reads = "reads what was committed";
test.each<[string, (store: DurableStateStore) => unknown]>([
  ["a session", (store) => store.createSession("other")],
  ["a count", (store) => store.incrementStepCount("s")],
  ["a custom state", (store) => store.synced("s").increment("/count")],
  ["a whole state", async (store) => store.saveState("s", (await store.loadState("s"))!)],
  ["messages", (store) => store.appendMessages("s", [{ role: "user", content: "hello" }])],
  ["a checkpoint", (store) => store.createCheckpoint("s", {})],
  ["a deletion", (store) => store.deleteSession("s")],
  [reads, (store) => store.loadState("s")],
  ["its tables", (store) => store.loadState("none")],
])("node:sqlite: a store writes nothing in a transaction that was begun by SQL: %s", async (what, run) => {
  for (const storageOf of [nodeStorage, older]) {
    // Whoever rolls it back tells nobody, and the store went on from what no row had.
    const database = new DatabaseSync(":memory:");
    if (what !== "its tables") await begun(storageOf(database));
    const store = new DurableStateStore(storageOf(database));
    if (what === reads) await store.loadState("s");
    const before = rowsOf(database);
    database.exec("BEGIN");
    const failure = await Promise.resolve().then(() => run(store)).then(() => undefined, (error: PatchwireError) => error.code);
    expect(failure).toBe(what === reads ? undefined : "CONFLICT");
    expect(rowsOf(database)).toEqual(before);
    database.exec("ROLLBACK");
    expect((await store.loadState("s"))?.customState).toEqual(what === "its tables" ? undefined : initial());
    await store.createSession("later", { customState: { z: 1 } });
    store.synced("later").increment("/z");
    expect((await new DurableStateStore(storageOf(database)).loadState("later"))!.customState).toEqual({ z: 2 });
  }
});

test("node:sqlite: operations are part of a transaction of the storage, and end with it", async () => {
  const database = new DatabaseSync(":memory:");
  const storage = nodeStorage(database);
  const store = await begun(storage);
  const attempt = (hasFailed: boolean): void => storage.transactionSync(() => {
    void store.incrementStepCount("s");
    store.synced("s").increment("/count");
    if (hasFailed) throw new Error("the caller's own");
  });
  expect(() => attempt(true)).toThrow("the caller's own");
  attempt(false);
  for (const one of [store, new DurableStateStore(nodeStorage(database))]) expect(await one.loadState("s")).toMatchObject({ stepCount: 1, customState: { count: 2 } });
});
