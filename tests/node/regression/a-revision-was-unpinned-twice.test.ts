import { afterEach, expect, test } from "vitest";
import { memoryStorage, SyncedState } from "patchwire/durable-objects";
import { failAt } from "../../support/faults.ts";

// Where the core died after a pin had been taken away, that was done again: of two pins both went, and of one `unpin` said that
// there was none.
afterEach(() => failAt(Infinity));

test("unpin takes one pin away, whenever the core dies", () => {
  for (const times of [1, 2]) {
    for (let call = 1; call <= 4; call++) {
      const ctx = { storage: memoryStorage(), acceptWebSocket: () => {}, getWebSockets: () => [], getWebSocketAutoResponse: () => ({}), setWebSocketAutoResponse: () => {} };
      const state = new SyncedState(ctx, { initial: { n: 0 } });
      for (let i = 0; i < times; i++) state.pin();
      failAt(call);
      state.unpin(0);
      failAt(Infinity);
      expect(state.pins).toEqual(times === 1 ? [] : [0]);
    }
  }
});
