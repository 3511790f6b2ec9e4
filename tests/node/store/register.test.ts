import { DatabaseSync } from "node:sqlite";
import { describe, test } from "vitest";
import { memoryStorage, nodeStorage } from "patchwire/durable-objects";
import { cases } from "../../support/store/register.ts";
import { plain, sql } from "../../support/store/tables.ts";

describe.each([["in memory", () => plain(memoryStorage())], ["in node:sqlite", () => sql(nodeStorage(new DatabaseSync(":memory:")))]])("%s", (_, make) => {
  test.each(Object.entries(cases))("%s", (_, run) => run(make()));
});
