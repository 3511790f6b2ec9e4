import { DatabaseSync } from "node:sqlite";
import { test } from "vitest";
import { nodeStorage } from "patchwire/durable-objects";
import { tryFormat1 } from "../../support/store/format1.ts";

test("tables of format 1 become ones of the present format, in the transaction that opens them", () => tryFormat1(nodeStorage(new DatabaseSync(":memory:"))));
