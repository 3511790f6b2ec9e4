import { expect, test } from "vitest";
import { hello, Socket, stateOf } from "../support/sockets.ts";

// What a client says is read as JSON, of which a frame of 8 MB became 260 MB of the core's memory, which it never gives back. A socket needed
// no hello for that. Nor was there an end to frames that are none, or to snapshots for who said hello after each commit.

const opened = async (socket: Socket) => {
  const state = stateOf({ initial: { n: 0, text: "x".repeat(100_000) } }, [socket]);
  expect(state.revision).toBe(0);
  await Promise.resolve();
  return state;
};

test("a frame of more than 16 KB isn't looked into", async () => {
  const socket = new Socket();
  const state = await opened(socket);
  const before = process.memoryUsage().external;
  state.webSocketMessage(socket as never, `{"type":"ping","x":[${"[[[[0 ]]]],".repeat(700_000)}0]}`);
  expect(process.memoryUsage().external - before).toBeLessThan(4 << 20);
  expect([socket.isClosed, socket.frames.at(-1)]).toMatchObject([true, { type: "fail", error: { code: "LIMIT_EXCEEDED" } }]);
  state.increment("/n");
  expect(state.getState().n).toBe(1);
});

test("who says hello after each commit is answered a few times", async () => {
  const socket = new Socket();
  const state = await opened(socket);
  for (let i = 0; i < 100; i++) {
    hello(state, socket);
    state.increment("/n");
  }
  const snapshots = socket.frames.filter(({ chunk }) => chunk?.type === "state_snapshot").length;
  expect([socket.isClosed, snapshots]).toEqual([true, 8]);
});

test("who goes on sending nonsense is closed", async () => {
  const socket = new Socket();
  const state = await opened(socket);
  for (let i = 0; i < 1_000; i++) state.webSocketMessage(socket as never, "");
  expect([socket.isClosed, socket.frames.length]).toEqual([true, 16]);
});
