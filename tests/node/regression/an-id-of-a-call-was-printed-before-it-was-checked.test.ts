import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";

// A step in which something was staged looked for the call's id first, and printing one that is none threw what it throws.

const cycle: unknown[] = [];
cycle.push(cycle);

test.each([[1n], [Symbol("s")], [() => 1], [cycle], [{ toJSON: () => { throw new Error("mine"); } }]])("%s", async (toolCallId) => {
  const store = new DurableStateStore(memoryStorage());
  await store.createSession("s", { customState: { n: 1 } });
  const writes = { ops: [{ kind: "increment" as const, path: "/n", by: 1 }], warnings: [] };
  await store.stageChanges("s", "step", { writes, toolCallId: "known" });
  await expect(store.stageChanges("s", "step", { writes, toolCallId: toolCallId as never })).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  expect(await store.getStaged("s", "step")).toHaveLength(1);
});
