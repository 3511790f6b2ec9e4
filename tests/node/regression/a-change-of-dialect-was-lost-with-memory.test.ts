import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { hello, Socket, stateOf } from "../support/sockets.ts";

// What is attached to a socket was attached a little later from the second time on, also where that was another hello's answer. An
// object that lost its memory before then went on in the dialect of the first.
test("a client that asks for another dialect has it from an object that has lost its memory at once", async () => {
  const database = new DatabaseSync(":memory:");
  const socket = new Socket();
  const options = { initial: { n: 0 } };
  const state = stateOf(options, [socket], database);
  expect(state.revision).toBe(0);
  await Promise.resolve();
  hello(state, socket);
  const session = (socket.frames[0]!.chunk as { session?: string }).session!;
  hello(state, socket, "rfc6902", { session, revision: 0 });
  const next = stateOf(options, [socket], database);
  await Promise.resolve();
  next.increment("/n");
  expect(socket.frames.at(-1)!.chunk).toEqual({ type: "state_patch", patches: [{ op: "replace", path: "/n", value: 1 }] });
});
