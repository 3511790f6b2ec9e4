import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { memoryStorage, nodeStorage } from "patchwire/durable-objects";
import { backend } from "../../store/backends.ts";
import { operations, tryFaults, type Fault } from "../../store/faults.ts";

const storages = { "in memory": memoryStorage, "in node:sqlite": () => nodeStorage(new DatabaseSync(":memory:")) };

describe.each(Object.entries(storages))("%s", (_, make) => {
  test.each(Object.entries(operations))("%s that fails at any statement leaves everything as it was", async (_, operation) => {
    expect(await tryFaults(operation, (fault: Fault) => backend(make(), (storage) => fault.around(storage as never)))).toBeGreaterThan(1);
  });
});
