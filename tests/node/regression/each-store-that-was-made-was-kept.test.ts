import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";

// To make a store costs nothing, so an object may make one for each request. The storage's transactions knew each of them for ever, with its
// tables, some 5 KB, to tell it where all is deleted.
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const heap = async (): Promise<number> => {
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
  }
  return process.memoryUsage().heapUsed;
};

test("stores of one storage leave nothing in memory", async () => {
  const storage = memoryStorage();
  await new DurableStateStore(storage).createSession("x");
  const pass = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await new DurableStateStore(storage, { name: i % 2 === 0 ? "sessions" : "others" }).sessionExists("x");
  };
  await pass(1_000);
  const before = await heap();
  await pass(5_000);
  expect((await heap()) - before).toBeLessThan(5_000 * 1_000);
}, 60_000);

test("each knows that all was deleted", async () => {
  const storage = memoryStorage();
  const stores = Array.from({ length: 3 }, () => new DurableStateStore(storage));
  await stores[0]!.createSession("x", { customState: { n: 1 } });
  for (const store of stores) expect(await store.loadState("x")).toMatchObject({ customState: { n: 1 } });
  await storage.deleteAll!();
  for (const store of stores) expect(await store.loadState("x")).toBe(null);
  await stores[1]!.createSession("x", { customState: { n: 2 } });
  for (const store of stores) expect(await store.loadState("x")).toMatchObject({ customState: { n: 2 }, version: 1 });
  const refused = new Error("refused");
  // Taken back with what was deleted in it.
  expect(() => storage.transactionSync(() => {
    void storage.deleteAll!();
    throw refused;
  })).toThrow(refused);
  for (const store of stores) expect(await store.loadState("x")).toMatchObject({ customState: { n: 2 }, version: 1 });
});
