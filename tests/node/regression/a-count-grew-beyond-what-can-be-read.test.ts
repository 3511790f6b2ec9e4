import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage, nodeStorage } from "patchwire/durable-objects";

// A count of steps beyond the whole numbers that JavaScript tells apart was written, and SQLite's rows couldn't be read any more.

test.each([["node:sqlite", () => nodeStorage(new DatabaseSync(":memory:"))], ["memory", () => memoryStorage()]])("in %s", async (_, storage) => {
  const store = new DurableStateStore(storage());
  await store.createSession("s", { stepCount: Number.MAX_SAFE_INTEGER });
  await store.saveState("s", { resumeCount: Number.MAX_SAFE_INTEGER } as never);
  await expect(store.incrementStepCount("s")).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  await expect(store.incrementResumeCount("s")).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  expect(await store.loadState("s")).toMatchObject({ stepCount: Number.MAX_SAFE_INTEGER, resumeCount: Number.MAX_SAFE_INTEGER });
});
