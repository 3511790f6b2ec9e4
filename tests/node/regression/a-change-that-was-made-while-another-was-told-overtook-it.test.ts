import { expect, test } from "vitest";
import { hello, Socket, stateOf } from "../support/sockets.ts";

// A frame over the limit is told as an event and a snapshot. Who made a change in the event had it sent before the snapshot of the
// change before, and a reader that takes what is newer stayed behind.
test("a change that is made in an event of another is told after it", async () => {
  const socket = new Socket();
  let count = 0;
  const state = stateOf({ initial: { text: "", n: 0 }, limits: { frame: 1_024 }, onEvent: ({ type }) => {
    if (type === "resync" && count++ === 0) state.increment("/n");
  } }, [socket]);
  expect(state.revision).toBe(0);
  await Promise.resolve();
  hello(state, socket);
  state.update((draft) => void (draft.text = "x".repeat(1_500)));
  state.increment("/n");
  expect(state.getState().n).toBe(2);
  expect(count).toBeGreaterThan(0);
  expect(socket.revisions).toEqual(socket.revisions.toSorted((a, b) => a - b));
  expect(socket.frames.at(-1)!.revision).toBe(3);
});

test("a change that is made while a frame is sent is told after that to everybody", async () => {
  const second = new Socket();
  let isFirst = true;
  const first = new Socket((frame) => {
    if (isFirst && frame.includes("state_patch")) {
      isFirst = false;
      state.increment("/n");
    }
  });
  const state = stateOf({ initial: { n: 0 } }, [first, second]);
  expect(state.revision).toBe(0);
  await Promise.resolve();
  [first, second].forEach((socket) => hello(state, socket));
  state.increment("/n");
  expect(state.revision).toBe(2);
  expect([first.revisions, second.revisions]).toEqual([[0, 1, 2], [0, 1, 2]]);
});
