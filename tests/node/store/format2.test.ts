import { DatabaseSync } from "node:sqlite";
import { describe, test } from "vitest";
import { memoryStorage, nodeStorage } from "patchwire/durable-objects";
import { tryFormat2, tryState } from "../../support/store/format2.ts";

test("tables of format 2 become ones of the present format, in the transaction that opens them", () => tryFormat2(nodeStorage(new DatabaseSync(":memory:"))));

describe("what was kept of a state beside the core's rows is kept in the register", () => {
  test("in memory", () => tryState(memoryStorage));
  test("in node:sqlite", () => tryState(() => nodeStorage(new DatabaseSync(":memory:"))));
});
