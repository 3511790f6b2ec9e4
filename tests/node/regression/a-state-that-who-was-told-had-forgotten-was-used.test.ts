import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { hello, Socket, stateOf } from "../support/sockets.ts";

// While a state that is read gives sockets their places, `onEvent` is told of those that need a snapshot. Where that unloaded the state, or
// deleted it, the session that was gone was used on: the first question threw "null pointer passed to rust", and all sockets were closed.

const later = (): Promise<void> => new Promise((done) => setTimeout(done, 120));

/** A database whose state has gone on without these sockets, for longer than its log does. */
async function slept(sockets: readonly Socket[]): Promise<DatabaseSync> {
  const database = new DatabaseSync(":memory:");
  const before = stateOf({ initial: { n: 0 } }, sockets, database);
  before.update((draft) => void draft.n++);
  await later();
  for (const socket of sockets) hello(before, socket);
  await later();
  const alone = stateOf({ initial: { n: 0 } }, [], database);
  for (let i = 0; i < 3_000; i++) alone.increment("/n");
  return database;
}

test.each([
  ["unload", 3_001, 3_002],
  ["repair", 3_001, 3_002],
  ["renew", 3_001, undefined],
  ["destroy", 0, undefined],
] as const)("by %s", async (method, n, revision) => {
  const sockets = [new Socket(), new Socket(), new Socket()];
  const database = await slept(sockets);
  let told = 0;
  const onEvent = ({ type }: { type: string }): void => {
    if (type !== "resync") return;
    told++;
    state[method]();
  };
  const state = stateOf({ initial: { n: 0 }, onEvent }, sockets, database);
  await later();
  expect(state.getState()).toEqual({ n });
  expect(told).toBe(revision === undefined ? 1 : 3);
  state.increment("/n");
  expect(sockets.map(({ isClosed, revisions }) => (isClosed ? undefined : revisions.at(-1)))).toEqual([revision, revision, revision]);
});
