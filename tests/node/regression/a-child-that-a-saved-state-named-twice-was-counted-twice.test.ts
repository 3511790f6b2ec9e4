import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";

// Both became one row, and the session counted two: its children, and so the session, could never be read again.

test("a saved state adds each child that the session hasn't once", async () => {
  const store = new DurableStateStore(memoryStorage());
  await store.createSession("s");
  const ref = (subSessionId: string) => ({ subSessionId, agentType: "worker", parentToolCallId: "t", startedAt: 1 });
  await store.addSubSessionRefs("s", [ref("a")]);
  const saved = (subSessionId: string) => ({ ...ref(subSessionId), status: "completed" as const });
  await store.saveState("s", { subSessionRefs: [saved("a"), saved("b"), saved("b"), saved("c")] });
  expect((await store.loadState("s"))!.subSessionRefs).toEqual([{ ...ref("a"), status: "running" }, saved("b"), saved("c")]);
});
