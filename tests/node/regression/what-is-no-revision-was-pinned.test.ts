import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
import { refusal } from "../support/refusal.ts";

// What JavaScript takes for a number where the core wants one was a revision: it was pinned as it was given, and could never be unpinned.

test.each([[null], [[]], [""], ["0"], [[0]], [new Date(0)], [0n], [0.5], [NaN], [-1], [2 ** 60]])("%s is refused", async (given) => {
  const store = new DurableStateStore(memoryStorage());
  await store.createSession("s", { customState: { n: 1 } });
  const state = store.synced("s");
  for (const call of [() => state.pin(given as never), () => state.at(given as never), () => state.restore(given as never), () => state.unpin(given as never)]) {
    expect(refusal(call).code).toBe("VALIDATION_FAILED");
  }
  expect([state.pins, state.revision]).toEqual([[], 0]);
});
