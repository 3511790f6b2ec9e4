import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { DurableStateStore, nodeStorage } from "patchwire/durable-objects";
import { hello, Socket } from "../support/sockets.ts";

// An object woke, and a store of its storage alone was the first to read a session's state, which had no sockets then. A store of the object's
// context came later, and shared that state: the sockets that had outlived the memory were told of no commit, and showed an old state as live.

interface Count {
  n: number;
  answer?: unknown;
}

const later = (): Promise<void> => new Promise((done) => setTimeout(done, 1));

async function slept() {
  const database = new DatabaseSync(":memory:");
  const socket = new Socket();
  const contextOf = () => ({
    storage: nodeStorage(database),
    acceptWebSocket() {}, getWebSockets: () => [socket], getTags: () => ["patchwire:sessions-1"], getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {},
  });
  const before = new DurableStateStore(contextOf() as never);
  await before.createSession("x", { customState: { n: 0 } });
  const state = before.synced<Count>("x");
  hello(state, socket);
  add(before);
  await later();
  expect(socket.revisions).toEqual([0, 1]);
  return { socket, context: contextOf() };
}

const add = (store: DurableStateStore): void => store.synced<Count>("x").update((draft) => void draft.n++);

test("they are told by the state that was read without them", async () => {
  const { socket, context } = await slept();
  const bare = new DurableStateStore(context.storage);
  await later();
  add(bare);
  expect(socket.revisions).toEqual([0, 1]);
  const state = bare.synced<Count>("x");
  new DurableStateStore(context as never);
  state.update((draft) => void draft.n++);
  expect(socket.revisions.at(-1)).toBe(3);
  state.update((draft) => void draft.n++);
  expect(socket.revisions.at(-1)).toBe(4);
});

test("and where a stream wrote to that, once it has ended", async () => {
  const { socket, context } = await slept();
  const bare = new DurableStateStore(context.storage);
  const answer = bare.synced<Count>("x").stream("/answer");
  answer.write('{"a":1');
  const store = new DurableStateStore(context as never);
  add(store);
  answer.write("}");
  answer.end();
  add(store);
  await later();
  const { revision } = store.synced("x");
  expect(socket.revisions.at(-1)).toBe(revision);
  expect(store.synced("x").getState()).toEqual({ n: 3, answer: { a: 1 } });
});
