import { expect, test } from "vitest";
import { newSession, within } from "../session.ts";

// `webSocketClose` of a state closed whatever it was given, so an object with sockets of its own had to ask for their tags.
test("a state leaves the sockets of others alone", async () => {
  await within(newSession(), ({ state, usage }, ctx) => {
    const own = new WebSocketPair();
    ctx.acceptWebSocket(own[1], ["mine"]);
    const bare = new WebSocketPair();
    bare[1].accept();
    for (const socket of [own[1], bare[1]]) {
      state.webSocketMessage(socket, "{}");
      state.webSocketClose(socket);
      usage.webSocketError(socket);
      expect(socket.readyState).toBe(WebSocket.OPEN);
    }
    const { webSocket } = usage.fetch(new Request("http://session/", { headers: { Upgrade: "websocket" } })) as Response;
    webSocket!.accept();
    const [ours] = ctx.getWebSockets("patchwire:usage");
    state.webSocketClose(ours!);
    expect(ours!.readyState).toBe(WebSocket.OPEN);
    usage.webSocketClose(ours!);
    expect(ours!.readyState).not.toBe(WebSocket.OPEN);
  });
});
