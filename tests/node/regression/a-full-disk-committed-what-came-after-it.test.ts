import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { DurableStateStore, nodeStorage } from "patchwire/durable-objects";

// A full disk makes SQLite take back a whole transaction, whichever statement in it was too much. What was written after that,
// in a transaction that its owner took for open, was committed by itself.

interface State {
  notes: string[];
}

async function full(): Promise<{ database: DatabaseSync; storage: ReturnType<typeof nodeStorage>; store: DurableStateStore }> {
  const database = new DatabaseSync(":memory:");
  const storage = nodeStorage(database);
  const store = new DurableStateStore(storage);
  await store.createSession("s", { customState: { notes: [] } satisfies State });
  await store.appendMessages("s", [{ role: "user", content: "before" }]);
  const { page_count } = database.prepare("PRAGMA page_count").get() as { page_count: number };
  database.exec(`PRAGMA max_page_count = ${page_count + 60}`);
  return { database, storage, store };
}

async function expectOnlyBefore({ database, store }: { database: DatabaseSync; store: DurableStateStore }): Promise<void> {
  for (const each of [store, new DurableStateStore(nodeStorage(database))]) {
    expect((await each.getMessages("s")).messages.map(({ content }) => content)).toEqual(["before"]);
    expect((await each.loadState("s"))!.customState).toEqual({ notes: [] });
  }
  // And it goes on.
  await store.appendMessages("s", [{ role: "user", content: "after" }]);
  store.synced<State>("s").update((draft) => void draft.notes.push("after"));
  expect(await store.getMessageCount("s")).toBe(2);
  expect((await store.loadState("s"))!.customState).toEqual({ notes: ["after"] });
}

test("by an operation of the store in a transaction of one's own", async () => {
  const all = await full();
  const { storage, store } = all;
  const told: Promise<unknown>[] = [];
  const note = (content: string): void => void told.push(store.appendMessages("s", [{ role: "user", content }]).catch((error: unknown) => error));
  expect(() =>
    storage.transactionSync(() => {
      note("first");
      note("z".repeat(3_000_000));
      note("third");
      expect(() => store.synced<State>("s").update((draft) => void draft.notes.push("fourth"))).toThrow("full");
    }),
  ).toThrow("full");
  const [first, second, third] = await Promise.all(told);
  expect([first, String(second), String(third)]).toEqual([undefined, expect.stringContaining("full"), expect.stringContaining("full")]);
  await expectOnlyBefore(all);
});

test("by a statement of one's own, whose error was caught", async () => {
  const all = await full();
  const { database, storage, store } = all;
  database.exec("CREATE TABLE mine (text TEXT)");
  expect(() =>
    storage.transactionSync(() => {
      store.synced<State>("s").update((draft) => void draft.notes.push("first"));
      expect(() => storage.sql.exec("INSERT INTO mine VALUES (?)", "z".repeat(3_000_000))).toThrow("full");
      expect(() => storage.sql.exec("INSERT INTO mine VALUES ('alone')")).toThrow("full");
      expect(() => storage.transactionSync(() => 1)).toThrow("full");
    }),
  ).toThrow("full");
  expect(storage.sql.exec("SELECT COUNT(*) AS count FROM mine")).toEqual([{ count: 0 }]);
  await expectOnlyBefore(all);
});

test("an error of another kind takes back what it was in, and no more", async () => {
  const { storage } = await full();
  storage.sql.exec("CREATE TABLE mine (text TEXT UNIQUE)");
  storage.transactionSync(() => {
    storage.sql.exec("INSERT INTO mine VALUES ('a')");
    expect(() => storage.transactionSync(() => [storage.sql.exec("INSERT INTO mine VALUES ('b')"), storage.sql.exec("INSERT INTO mine VALUES ('a')")])).toThrow("UNIQUE");
    storage.sql.exec("INSERT INTO mine VALUES ('c')");
  });
  expect(storage.sql.exec("SELECT text FROM mine ORDER BY text")).toEqual([{ text: "a" }, { text: "c" }]);
});

test("a database that is closed in a transaction leaves the first error", async () => {
  const { database, storage } = await full();
  const run = (): never => {
    database.close();
    throw new Error("the first");
  };
  expect(() => storage.transactionSync(run)).toThrow("the first");
});
