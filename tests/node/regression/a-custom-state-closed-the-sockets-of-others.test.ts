import { DatabaseSync } from "node:sqlite";
import { DurableStateStore, nodeStorage } from "patchwire/durable-objects";
import { expect, test } from "vitest";
import { Socket } from "../support/sockets.ts";

// The state of an agent's session wasn't told which sockets are whose: given what came for all of the object's, it took them for its own, and
// closed them.

test("a session's state leaves the sockets of others alone", async () => {
  const chat = new Socket();
  const context = {
    storage: nodeStorage(new DatabaseSync(":memory:")),
    acceptWebSocket() {},
    getWebSockets: () => [],
    getTags: () => ["chat"],
    getWebSocketAutoResponse: () => "",
    setWebSocketAutoResponse() {},
  };
  const store = new DurableStateStore(context as never);
  await store.createSession("s", { customState: { n: 0 } });
  const state = store.synced<{ n: number }>("s");
  state.webSocketMessage(chat as never, "hello");
  state.webSocketClose(chat as never);
  state.webSocketError(chat as never);
  expect([chat.isClosed, chat.frames]).toEqual([false, []]);
});
