import { evictDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { connect, type SyncedClient } from "patchwire/client";
import { newSession, socketTo, within, type Stub } from "./session.ts";
import type { Board } from "./worker.ts";

// Sockets that see a part of the state go on seeing that part after the object has slept.

const clients: SyncedClient<Board>[] = [];
afterEach(() => clients.splice(0).forEach((client) => client.close()));

/** A client, and all frames that it is sent. */
function join(stub: Stub, path: string): { client: SyncedClient<Board>; frames: string[] } {
  const frames: string[] = [];
  const client = connect<Board>({ url: "ws://session/", WebSocket: socketTo(stub, (frame) => (frames.push(frame), frame), path) });
  clients.push(client);
  return { client, frames };
}

const reaches = (client: SyncedClient<Board>, revision: number): Promise<unknown> =>
  vi.waitUntil(() => client.status === "live" && client.revision === revision, { timeout: 15_000, interval: 5 });

const change = (stub: Stub, n: number): Promise<void> =>
  within(stub, ({ board }) =>
    board.update((draft) => {
      draft.cards.push({ title: `card ${n}`, cost: 7_000_000 + n });
      draft.keys!.api = `secret ${n}`;
    }),
  );

test("a guest is sent nothing of what is hidden, awake or asleep, and an admin all of it", async () => {
  const stub = newSession();
  const [guest, admin] = [join(stub, "board"), join(stub, "board?all")];
  await change(stub, 1);
  await Promise.all([reaches(guest.client, 1), reaches(admin.client, 1)]);
  await evictDurableObject(stub);
  await change(stub, 2);
  await Promise.all([reaches(guest.client, 2), reaches(admin.client, 2)]);
  await within(stub, ({ board }) => board.update((draft) => void (draft.keys!.api = "secret 3")));
  await Promise.all([reaches(guest.client, 3), reaches(admin.client, 3)]);

  const all = await within(stub, ({ board }) => structuredClone(board.getState()));
  expect(admin.client.getState()).toEqual(all);
  expect(guest.client.getState()).toEqual({ cards: [{ title: "card 1" }, { title: "card 2" }] });
  expect(guest.frames.join()).not.toMatch(/secret|7000|keys|cost/);
  expect(admin.frames.join()).toContain("secret 2");
  expect([guest.client.stats, admin.client.stats]).toEqual([1, 2].map(() => expect.objectContaining({ snapshots: 1, resyncs: 0 })));
});

test("a hidden change is a revision without a change", async () => {
  const stub = newSession();
  const { client } = join(stub, "board");
  await change(stub, 1);
  await reaches(client, 1);
  const [before, listener] = [client.getState(), vi.fn()];
  client.subscribe("/cards", listener);
  const waited = client.whenRevision(2);
  const [revision, session] = await within(stub, ({ board }) => {
    board.update((draft) => void (draft.keys!.api = "secret 2"));
    return [board.revision, board.session] as const;
  });
  await Promise.all([waited, client.whenRevision(revision, { session })]);
  expect([client.getState() === before, client.revision, listener.mock.calls]).toEqual([true, 2, []]);
});

test("the longest view is kept with a socket that sleeps, whatever its letters are", async () => {
  const stub = newSession();
  const { client, frames } = join(stub, `board?hide=${encodeURIComponent(`/${"ж".repeat(2_000)}`)}`);
  await reaches(client, 0);
  for (const n of [1, 2]) {
    await evictDurableObject(stub);
    await change(stub, n);
    await reaches(client, n);
  }
  expect(frames.join()).not.toMatch(/secret|7000|keys|cost/);
  expect(client.stats).toMatchObject({ snapshots: 1, resyncs: 0 });
});

test("a client goes on from a snapshot of its view", async () => {
  const stub = newSession();
  await change(stub, 1);
  const snapshot = await (await stub.fetch("http://session/board")).json<{ session: string; revision: number; state: Board }>();
  await change(stub, 2);
  const client = connect<Board>({ url: "ws://session/", WebSocket: socketTo(stub, undefined, "board"), snapshot });
  clients.push(client);
  await reaches(client, 2);
  expect(client.getState()).toEqual({ cards: [{ title: "card 1" }, { title: "card 2" }] });
  expect(client.stats).toMatchObject({ snapshots: 0, resyncs: 0 });
});
