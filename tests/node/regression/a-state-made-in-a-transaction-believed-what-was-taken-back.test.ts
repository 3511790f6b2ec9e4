import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage, nodeStorage, SyncedState, type DurableContext, type SyncedEvent } from "patchwire/durable-objects";
import { hello, Socket } from "../support/sockets.ts";

// Transactions are noted from when a storage's first state is made. One that had begun before wasn't known to be open: what was
// done in it was told at once, and believed after it had been taken back.

const none = { acceptWebSocket() {}, getWebSockets: (): Socket[] => [], getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {} };
const refused = new Error("refused by the caller's own code");

test.each([["new", false], ["stored", true]])("a %s state that is first used in a transaction that is taken back", async (_, isStored) => {
  const database = new DatabaseSync(":memory:");
  const before = new SyncedState(Object.assign({ storage: nodeStorage(database) }, none) as unknown as DurableContext, { initial: { n: 1 } });
  if (isStored) before.increment("/n");
  const [events, socket]: [SyncedEvent[], Socket] = [[], new Socket()];
  const storage = nodeStorage(database);
  const context = { ...none, storage, getWebSockets: () => [socket] } as unknown as DurableContext;
  let state!: SyncedState<{ n: number }>;
  const attempt = (): void => storage.transactionSync(() => {
    state = new SyncedState(context, { initial: { n: 1 }, onEvent: (event) => events.push(event) });
    state.update((draft) => void (draft.n += 10));
    expect(state.getState().n).toBe(isStored ? 12 : 11);
    throw refused;
  });
  expect(attempt).toThrow(refused);
  await Promise.resolve();
  const n = isStored ? 2 : 1;
  expect([state.getState(), state.revision, events]).toEqual([{ n }, n - 1, []]);
  hello(state, socket);
  state.increment("/n");
  expect(state.getState().n).toBe(n + 1);
  expect(socket.revisions).toEqual([n - 1, n]);
});

test("a state that is first used in a transaction tells of it when it has ended", async () => {
  const storage = nodeStorage(new DatabaseSync(":memory:"));
  const events: SyncedEvent[] = [];
  const context = { ...none, storage } as unknown as DurableContext;
  storage.transactionSync(() => new SyncedState(context, { initial: { n: 1 }, onEvent: (event) => events.push(event) }).increment("/n"));
  expect(events).toEqual([]);
  await Promise.resolve();
  expect(events.map(({ type }) => type)).toEqual(["commit"]);
});

test("a state answers in the turn in which it is made", async () => {
  const state = new SyncedState({ ...none, storage: nodeStorage(new DatabaseSync(":memory:")) } as unknown as DurableContext, { initial: { n: 1 } });
  const response = state.fetch(new Request("https://object/")) as Response;
  expect([response.status, await response.json()]).toMatchObject([200, { revision: 0, state: { n: 1 } }]);
});

test.each([["SQLite", () => nodeStorage(new DatabaseSync(":memory:"))], ["memory", memoryStorage]])("a store that is made in a transaction that is taken back can be used after it: %s", async (_, make) => {
  const storage = make();
  let [store, begun]: [DurableStateStore | undefined, Promise<unknown> | undefined] = [undefined, undefined];
  const attempt = (): void => storage.transactionSync(() => {
    store = new DurableStateStore(storage);
    begun = store.createSession("s", { customState: { n: 0 } });
    throw refused;
  });
  expect(attempt).toThrow(refused);
  await begun?.catch(() => {});
  expect(await store!.sessionExists("s")).toBe(false);
  await store!.createSession("t", { customState: { n: 1 } });
  expect((await store!.loadState("t"))?.customState).toEqual({ n: 1 });
});
