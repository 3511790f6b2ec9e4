import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";

// What is no text was looked up as its text: a list with one status in it passed for that, and what has no text threw without a code.

let deep: unknown = "running";
for (let i = 0; i < 20_000; i++) deep = [deep];

test.each([["a list", ["running"]], ["what has no text", Object.create(null)], ["what nests deep", deep]])("%s", async (_, status) => {
  const store = new DurableStateStore(memoryStorage());
  await store.createSession("s");
  const refused = { code: "VALIDATION_FAILED" };
  await expect(store.updateStatus("s", status as never)).rejects.toMatchObject(refused);
  await expect(store.createSession("t", { status: status as never })).rejects.toMatchObject(refused);
  await expect(store.saveState("s", { status } as never)).rejects.toMatchObject(refused);
  await expect(store.compareAndSetStatus("s", [status as never], "paused")).rejects.toMatchObject(refused);
  expect(await store.loadState("s")).toMatchObject({ status: "active", version: 1 });
  expect(await store.loadState("t")).toBeNull();
});
