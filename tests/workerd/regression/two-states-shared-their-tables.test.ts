import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { DurableStateStore, SyncedState, type DurableContext } from "patchwire/durable-objects";
import { EventReader } from "../event-reader.ts";
import { hello, newSession, Wire, within } from "../session.ts";

// Two states of one object had the same tables and sockets, and damaged each other.

test("each name has tables, sockets and streams of its own", async () => {
  const stub = newSession();
  const one = await Wire.live(stub);
  const path = "http://session/usage";
  const wire = await Wire.open(stub.fetch(path, { headers: { Upgrade: "websocket" } }), hello(null, null));
  await wire.until(({ type }) => type === "status");
  const stream = await EventReader.open(stub.fetch(path, { headers: { Accept: "text/event-stream" } }));
  await stream.until(({ data }) => data?.type === "status");
  const change = (text: string): Promise<void> =>
    within(stub, ({ state, usage }) => {
      state.update((draft) => void draft.notes.push({ text }));
      usage.update((draft) => void (draft.tokens += 1));
      usage.update((draft) => void (draft.tokens += 1));
    });
  await change("a");
  await Promise.all([one.revision(1), wire.revision(2)]);
  await stream.until(({ data }) => data?.revision === 2 && data.type === "chunk");
  await stream.cancel();
  await evictDurableObject(stub, { webSockets: "hibernate" });
  await change("b");
  await Promise.all([one.revision(2), wire.revision(4)]);
  expect(one.chunks("state_patch").map(({ chunk }) => chunk.patches[0].path)).toEqual(["/notes/-", "/notes/-"]);
  expect(wire.chunks("state_patch").map(({ revision, chunk }) => [revision, chunk.patches[0]])).toEqual(
    [1, 2, 3, 4].map((tokens) => [tokens, { op: "replace", path: "/tokens", value: tokens }]),
  );
  expect(wire.chunks("state_snapshot")[0]!.chunk.session).not.toBe(one.chunks("state_snapshot")[0]!.chunk.session);
  const counts = await within(stub, ({ state, usage }) => [state.revision, usage.revision, usage.getState()]);
  expect(counts).toEqual([2, 4, { tokens: 4 }]);
  await within(stub, ({ usage }) => usage.destroy());
  await expect.poll(() => wire.closed?.code).toBe(1012);
  expect(one.closed).toBeUndefined();
  expect(await within(stub, ({ state, usage }) => [state.revision, usage.revision])).toEqual([2, 0]);
});

test("a second state without a name, or with the same one, is refused", async () => {
  await within(newSession(), ({ state }, ctx) => {
    const make = (options: object) => (): unknown => new SyncedState(ctx, { initial: {}, ...options });
    expect(make({})).toThrow(expect.objectContaining({ code: "CONFLICT" }));
    expect(make({ name: "usage" })).toThrow(expect.objectContaining({ code: "CONFLICT" }));
    // The names of tables are the same in either case.
    expect(make({ name: "Usage" })).toThrow(expect.objectContaining({ code: "CONFLICT" }));
    for (const name of ["", "a b", 'x"; DROP TABLE patchwire_meta', "é", "n".repeat(65)]) {
      expect(make({ name })).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
    }
    // The tables are the storage's, whatever stands around it.
    expect(() => new SyncedState({ ...ctx, storage: ctx.storage } as DurableContext, { initial: {} })).toThrow(expect.objectContaining({ code: "CONFLICT" }));
    make({ name: "a-b_2" })();
    state.update((draft) => void draft.notes.push({ text: "unharmed" }));
    expect(state.revision).toBe(1);
  });
});

test("the names of a store's custom states are taken", async () => {
  await within(newSession(), async (_, ctx) => {
    const store = new DurableStateStore(ctx);
    await store.createSession("s", { customState: { n: 1 } });
    expect(() => new SyncedState(ctx, { name: "sessions-1", initial: {} })).toThrow(expect.objectContaining({ code: "CONFLICT" }));
    store.synced<{ n: number }>("s").increment("/n");
    await store.deleteSession("s");
    await store.createSession("s", { customState: { n: 3 } });
    expect((await new DurableStateStore(ctx).loadState("s"))?.customState).toEqual({ n: 3 });
  });
});
