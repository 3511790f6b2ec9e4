import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { nodeStorage, SyncedState } from "patchwire/durable-objects";

/** A storage that fails the next time that a session's revision is asked for, once that was wanted. */
function failing() {
  const stored = nodeStorage(new DatabaseSync(":memory:"));
  const fault = { isDue: false };
  const exec: typeof stored.sql.exec = (query, ...values) => {
    if (fault.isDue && query.includes("SELECT session")) {
      fault.isDue = false;
      throw new Error("the storage failed once");
    }
    return stored.sql.exec(query, ...values);
  };
  const storage = { sql: { exec }, transactionSync: stored.transactionSync.bind(stored) };
  const context = { storage, acceptWebSocket() {}, getWebSockets: () => [], getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {} };
  return { fault, state: new SyncedState(context as never, { initial: { n: 0 } }) };
}

// It was taken for a storage without a state, whose session needs no other name: clients went on as if nothing had been asked.
test("renew says where it couldn't read what is stored", () => {
  const { fault, state } = failing();
  state.increment("/n");
  const { session } = state;
  fault.isDue = true;
  expect(() => state.renew()).toThrow("the storage failed once");
  expect([state.session, state.getState()]).toEqual([session, { n: 1 }]);
  state.renew();
  expect(state.session).not.toBe(session);
  expect([state.revision, state.getState()]).toEqual([1, { n: 1 }]);
});

test("a state that nobody has made yet may be renewed", () => {
  const { state } = failing();
  state.renew();
  expect(state.getState()).toEqual({ n: 0 });
});
