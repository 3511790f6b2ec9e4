import { evictDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { connect } from "patchwire/client";
import { addNote, newSession, socketTo, stateOf, Wire, within, type Stub } from "../session.ts";
import type { Session, State } from "../worker.ts";

// After deleteAll every update failed for want of tables, and what it did was lost.

const ways: [name: string, wipe: (session: Session, storage: DurableObjectStorage) => unknown][] = [
  ["deleteAll", (_, storage) => storage.deleteAll()],
  ["deleteAll, not awaited", (_, storage) => void storage.deleteAll()],
  ["destroy", ({ state }) => state.destroy()],
  ["destroy in a transaction", ({ state }, storage) => storage.transactionSync(() => state.destroy())],
];

const wiped = (stub: Stub, wipe: (typeof ways)[0][1]): Promise<void> =>
  within(stub, async (session, { storage }) => {
    await wipe(session, storage);
    session.state.update((draft) => void draft.notes.push({ text: "new" }));
    expect(session.state.getState().notes).toEqual([{ text: "new" }]);
    expect(session.state.revision).toBe(1);
  });

test.each(ways)("%s: the state begins anew, as another session that clients notice", async (_, wipe) => {
  const stub = newSession();
  for (const text of ["a", "b"]) await addNote(stub, text);
  const wire = await Wire.live(stub);
  const client = connect<State>({ url: "ws://session/", WebSocket: socketTo(stub) });
  await vi.waitUntil(() => client.status === "live" && client.revision === 2);
  await wiped(stub, wipe);
  await expect.poll(() => wire.closed?.code).toBe(1012);
  await vi.waitUntil(() => client.status === "live" && client.revision === 1, { timeout: 15_000 });
  expect(client.getState()!.notes).toEqual([{ text: "new" }]);
  client.close();
  const again = await Wire.live(stub);
  expect(again.frames[0]!.chunk.session).not.toBe(wire.frames[0]!.chunk.session);
  await evictDurableObject(stub);
  expect(await stateOf(stub)).toMatchObject({ revision: 1, state: { notes: [{ text: "new" }] } });
});

test("what was deleted in a transaction that is rolled back is there", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  await within(stub, ({ state }, { storage }) => {
    expect(() => storage.transactionSync(() => {
      state.destroy();
      expect(state.revision).toBe(0);
      throw new Error("rolled back");
    })).toThrow("rolled back");
  });
  expect(await stateOf(stub)).toMatchObject({ revision: 1, state: { notes: [{ text: "a" }] } });
  await addNote(stub, "b");
  await evictDurableObject(stub);
  expect(await stateOf(stub)).toMatchObject({ revision: 2 });
});

test("clients of a storage that was deleted are closed, though nobody asks for the state", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const client = connect<State>({ url: "ws://session/", WebSocket: socketTo(stub) });
  await vi.waitUntil(() => client.status === "live" && client.revision === 1);
  await within(stub, (_, { storage }) => storage.deleteAll());
  await vi.waitUntil(() => client.status === "live" && client.revision === 0, { timeout: 15_000 });
  expect(client.getState()!.notes).toEqual([]);
  client.close();
});

test("and so are those of an object that has just woken for that", async () => {
  const stub = newSession();
  const wire = await Wire.live(stub);
  await addNote(stub, "a");
  await wire.revision(1);
  await evictDurableObject(stub, { webSockets: "hibernate" });
  await within(stub, (_, { storage }) => storage.deleteAll());
  await expect.poll(() => wire.closed?.code).toBe(1012);
});
