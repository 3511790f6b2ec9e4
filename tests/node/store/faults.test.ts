import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { memoryStorage, nodeStorage } from "patchwire/durable-objects";
import { operations, tryFaults, tryMigration } from "../../support/store/faults.ts";
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
