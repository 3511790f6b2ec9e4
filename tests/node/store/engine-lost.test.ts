import { afterEach, expect, test } from "vitest";
import { memoryStorage } from "patchwire/durable-objects";
import { failAt, hasFailed } from "../../support/faults.ts";
import { operations, tryFailures, type Failure } from "../../support/store/faults.ts";
import { plain } from "../../support/store/tables.ts";

// The core dies at each call that an operation makes of it: the operation is done, or it is refused and nothing has changed.

const core: Failure = {
  arm: failAt,
  disarm() {
    const failed = hasFailed();
    failAt(Infinity);
    return failed;
  },
};

afterEach(() => failAt(Infinity));

test.each(Object.entries(operations))("%s", async (_, operation) => {
  const calls = await tryFailures(operation, core, plain(memoryStorage()), { code: "ENGINE_LOST" });
  expect(calls).toBeGreaterThanOrEqual(0);
});
