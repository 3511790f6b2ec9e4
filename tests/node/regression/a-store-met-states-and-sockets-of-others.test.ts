import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage, nodeStorage, SyncedState } from "patchwire/durable-objects";

// A store's custom states have names of their own, as states of the object do. Where one of the object's had such a name, a new
// session took its rows over and couldn't be read; and where a store had been made of the storage alone, another one of the
// same storage had no sockets.
const contextOf = (storage: object, accepted: unknown[] = []) => ({
  storage,
  acceptWebSocket: (socket: unknown) => void accepted.push(socket),
  getWebSockets: () => [],
  getTags: () => [],
  getWebSocketAutoResponse: () => ({}),
  setWebSocketAutoResponse: () => {},
});

test("a session is made beside a state of such a name", async () => {
  const database = new DatabaseSync(":memory:");
  const state = (storage: object, name: string): SyncedState<{ n: number }> => new SyncedState(contextOf(storage) as never, { name, initial: { n: 0 } });
  state(nodeStorage(database), "sessions-1").update((draft) => void draft.n++);
  // The next life of the object, in which another such state hasn't been stored yet.
  const storage = nodeStorage(database);
  const second = state(storage, "sessions-2");
  const store = new DurableStateStore(storage);
  for (const id of ["a", "b"]) await store.createSession(id, { customState: { notes: [id] } });
  second.update((draft) => void (draft.n = 5));
  const last = new DurableStateStore(nodeStorage(database));
  for (const id of ["a", "b"]) expect(await last.loadState(id)).toMatchObject({ version: 1, customState: { notes: [id] } });
  const read = nodeStorage(database);
  expect([1, 2].map((number) => state(read, `sessions-${number}`).getState().n)).toEqual([1, 5]);
});

test("a store of a context has sockets, whatever store was made before", async () => {
  const [storage, accepted]: [ReturnType<typeof memoryStorage>, unknown[]] = [memoryStorage(), []];
  const socket = { serializeAttachment: () => {}, deserializeAttachment: () => null, send: () => {}, close: () => {} };
  const globals = globalThis as { WebSocketPair?: unknown };
  globals.WebSocketPair = class { 0 = {}; 1 = socket; };
  try {
    const upgrade = (): Request => new Request("https://sessions/x", { headers: { Upgrade: "websocket" } });
    const one = new DurableStateStore(storage, { name: "one" });
    await one.createSession("x");
    expect(one.fetch("x", upgrade()).status).toBe(501);
    const other = new DurableStateStore(contextOf(storage, accepted) as never, { name: "other" });
    await other.createSession("x");
    // In Node no response may have the status of an upgrade.
    expect(() => other.fetch("x", upgrade())).toThrow(RangeError);
    expect(accepted).toEqual([socket]);
    // So has a state that was in memory before.
    const again = new DurableStateStore(contextOf(storage, accepted) as never, { name: "one" });
    expect(() => again.fetch("x", upgrade())).toThrow(RangeError);
    expect(accepted).toEqual([socket, socket]);
  } finally {
    delete globals.WebSocketPair;
  }
});
