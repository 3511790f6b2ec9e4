import { afterEach, expect, test, vi } from "vitest";
import { connect, type ConnectOptions } from "patchwire/client";

// A module of a page is run by the server that renders the page, too. There `connect` threw `Invalid URL` for a relative
// url, and in Node 20 that there is no WebSocket. Node has no `location`, which is what tells that there is no page.

afterEach(() => vi.unstubAllGlobals());

const opened = vi.fn();
const Socket = function (url: string) {
  opened(url);
} as unknown as NonNullable<ConnectOptions["WebSocket"]>;

test.each(["/session/demo", "session/demo?a:b", "//host/session"])("a client of %s waits where there is no page", async (url) => {
  const onError = vi.fn();
  const client = connect<{ notes: string[] }>({ url, WebSocket: Socket, onError });
  const heard = vi.fn();
  const end = client.subscribe(heard);
  client.subscribe("/notes", heard);
  await new Promise((later) => setTimeout(later, 20));
  expect([client.status, client.getState(), client.get("/notes"), client.revision, client.stats.frames]).toEqual(["connecting", undefined, undefined, 0, 0]);
  expect([opened.mock.calls, heard.mock.calls, onError.mock.calls]).toEqual([[], [], []]);
  client.close();
  await null;
  expect([client.status, heard.mock.calls.length]).toEqual(["closed", 1]);
  end();
});

test("without a WebSocket it waits too, and says why to who wants to know", async () => {
  vi.stubGlobal("WebSocket", undefined);
  const onError = vi.fn();
  expect(connect({ url: "wss://host/session", onError }).status).toBe("connecting");
  expect(connect({ url: "wss://host/session" }).status).toBe("connecting");
  await null;
  expect(onError.mock.calls.map(([error]) => `${error}`)).toEqual(["PatchwireError: CLOSED: there is no WebSocket here: pass one as `WebSocket`"]);
});

test("what is no url is refused there as anywhere", () => {
  for (const url of ["http://[", "ftp://host/", "mailto:a"]) expect(() => connect({ url, WebSocket: Socket })).toThrow(TypeError);
});
