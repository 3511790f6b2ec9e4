import { expect, test } from "vitest";
import { memoryStorage } from "patchwire/durable-objects";

// What had been deleted was put back as the arguments of one call, which the stack hasn't room for beyond some 120,000.

test("a transaction that deletes 200,000 rows and fails leaves them all", () => {
  const storage = memoryStorage();
  const table = storage.table({ name: "rows", key: { id: "INTEGER" }, columns: { text: "TEXT" } });
  for (let id = 0; id < 200_000; id++) table.put({ id, text: "" });
  const failing = (): void =>
    storage.transactionSync(() => {
      table.delete({ from: 1 });
      throw new Error("no");
    });
  expect(failing).toThrow("no");
  const rows = table.rows({});
  expect(rows.length).toBe(200_000);
  expect(rows[199_999]).toEqual({ id: 199_999, text: "" });
});
