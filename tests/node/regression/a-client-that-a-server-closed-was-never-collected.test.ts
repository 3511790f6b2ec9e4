import { afterEach, expect, test, vi } from "vitest";
import { connect, type ConnectOptions } from "patchwire/client";

// A client listens to the page, to know when the network may have changed. It took its listeners away in `close` alone, so the page
// kept a client that the server had closed for good.

afterEach(() => vi.unstubAllGlobals());

test("who was closed for good listens to nothing any more", () => {
  const page = new EventTarget();
  const listeners = new Set<unknown>();
  vi.stubGlobal("addEventListener", (type: string, listener: EventListener) => (listeners.add(type), page.addEventListener(type, listener)));
  vi.stubGlobal("removeEventListener", (type: string, listener: EventListener) => (listeners.delete(type), page.removeEventListener(type, listener)));
  const socket = new EventTarget();
  const WebSocket = function () {
    return Object.assign(socket, { send() {}, close() {} });
  } as unknown as NonNullable<ConnectOptions["WebSocket"]>;
  const client = connect({ url: "wss://host/session", WebSocket, onError() {} });
  expect([...listeners]).toContain("online");
  socket.dispatchEvent(Object.assign(new Event("close"), { code: 1008, reason: "no" }));
  expect([client.status, [...listeners]]).toEqual(["closed", []]);
});
