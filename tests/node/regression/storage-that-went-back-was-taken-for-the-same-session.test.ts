import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage, type SyncedState } from "patchwire/durable-objects";
import { hello, Socket, stateOf } from "../support/sockets.ts";

// A backup has the session's id in it. A client that was away while it was restored, and came back when the new time had as many
// revisions, was sent what came after its own revision, in which the state had never been.

const seen = async (state: SyncedState<any>): Promise<{ session: string; revision: number; state: unknown }> => (state.fetch(new Request("https://object/")) as Response).json();

test("a client that knows revisions which were taken back is sent the state after `renew`", async () => {
  const folder = mkdtempSync(join(tmpdir(), "patchwire-"));
  const [file, backup] = [join(folder, "state.db"), join(folder, "backup.db")];
  async function live(sockets: Socket[], run: (state: SyncedState<{ text: string }>) => Promise<void>): Promise<void> {
    const database = new DatabaseSync(file);
    await run(stateOf({ initial: { text: "" } }, sockets, database));
    database.close();
  }
  let session!: string;
  await live([], async (state) => state.append("/text", "A"));
  copyFileSync(file, backup);
  await live([], async (state) => {
    state.append("/text", "A");
    ({ session } = await seen(state));
  });
  copyFileSync(backup, file);
  const [there, late] = [new Socket(), new Socket()];
  await live([there, late], async (state) => {
    hello(state, there);
    await Promise.resolve();
    state.renew();
    expect(await seen(state)).toMatchObject({ revision: 1, state: { text: "A" } });
    for (const text of ["B", "B"]) state.append("/text", text);
    hello(state, late, "extended", { session, revision: 2 });
    expect((await seen(state)).session).not.toBe(session);
  });
  const told = ({ frames }: Socket): (string | undefined)[] => frames.map(({ chunk }) => chunk?.type).filter((type) => type !== undefined);
  expect(told(late)).toEqual(["stream_resync", "state_snapshot"]);
  // It comes back, and then is told so too.
  expect([told(there), there.isClosed]).toEqual([["state_snapshot"], true]);
  rmSync(folder, { recursive: true });
});

test("a custom state of a store in memory has another session too", async () => {
  const store = new DurableStateStore(memoryStorage());
  await store.createSession("s", { customState: { n: 1 } });
  const state = store.synced<{ n: number }>("s");
  const { session } = await seen(state);
  state.renew();
  const after = await seen(state);
  expect([after.session === session, after.state]).toEqual([false, { n: 1 }]);
});
