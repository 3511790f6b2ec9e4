import { afterEach, expect, test } from "vitest";
import { memoryStorage, SyncedState } from "patchwire/durable-objects";
import { failAt, hasFailed } from "../../support/faults.ts";

// When a transaction of the object's own has ended, its states look whether what they committed has stayed. A core that
// died in that look made the transaction throw ENGINE_LOST, though it was committed: whoever tried again did it twice.

afterEach(() => failAt(Infinity));

test("a transaction that is committed doesn't throw, wherever the core dies after it", () => {
  for (let at = 1, isOver = false; !isOver; at++) {
    const storage = memoryStorage();
    const context = { storage, acceptWebSocket() {}, getWebSockets: () => [], getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {} };
    const state = new SyncedState(context, { initial: { count: 0 } });
    state.increment("/count");
    const count = (): number => {
      state.unload();
      return state.getState().count;
    };
    failAt(at);
    let error: unknown;
    try {
      storage.transactionSync(() => state.increment("/count"));
    } catch (thrown) {
      error = thrown;
    }
    isOver = !hasFailed();
    failAt(Infinity);
    expect([at, error === undefined, count()]).toEqual([at, error === undefined, error === undefined ? 2 : 1]);
  }
});
