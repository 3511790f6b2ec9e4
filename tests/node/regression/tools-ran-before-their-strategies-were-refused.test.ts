import { expect, test } from "vitest";
import { parallel, StateTracker } from "patchwire";
import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";

// Strategies were looked at when what the tools did was merged: then they had run, and their calls were staged.

const each = [[{ "no pointer": "first" }, "INVALID_POINTER"], [5, "VALIDATION_FAILED"], [() => 1, "VALIDATION_FAILED"], [1n, "VALIDATION_FAILED"], [[], "VALIDATION_FAILED"]] as const;

test.each(each)("%s", async (strategies, code) => {
  let ran = 0;
  const run = async (): Promise<void> => void ran++;
  const store = new DurableStateStore(memoryStorage());
  await store.createSession("s", { customState: { n: 1 } });
  await expect(store.parallel("s", "step", [{ toolCallId: "a", run }], { strategies: strategies as never })).rejects.toMatchObject({ code });
  await expect(store.parallel("s", "step", [{ toolCallId: "a", run }], { promote: "no" as never })).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  await expect(parallel(new StateTracker({ n: 1 }), [run], { strategies: strategies as never })).rejects.toMatchObject({ code });
  expect([ran, await store.getStaged("s", "step")]).toEqual([0, null]);
});
