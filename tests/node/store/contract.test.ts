import { DatabaseSync } from "node:sqlite";
import { describe, test } from "vitest";
import { memoryStorage, nodeStorage } from "patchwire/durable-objects";
import { backend } from "../../store/backends.ts";
import { cases } from "../../store/contract.ts";

describe("in memory", () => {
  test.each(Object.entries(cases))("%s", (_, run) => run(backend(memoryStorage())));
});

describe("in node:sqlite", () => {
  test.each(Object.entries(cases))("%s", (_, run) => run(backend(nodeStorage(new DatabaseSync(":memory:")))));
});
