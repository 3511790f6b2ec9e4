import { expect, test } from "vitest";
import { DurableStateStore } from "patchwire/durable-objects";
import { hello, inBare, Wire } from "../session.ts";

// A socket's tag has its store's name, and names were told apart by how they begin. Of two stores `agents` and `agents-old` in one
// object the first answered for the clients of the second as well, so that each frame was taken twice.

test("of two stores in one object each answers its own clients", () =>
  inBare(async (ctx) => {
    const [short, long] = [new DurableStateStore(ctx, { name: "agents" }), new DurableStateStore(ctx, { name: "agents-old" })];
    await long.createSession("s", { customState: { notes: [] } });
    const wire = await Wire.open(Promise.resolve(long.fetch("s", new Request("http://agent/", { headers: { Upgrade: "websocket" } })) as unknown as Response));
    const [socket] = ctx.getWebSockets();
    const said = JSON.stringify(hello(null, null));
    short.webSocketMessage(socket!, said);
    long.webSocketMessage(socket!, said);
    await wire.until((frame) => frame.type === "status");
    expect(wire.frames.filter((frame) => frame.type === "status")).toHaveLength(1);
    wire.close();
  }));
