import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { memoryStorage, nodeStorage } from "patchwire/durable-objects";
import { Fault, operations, tryFaults, tryMigration } from "../../support/store/faults.ts";
import { tryParallel } from "../../support/store/parallel.ts";
import { plain, sql } from "../../support/store/tables.ts";

const storages = { "in memory": () => plain(memoryStorage()), "in node:sqlite": () => sql(nodeStorage(new DatabaseSync(":memory:"))) };

describe.each(Object.entries(storages))("%s", (_, make) => {
  test.each(Object.entries(operations))("%s that fails at any statement leaves everything as it was", async (_, operation) => {
    expect(await tryFaults(operation, make())).toBeGreaterThan(1);
  });

  test("a state of an earlier version is migrated as a whole or not at all, whichever statement fails", async () => {
    expect(await tryMigration(make())).toBeGreaterThan(10);
  });

  test.each([["promoted", true], ["left staged", false]])("of calls that run at once and are %s each is there or not, whichever statement fails", async (_, promote) => {
    expect(await tryParallel(make(), promote)).toBeGreaterThan(10);
  });
});

test.each(Object.entries(operations))("%s for which the disk is full at any statement leaves everything as it was", async (_, operation) => {
  const database = new DatabaseSync(":memory:");
  const storage = nodeStorage(database);
  database.exec("CREATE TABLE filler (content BLOB)");
  const fill = (): void => {
    const { page_count } = database.prepare("PRAGMA page_count").get() as { page_count: number };
    database.exec(`PRAGMA max_page_count = ${page_count}`);
    try {
      storage.sql.exec("INSERT INTO filler VALUES (zeroblob(100000000))");
    } finally {
      database.exec("PRAGMA max_page_count = 1000000000");
    }
  };
  expect(await tryFaults(operation, sql(storage), new Fault(fill), expect.stringContaining("full"))).toBeGreaterThan(1);
});
