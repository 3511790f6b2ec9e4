import { expect, test, vi } from "vitest";
import { connect } from "patchwire/client";
import { Line, snapshot } from "../support/line.ts";

// A client that was closed kept its state twice, JavaScript's, which is shown, and the core's, for as long as anybody held it: pages that
// keep the clients of earlier sessions grew by a state each, and the core's memory never shrinks.

const text = "a line of text that is long enough ".repeat(4_000);

async function opened() {
  Line.all = [];
  const client = connect<{ text: string; n: number }>({ url: "ws://there/", WebSocket: Line, onError() {} });
  await vi.waitUntil(() => Line.all[0]?.sent.length === 1, { interval: 1 });
  Line.all[0]!.say(...snapshot({ text, n: 1 }));
  return client;
}

test("200 clients that were closed, and are held, take no memory of the core", async () => {
  const held = [await opened(), await opened()];
  held.forEach((client) => client.close());
  const before = process.memoryUsage().external;
  for (let i = 0; i < 200; i++) {
    const client = await opened();
    if (i % 2 === 0) client.close();
    else Line.all[0]!.tell("close", { code: 1008, reason: "it is over" });
    held.push(client);
  }
  // Each state has 140 KB.
  expect(process.memoryUsage().external - before).toBeLessThan(200 * 140_000 * 0.2);
  expect(held.map((client) => [client.status, client.getState()?.n, client.revision])).toEqual(held.map(() => ["closed", 1, 1]));
});

test("nothing more is done with one", async () => {
  const client = await opened();
  client.subscribe("/n", () => client.close());
  Line.all[0]!.say({ type: "chunk", sequence: 2, revision: 2, chunk: { type: "state_patch", patches: [{ op: "replace", path: "/n", value: 2 }] } });
  await Promise.resolve();
  Line.all[0]!.say(...snapshot({ text, n: 9 }, 9));
  Line.all[0]!.tell("close", { code: 1006 });
  client.close();
  client.reconnect();
  expect([client.status, client.getState()?.n, client.session, Line.all.length]).toEqual(["closed", 2, "s", 1]);
  await expect(client.whenRevision(3)).rejects.toMatchObject({ code: "CLOSED" });
});
