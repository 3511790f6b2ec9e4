import { expect, test, vi } from "vitest";
import { connect } from "patchwire/client";
import { Line, snapshot } from "../support/line.ts";

// `onError` was called in the middle of what the core wanted done. A client that it closed opened another socket all the same, for good, and
// that one's events met a client without a core: TypeErrors that nobody could catch.

/** A connection that never opens. */
class Dead extends Line {
  override tell(type: string, event: object): void {
    if (type !== "open") super.tell(type, event);
  }
}

test("a client that onError closes stays closed", async () => {
  Line.all = [];
  const codes: string[] = [];
  const client = connect({ url: "ws://there/", WebSocket: Dead, onError: (error) => {
    codes.push(error.code);
    client.close();
  } });
  for (let i = 0; i < 8 && client.status !== "closed"; i++) {
    Line.all.at(-1)?.tell("close", { code: 1006 });
    if (codes.length === 0) client.reconnect();
  }
  const before = Line.all.length;
  await new Promise((later) => setTimeout(later, 20));
  for (const line of Line.all) {
    line.tell("message", { data: "{}" });
    line.tell("close", { code: 1006 });
  }
  expect([client.status, codes, Line.all.length]).toEqual(["closed", ["NOT_FOUND"], before]);
});

test("so does one whose url function throws", async () => {
  let asked = 0;
  const client = connect({ url: () => {
    asked++;
    throw new Error("no token");
  }, WebSocket: Line, onError: () => client.close() });
  await vi.waitUntil(() => client.status === "closed", { interval: 1 });
  await new Promise((later) => setTimeout(later, 20));
  expect(asked).toBe(1);
});

test("one that onPatch closes shows the patch, and nothing after it", async () => {
  Line.all = [];
  const client = connect<{ n: number }>({ url: "ws://there/", WebSocket: Line, onPatch: () => client.close(), onError() {} });
  await vi.waitUntil(() => Line.all[0]?.sent.length === 1, { interval: 1 });
  Line.all[0]!.say(...snapshot({ n: 1 }));
  const patch = (revision: number) => ({ type: "chunk", sequence: revision, revision, chunk: { type: "state_patch", patches: [{ op: "replace", path: "/n", value: revision }] } });
  Line.all[0]!.say(patch(2), patch(3));
  expect([client.status, client.getState()?.n, Line.all.length]).toEqual(["closed", 2, 1]);
});

test("a socket that can't send is another attempt's reason", async () => {
  Line.all = [];
  class Broken extends Line {
    override send(text: string): void {
      if (Line.all.length === 1) throw new Error("it is closing");
      super.send(text);
    }
  }
  const client = connect<{ n: number }>({ url: "ws://there/", WebSocket: Broken });
  await vi.waitUntil(() => Line.all.length === 2 && Line.all[1]!.sent.length === 1, { interval: 5, timeout: 5_000 });
  Line.all[1]!.say(...snapshot({ n: 1 }));
  await vi.waitUntil(() => client.status === "live", { interval: 1 });
  client.close();
});
