import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage, nodeStorage, type StoreStorage } from "patchwire/durable-objects";
import { HashedTable } from "../../../pkg/dist/tables/hashed-table.js";
import { tablesOf } from "../../../pkg/dist/tables/rows.js";
import { NUMBERS } from "../../../pkg/dist/store/sessions.js";
import { backend } from "../../support/store/backends.ts";
import { begun, stateOf } from "../../support/store/contract.ts";

// What the tables of sessions mean has a number.

const numbersOf = (storage: StoreStorage) => new HashedTable(tablesOf(storage), { ...NUMBERS, name: "sessions:numbers" });

test.each(Object.entries({ memory: memoryStorage, sqlite: () => nodeStorage(new DatabaseSync(":memory:")) }))("%s: tables of a format to come are refused, and stay as they are", async (_, make) => {
  const { place, reopened } = backend(make());
  await begun(place);
  const numbers = numbersOf(place as StoreStorage);
  const present = numbers.row([2])!;
  numbers.put({ ...present, last: 5 });
  const later = expect.objectContaining({ code: "VALIDATION_FAILED", message: expect.stringContaining("a format that this version doesn't know: row [2] of sessions:numbers") });
  const store = new DurableStateStore(reopened());
  await expect(store.loadState("s")).rejects.toEqual(later);
  await expect(store.createSession("new")).rejects.toEqual(later);
  await expect(store.repair()).rejects.toEqual(later);
  expect(numbers.row([2])).toEqual({ id: 2, last: 5 });
  numbers.put(present);
  expect(await stateOf(store)).toMatchObject({ version: 1 });
  // One that is lost is the present one again.
  numbers.delete({ prefix: [2] });
  expect(await stateOf(new DurableStateStore(reopened()))).toMatchObject({ version: 1 });
  expect(numbers.row([2])).toEqual(present);
});
