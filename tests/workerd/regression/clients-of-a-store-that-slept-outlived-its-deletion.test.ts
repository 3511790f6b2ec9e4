import { env, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { hello, Wire } from "../session.ts";
import type { Agent } from "../worker.ts";

// A custom state came to be when it was first asked for, so one that nobody had asked for since the object woke heard nothing of
// deleteAll(), and its clients went on showing what was gone.

test.each([
  ["which has woken for that", () => {}],
  ["of which one was read", ({ store }: Agent) => store.loadState("s-0")],
])("clients of all sessions are closed when the storage is deleted, %s", async (_, before) => {
  const stub = env.AGENT.get(env.AGENT.newUniqueId());
  const within = <R>(run: (agent: Agent, ctx: DurableObjectState) => R): Promise<Awaited<R>> => runInDurableObject(stub, run as never) as Promise<Awaited<R>>;
  // More than keep their memory.
  const ids = Array.from({ length: 20 }, (_, i) => `s-${i}`);
  await within(({ store }) => Promise.all(ids.map((id) => store.createSession(id, { customState: { notes: [] } }))));
  const wires = await Promise.all(ids.map((id) => Wire.open(stub.fetch(`http://agent/${id}`, { headers: { Upgrade: "websocket" } }), hello(null, null))));
  for (const wire of wires) await wire.until((frame) => frame.type === "status");
  await evictDurableObject(stub, { webSockets: "hibernate" });
  await within(async (agent, { storage }) => {
    await before(agent);
    await storage.deleteAll();
    expect(await agent.store.loadState("s-0")).toBeNull();
  });
  for (const wire of wires) await expect.poll(() => wire.closed?.code).toBe(1012);
});

test("sockets that aren't the store's are left alone", async () => {
  const stub = env.AGENT.get(env.AGENT.newUniqueId());
  await runInDurableObject(stub, async (_, ctx) => {
    const { 0: client, 1: server } = new WebSocketPair();
    ctx.acceptWebSocket(server, ["patchwire:other"]);
    client.accept();
    await ctx.storage.deleteAll();
    expect(server.readyState).toBe(WebSocket.OPEN);
    client.close();
  });
});
