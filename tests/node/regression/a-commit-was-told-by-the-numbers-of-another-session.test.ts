import { expect, test } from "vitest";
import type { SyncedState } from "patchwire/durable-objects";
import { hello, Socket, stateOf } from "../support/sockets.ts";

// A commit that was made while another was told waited with the numbers of its session's connections. Was the state read from storage
// again before its turn, they had other numbers: what one who sees all was to be sent went to who sees a part.

test("what was planned for the connections of a session goes to those of no other", async () => {
  const sockets = ["{}", "{}", '{"exclude":["/keys"]}'].map((view) => {
    const socket = new Socket();
    socket.serializeAttachment(["", view]);
    return socket;
  });
  const [gone, admin, guest] = sockets as [Socket, Socket, Socket];
  let isArmed = false;
  const state: SyncedState<{ n: number; keys: { a: string } }> = stateOf({
    initial: { n: 0, keys: { a: "x" } },
    view: () => ({}),
    onEvent({ type }) {
      if (type !== "commit" || !isArmed) return;
      isArmed = false;
      state.update((draft) => void (draft.keys.a = "SECRET"));
      state.unload();
      state.getState();
    },
  }, sockets);
  state.getState();
  await Promise.resolve();
  for (const socket of sockets) hello(state, socket);
  state.webSocketClose(gone as never);
  sockets.shift();
  isArmed = true;
  state.increment("/n");
  expect(JSON.stringify(guest.frames)).not.toContain("SECRET");
  expect([guest.revisions, admin.revisions]).toEqual([[0, 1, 2], [0, 1, 2]]);
});

test("a socket with an attachment that isn't a state's is closed, and shown nothing", async () => {
  for (const attachment of [["", null], [], [1], { a: 1 }, 5, true, [null, "{}"], ["", 5], ["", {}], [{}, "{}"], ["", null, 5], ["", {}, '["*"]'], [null, null, '["*"]']]) {
    for (const view of [undefined, () => ({ exclude: ["/keys"] })]) {
      const [stray, other] = [new Socket(), new Socket()];
      stray.serializeAttachment(attachment);
      other.serializeAttachment(["", "{}"]);
      const state = stateOf({ initial: { n: 0, keys: 1 }, view }, [stray, other]);
      state.getState();
      await Promise.resolve();
      for (const socket of [stray, other]) hello(state, socket);
      state.increment("/n");
      expect([stray.frames, stray.isClosed, other.revisions]).toEqual([[], true, [0, 1]]);
    }
  }
});
