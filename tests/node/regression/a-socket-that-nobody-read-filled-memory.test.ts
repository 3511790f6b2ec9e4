import { expect, test } from "vitest";
import { hello, Socket, stateOf } from "../support/sockets.ts";

// An event stream that nobody reads was closed once 16 MB waited; a socket took whatever there was, 411 MB of 300 MB of commits, until the
// isolate was at its limit. workerd says how much waits, as browsers do.

const turn = () => new Promise((later) => setTimeout(later));

/** A state with a socket that keeps so many of the bytes that it is given. */
async function opened(share: number) {
  const socket: Socket = new Socket((frame) => void (socket.bufferedAmount = (socket.bufferedAmount + frame.length) * share));
  const state = stateOf({ initial: { n: 0, text: "" } }, [socket]);
  expect(state.revision).toBe(0);
  await turn();
  hello(state, socket);
  return { state, socket };
}

test("one is closed when much waits, and the commits go on", async () => {
  const { state, socket } = await opened(1);
  for (let i = 0; i < 100; i++) {
    state.update((draft) => void (draft.text = `${i}${"x".repeat(1_000_000)}`));
    await turn();
  }
  expect([socket.isClosed, state.revision]).toEqual([true, 100]);
  expect(socket.bufferedAmount).toBeGreaterThan(16 << 20);
  expect(socket.bufferedAmount).toBeLessThan(32 << 20);
});

test("one that is read stays, and so does one that has been sent much at once", async () => {
  const { state, socket } = await opened(0);
  for (let i = 0; i < 40; i++) {
    state.update((draft) => void (draft.text = `${i}${"x".repeat(1_000_000)}`));
    await turn();
  }
  expect([socket.isClosed, socket.revisions.length]).toEqual([false, 41]);

  const large = await opened(1);
  large.state.update((draft) => Object.assign(draft, Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`text${i}`, "x".repeat(10_000_000)]))));
  await turn();
  hello(large.state, large.socket);
  expect([large.socket.isClosed, large.socket.bufferedAmount > 40e6]).toEqual([false, true]);
});
