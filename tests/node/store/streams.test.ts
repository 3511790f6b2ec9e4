import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { DurableStreamManager, memoryStorage, nodeStorage, type StoreStorage } from "patchwire/durable-objects";
import { plain, sql } from "../../support/store/tables.ts";
import { cases, stored, tryDamage } from "../../support/streams.ts";

const inSqlite = (): Exclude<StoreStorage, { table: unknown }> => nodeStorage(new DatabaseSync(":memory:")) as never;

describe("in memory", () => {
  test.each(Object.entries(cases))("%s", (_, run) => run(memoryStorage()));
  test("rows that are damaged or missing", () => tryDamage(plain(memoryStorage() as never)));
});

describe("in node:sqlite", () => {
  test.each(Object.entries(cases))("%s", (_, run) => run(inSqlite()));
  test("rows that are damaged or missing", () => tryDamage(sql(inSqlite())));
});

test("a storage that was deleted begins anew", async () => {
  const storage = memoryStorage();
  const streams = new DurableStreamManager(storage);
  const writer = await streams.createWriter("s", "run", "writer");
  await writer.write({ type: "text_delta", agentId: "run", delta: "a" });
  const next = expect((async () => { for await (const _ of (await streams.createResumableReader("s", { fromSequence: 1 }))!); })()).rejects.toMatchObject({ code: "NOT_FOUND" });
  await new Promise((resolve) => setTimeout(resolve));
  await storage.deleteAll!();
  await next;
  expect(await streams.getStreamInfo("s")).toBeNull();
  await (await streams.createWriter("s", "run", "writer")).write({ type: "text_delta", agentId: "run", delta: "b" });
  expect(await stored(streams)).toEqual([[1, "b"]]);
});

test.each([[undefined], ["storage"], [{}]])("a place is a context or a storage, and not %o", (place) => {
  expect(() => new DurableStreamManager(place as never)).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
});

test.each([[{ name: "" }], [{ name: "a b" }], [{ name: 1 }], [{ names: "a" }], [null]])("options aren't %o", (options) => {
  expect(() => new DurableStreamManager(memoryStorage(), options as never)).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
});
