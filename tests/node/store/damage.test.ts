import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryStorage, nodeStorage } from "patchwire/durable-objects";
import { tryReading, writer } from "../../support/store/damage.ts";
import { plain, sql } from "../../support/store/tables.ts";
import { asked } from "../support/runs.ts";

const storages = { "in memory": () => plain(memoryStorage()), "in node:sqlite": () => sql(nodeStorage(new DatabaseSync(":memory:"))) };

describe.each(Object.entries(storages))("%s", (_, make) => {
  test("who reads damaged rows is told of them", async () => {
    expect(await tryReading(make())).toBeGreaterThan(500);
  });
});

// One storage is enough for these: that all of them tell the same of their rows is shown above.
describe("who writes after damage makes no wrong state of it", () => {
  test("any operation, without any row", async () => {
    const { damages, operations, write } = await writer(plain(memoryStorage()));
    for (const damage of damages.filter(({ what }) => what.endsWith("is missing"))) for (const operation of operations) await write(damage, operation);
  });

  test("some operations, after some damage", async () => {
    const { damages, operations, write } = await writer(plain(memoryStorage()));
    await fc.assert(fc.asyncProperty(fc.constantFrom(...damages), fc.constantFrom(...operations), write), asked(300));
  });
});
