import { expect, test } from "vitest";
import { hello, newSession, Wire, within } from "../session.ts";

// Where several frames waited for one transaction to end, what the first of them committed was told after the answers to all of them. An
// answer says that the change is in the commit that comes next.

test("each answer comes before its own commit, and after the one before it", async () => {
  const stub = newSession();
  const wire = await Wire.open(stub.fetch("http://session/plan?owner", { headers: { Upgrade: "websocket" } }), hello(null, null));
  await wire.until(({ type }) => type === "status");
  const write = (id: number, text: string): string => JSON.stringify({ type: "write", id, revision: 0, patches: [{ op: "add", path: "/todos/-", value: { text, done: false } }] });
  await within(stub, ({ plan }, ctx) => {
    const [socket] = ctx.getWebSockets();
    ctx.storage.transactionSync(() => {
      for (const [id, text] of ["a", "b", "c"].entries()) plan.webSocketMessage(socket!, write(id + 1, text));
      plan.update((draft) => void (draft.answer = "first"));
    });
  });
  await wire.revision(4);
  const told = wire.frames.filter(({ type, revision }) => type !== "status" && revision > 0).map(({ type, id, revision }) => [type, id, revision].filter((part) => part !== undefined));
  expect(told).toEqual([["chunk", 1], ["written", 1, 2], ["chunk", 2], ["written", 2, 3], ["chunk", 3], ["written", 3, 4], ["chunk", 4]]);
});
