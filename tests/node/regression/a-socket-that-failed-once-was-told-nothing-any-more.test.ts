import { expect, test } from "vitest";
import { hello, Socket, stateOf } from "../support/sockets.ts";

// It was forgotten and left open: it waited for ever, and its hellos were ignored.
test("a socket to which a frame couldn't be sent is closed", async () => {
  let fails = false;
  const [socket, other] = [new Socket(() => {
    if (fails) throw new Error("the socket failed once");
  }), new Socket()];
  const state = stateOf({ initial: { n: 0 } }, [socket, other]);
  expect(state.revision).toBe(0);
  await Promise.resolve();
  [socket, other].forEach((one) => hello(state, one));
  fails = true;
  state.increment("/n");
  expect([socket.isClosed, other.isClosed]).toEqual([true, false]);
  expect(other.revisions).toEqual([0, 1]);
});

// Its place couldn't be found when the state was read again, and those that came after it in the list got none either.
test("a socket whose attachment can't be read is closed, and the others have their places", async () => {
  const sockets = [new Socket(), new Socket(), new Socket()];
  const state = stateOf({ initial: { n: 0 } }, sockets);
  expect(state.revision).toBe(0);
  await Promise.resolve();
  sockets.forEach((one) => hello(state, one));
  state.increment("/n");
  state.unload();
  sockets[1]!.deserializeAttachment = () => {
    throw new Error("the attachment can't be read");
  };
  expect(state.getState()).toEqual({ n: 1 });
  state.increment("/n");
  expect(sockets.map(({ isClosed }) => isClosed)).toEqual([false, true, false]);
  expect([sockets[0]!.revisions.at(-1), sockets[2]!.revisions.at(-1)]).toEqual([2, 2]);
});
