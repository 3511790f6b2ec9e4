import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { nodeStorage, SyncedState, type DurableContext, type SyncedEvent } from "patchwire/durable-objects";

// When the rows of a commit have been written, the core may read the log, to begin anew over a base. Where that read failed, whoever made the
// change was told that it had failed, and nobody was told of the commit.

test("a change is made, whatever can't be read after it was committed", async () => {
  const storage = nodeStorage(new DatabaseSync(":memory:"));
  const { exec } = storage.sql;
  let [isBased, failures] = [false, 0];
  storage.sql.exec = (query, ...bindings) => {
    if (/INSERT.*_roots/is.test(query)) isBased = true;
    // The newest row is looked at before each commit.
    else if (isBased && /^\s*SELECT.*_log/is.test(query) && !query.includes("COALESCE")) {
      [isBased, failures] = [false, failures + 1];
      throw new Error("the disk can't be read");
    }
    return exec.call(storage.sql, query, ...bindings);
  };
  const events: SyncedEvent[] = [];
  const sockets = { acceptWebSocket() {}, getWebSockets: () => [], getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {} };
  const state = new SyncedState<{ texts: string[]; n: number }>({ storage, ...sockets } as DurableContext, { initial: { texts: [], n: 0 }, onEvent: (event) => events.push(event) });
  expect(state.revision).toBe(0);
  await Promise.resolve();
  isBased = false;
  for (let i = 1; i <= 60; i++) {
    state.update((draft) => {
      draft.texts[(i - 1) % 20] = `${i} `.repeat(5_000);
      draft.n = i;
    });
    expect(state.revision).toBe(i);
  }
  expect(failures).toBeGreaterThan(1);
  expect(state.getState().n).toBe(60);
  expect(events.filter(({ type }) => type === "commit").map((event) => (event as { revision: number }).revision)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
});
