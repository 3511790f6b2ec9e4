import { expect, test } from "vitest";
import { DurableStreamManager, type StreamChunk } from "patchwire/durable-objects";
import { cases, delta, opened, stored, tryDamage } from "../support/streams.ts";
import { sql } from "../support/store/tables.ts";
import { backend } from "../support/store/backends.ts";
import { inBare } from "./session.ts";

test.each(Object.entries(cases))("%s", (_, run) => inBare((ctx) => run(backend(ctx.storage).place as typeof ctx.storage)));

test("rows that are damaged or missing", () => inBare((ctx) => tryDamage(sql(ctx.storage))));

test("a chunk writes one row, or two where it begins another row of chunks", () =>
  inBare(async (ctx) => {
    const { storage } = ctx;
    let cursors: { rowsWritten: number }[] = [];
    const exec: typeof storage.sql.exec = (query, ...bindings) => {
      const cursor = storage.sql.exec(query, ...bindings);
      cursors.push(cursor);
      return cursor as never;
    };
    const streams = new DurableStreamManager({ sql: { exec }, transactionSync: (run) => storage.transactionSync(run) });
    const writer = await streams.createWriter("s", "run", "writer");
    const costs: number[] = [];
    for (let i = 0; i < 500; i++) {
      cursors = [];
      await writer.write(delta("token"));
      costs.push(cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0));
    }
    expect(Math.max(...costs)).toBe(2);
    expect(costs.filter((rows) => rows === 2).length).toBeLessThan(30);
  }));

test("what a transaction that waits rolls back is shown to nobody", () =>
  inBare(async ({ storage }) => {
    const streams = new DurableStreamManager(storage);
    const writer = await streams.createWriter("s", "run", "writer");
    await writer.write(delta("a"));
    const reader = (await streams.createResumableReader("s")) as unknown as AsyncIterator<StreamChunk>;
    await reader.next();
    let next: Promise<unknown> | undefined;
    await storage.transaction(async (transaction) => {
      await writer.write(delta("lost"));
      next = reader.next();
      await scheduler.wait(1);
      transaction.rollback();
    });
    await writer.write(delta("b"));
    expect(await next).toMatchObject({ value: { delta: "b" } });
    expect(await stored(opened(storage))).toEqual([[1, "a"], [2, "b"]]);
  }));

test("a storage that was deleted begins anew", () =>
  inBare(async ({ storage }) => {
    const streams = new DurableStreamManager(storage);
    const writer = await streams.createWriter("s", "run", "writer");
    await writer.write(delta("a"));
    await storage.deleteAll();
    expect(await streams.getStreamInfo("s")).toBeNull();
    await (await streams.createWriter("s", "run", "writer")).write(delta("b"));
    expect(await stored(opened(storage))).toEqual([[1, "b"]]);
  }));
