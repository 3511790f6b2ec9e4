import { describe, test } from "vitest";
import type { DurableContext } from "patchwire/durable-objects";
import { backend } from "../store/backends.ts";
import { cases } from "../store/contract.ts";
import { inBare } from "./session.ts";

describe.each([
  ["an object's storage", (storage: DurableContext["storage"]) => storage],
  ["an object's context", (storage: DurableContext["storage"], ctx: DurableObjectState) => contextOf(ctx, storage)],
])("%s", (_, around) => {
  test.each(Object.entries(cases))("%s", (_, run) => inBare((ctx) => run(backend(ctx.storage, (storage) => around(storage, ctx)))));
});

/** The object's context, with a storage that stands for its own. */
function contextOf(ctx: DurableObjectState, storage: DurableContext["storage"]): DurableContext {
  return {
    storage,
    acceptWebSocket: (socket, tags) => ctx.acceptWebSocket(socket as WebSocket, tags),
    getWebSockets: (tag) => ctx.getWebSockets(tag),
    getWebSocketAutoResponse: () => ctx.getWebSocketAutoResponse(),
    setWebSocketAutoResponse: (pair) => ctx.setWebSocketAutoResponse(pair as WebSocketRequestResponsePair),
  };
}
