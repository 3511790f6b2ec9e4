import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";

// What was staged was looked at when its step ended: then a TypeError without a code came of it, until it was discarded.
const none: unknown[] = [null, undefined, 1, { path: "/n" }, { kind: "bogus", path: "/n" }, { kind: "replace", path: 5, value: 1 }, { kind: "splice", path: ["list", 0], index: 0, remove: 1, items: [] }, { kind: "replace", key: 1, value: 1 }];

test.each(none)("%j isn't staged", async (op) => {
  const store = new DurableStateStore(memoryStorage());
  await store.createSession("s", { customState: { n: 0, list: [1] } });
  await expect(store.stageChanges("s", "step", { writes: { ops: [op] } as never })).rejects.toMatchObject({ code: "INVALID_PATCH" });
  store.synced("s").update((draft: any) => void (draft.n = 5));
  expect(await store.promoteStaging("s", "step")).toMatchObject({ conflicts: [] });
});

test("of a child no more is kept than what it is", async () => {
  const store = new DurableStateStore(memoryStorage());
  await store.createSession("s");
  const child = { subSessionId: "c", agentType: "a", parentToolCallId: "t", status: "completed", startedAt: 1, completedAt: 2 } as const;
  const large = { ...child, result: "x".repeat(2_500_000) };
  await store.saveState("s", { subSessionRefs: [large] });
  expect((await store.loadState("s"))!.subSessionRefs).toEqual([child]);
});
