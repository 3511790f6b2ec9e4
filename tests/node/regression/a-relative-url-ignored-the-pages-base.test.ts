import { afterEach, expect, test, vi } from "vitest";
import { connect, type ConnectOptions } from "patchwire/client";

// `fetch` takes a relative url to be relative to what the page says (`<base>`), and in a document without a url of its own, as of an
// `<iframe srcdoc>`, to its parent's. `connect` went by the address alone: to another place, or nowhere at all.

afterEach(() => vi.unstubAllGlobals());

test.each([
  ["https://host/page", "https://host/session/", "demo", "wss://host/session/demo"],
  ["about:srcdoc", "https://host/page", "/session/demo", "wss://host/session/demo"],
])("on a page at %s with the base %s", (href, baseURI, url, connected) => {
  vi.stubGlobal("location", { href });
  vi.stubGlobal("document", { baseURI, visibilityState: "visible" });
  const urls: string[] = [];
  const WebSocket = function (url: string) {
    urls.push(url);
    return { addEventListener() {}, send() {}, close() {} };
  } as unknown as NonNullable<ConnectOptions["WebSocket"]>;
  connect({ url, WebSocket }).close();
  expect(urls).toEqual([connected]);
});
