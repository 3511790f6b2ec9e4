import { env, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { connect } from "patchwire/client";
import { DurableStateStore, type DurableContext } from "patchwire/durable-objects";
import { backend } from "../support/store/backends.ts";
import { append, begun, cases, set, user, type Notes } from "../support/store/contract.ts";
import { Fault, operations, tryFaults, tryMigration } from "../support/store/faults.ts";
import { tryParallel } from "../support/store/parallel.ts";
import { tryReading } from "../support/store/damage.ts";
import { cases as registerCases } from "../support/store/register.ts";
import { sql } from "../support/store/tables.ts";
import { hello, inBare, socketTo, Wire } from "./session.ts";
import type { Agent } from "./worker.ts";

declare global {
  namespace Cloudflare {
    interface Env {
      AGENT: DurableObjectNamespace<Agent>;
    }
  }
}

describe.each([
  ["an object's storage", (storage: DurableContext["storage"]) => storage],
  ["an object's context", (storage: DurableContext["storage"], ctx: DurableObjectState) => contextOf(ctx, storage)],
])("%s", (_, around) => {
  test.each(Object.entries(cases))("%s", (_, run) => inBare((ctx) => run(backend(ctx.storage, (storage) => around(storage, ctx)))));
});

/** The object's context, with a storage that stands for its own. */
function contextOf(ctx: DurableObjectState, storage: DurableContext["storage"]): DurableContext {
  return {
    storage,
    acceptWebSocket: (socket, tags) => ctx.acceptWebSocket(socket as WebSocket, tags),
    getWebSockets: (tag) => ctx.getWebSockets(tag),
    getWebSocketAutoResponse: () => ctx.getWebSocketAutoResponse(),
    setWebSocketAutoResponse: (pair) => ctx.setWebSocketAutoResponse(pair as WebSocketRequestResponsePair),
  };
}

test.each(Object.entries(operations))("%s that fails at any statement leaves everything as it was", (_, operation) =>
  inBare(async (ctx) => expect(await tryFaults(operation, sql(ctx.storage))).toBeGreaterThan(1)),
);

test.each(Object.entries(operations))("%s of which any statement is too big for the platform leaves everything as it was", (_, operation) =>
  inBare(async (ctx) => {
    const fault = new Fault(() => void ctx.storage.sql.exec("SELECT ?", "x".repeat(3_000_000)));
    expect(await tryFaults(operation, sql(ctx.storage), fault, expect.stringContaining("SQLITE_TOOBIG"))).toBeGreaterThan(1);
  }),
);

test.each([["promoted", true], ["left staged", false]])("of calls that run at once and are %s each is there or not, whichever statement fails", (_, promote) =>
  inBare(async (ctx) => expect(await tryParallel(sql(ctx.storage), promote)).toBeGreaterThan(10)),
);

test("a state of an earlier version is migrated as a whole or not at all, whichever statement fails", () =>
  inBare(async (ctx) => expect(await tryMigration(sql(ctx.storage))).toBeGreaterThan(10)));

test("who reads damaged rows is told of them", () =>
  inBare(async (ctx) => {
    expect(await tryReading(sql(ctx.storage))).toBeGreaterThan(500);
  }));

test.each(Object.entries(registerCases))("%s", (_, run) => inBare((ctx) => run(sql(ctx.storage))));

/** A storage that counts the rows that are written, as the platform counts them. */
function counting({ storage }: DurableObjectState): { place: DurableContext["storage"]; rows: () => number } {
  let cursors: SqlStorageCursor<any>[] = [];
  const exec = (query: string, ...bindings: any[]) => {
    const cursor = storage.sql.exec(query, ...bindings);
    cursors.push(cursor);
    return cursor;
  };
  const rows = (): number => {
    const written = cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
    cursors = [];
    return written;
  };
  return { place: { sql: { exec }, transactionSync: (run) => storage.transactionSync(run) }, rows };
}

test("an operation writes the rows that it changes, and no others", () =>
  inBare(async (ctx) => {
    const { place, rows: written } = counting(ctx);
    const store = await begun(place);
    await store.appendMessages("s", [user("a")]);
    const checkpoint = await store.createCheckpoint("s");
    // Begins a row that the next ones share.
    await store.mergeCustomState("s", append("a"));
    const costs: [name: string, rows: number, run: (store: DurableStateStore) => unknown][] = [
      ["reading", 0, async (store) => [await store.loadState("s"), await store.getMessages("s"), await store.listCheckpoints("s"), await store.getCheckpoint(checkpoint)]],
      ["a status", 1, (store) => store.updateStatus("s", "paused")],
      ["a comparison that fails", 0, (store) => store.compareAndSetStatus("s", ["completed"], "active")],
      ["a step", 1, (store) => store.incrementStepCount("s")],
      ["a message", 2, (store) => store.appendMessages("s", [user("b")])],
      ["ten messages", 11, (store) => store.appendMessages("s", Array.from({ length: 10 }, () => user("c")))],
      ["a merged write: the state's alone", 1, (store) => store.mergeCustomState("s", append("b"))],
      ["a change of the live state", 1, (store) => store.synced<Notes>("s").update((draft) => void draft.count++)],
      ["a staged call: its row, and the count of the step's", 2, (store) => store.stageChanges("s", "step", { toolCallId: "c", index: 0, writes: append("c") })],
      ["the same call again", 1, (store) => store.stageChanges("s", "step", { toolCallId: "c", index: 0, writes: append("c") })],
      ["a promotion: the state's row, and the staged one and the count deleted", 3, (store) => store.promoteStaging("s", "step")],
      ["a child", 2, (store) => store.addSubSessionRefs("s", [{ subSessionId: "x", agentType: "w", parentToolCallId: "t", startedAt: 1 }])],
      ["a run", 3, (store) => store.createRun("s", "run", { turn: 1 })],
      ["a run's status", 2, (store) => store.updateRunStatus("run", "completed")],
      ["a checkpoint: its numbers, its text, the session, and the pin of the state's revision", 4, (store) => store.createCheckpoint("s")],
    ];
    for (const [name, rows, run] of costs) {
      written();
      await run(store);
      expect([name, written()]).toEqual([name, rows]);
    }
    await store.mergeCustomState("s", set("title", "é😀".repeat(900_000)));
    await store.appendMessages("s", [user("é😀".repeat(900_000))]);
    await store.stageChanges("s", "step", { writes: append("é😀".repeat(900_000)) });
    await store.createCheckpoint("s");
    const tables = [...ctx.storage.sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'patchwire%'")];
    for (const { name } of tables) {
      const columns = [...ctx.storage.sql.exec<{ name: string }>(`PRAGMA table_info("${name}")`)].map(({ name }) => `length(CAST("${name}" AS BLOB))`);
      const [{ longest }] = [...ctx.storage.sql.exec<{ longest: number }>(`SELECT COALESCE(MAX(${columns.join(" + ")}), 0) AS longest FROM "${name}"`)] as [{ longest: number }];
      expect(longest).toBeLessThan(1_001_000);
    }
  }));

test("a storage that was deleted begins anew", () =>
  inBare(async (ctx) => {
    const store = await begun(ctx as DurableContext);
    await store.mergeCustomState("s", append("b"));
    await ctx.storage.deleteAll();
    expect(await store.loadState("s")).toBeNull();
    await store.createSession("s", { customState: { notes: ["new"] } });
    await store.mergeCustomState("s", append("b"));
    expect((await store.loadState("s"))!.customState).toEqual({ notes: ["new", "b"] });
  }));

test("clients watch a session's custom state, through sleep and deletion", async () => {
  const stub = env.AGENT.get(env.AGENT.newUniqueId());
  const within = <R>(run: (agent: Agent) => R): Promise<R> => runInDurableObject(stub, run as never) as Promise<R>;
  await within(({ store }) => Promise.all(["s", "other"].map((id) => store.createSession(id, { customState: { notes: [] as string[] } }))));
  const open = (id: string): Promise<Wire> => Wire.open(stub.fetch(`http://agent/${id}`, { headers: { Upgrade: "websocket" } }), hello(null, null));
  const [wire, other] = [await open("s"), await open("other")];
  const page = connect<{ notes: string[] }>({ url: "ws://agent/", WebSocket: socketTo({ fetch: (_: string, init: RequestInit) => stub.fetch("http://agent/s", init) } as never) });
  for (const one of [wire, other]) await one.until((frame) => frame.type === "status");
  await within(({ store }) => store.mergeCustomState("s", append("a") as never));
  expect(await wire.revision(1)).toMatchObject({ chunk: { patches: [{ op: "add", path: "/notes/-", value: "a" }] } });
  // It sleeps, with its sockets; what a client sends and what is committed later finds the state that it belongs to.
  await evictDurableObject(stub);
  wire.say({ type: "ack", sequence: 1 });
  await within(({ store }) => store.parallel<{ notes: string[] }>("s", "step", [{ toolCallId: "c", run: (tool) => tool.update((draft) => void draft.notes.push("b")) }]));
  expect(await wire.revision(2)).toMatchObject({ revision: 2, chunk: { patches: [{ op: "add", path: "/notes/-", value: "b" }] } });
  expect(other.chunks("state_patch")).toEqual([]);
  await expect.poll(() => page.revision).toBe(2);
  expect(page.getState()).toEqual({ notes: ["a", "b"] });
  expect(page.stats).toMatchObject({ snapshots: 1, resyncs: 0 });
  // What is taken back is told to nobody.
  await within(({ store }) => expect(store.saveStateAndPromoteStaging("s", { customState: { notes: ["lost"] } } as never, [7 as never], { stepId: "s", stepCount: 1, streamSequence: 0 })).rejects.toThrow());
  await within(({ store }) => store.deleteSession("s"));
  await expect.poll(() => wire.closed?.code).toBe(1012);
  expect(JSON.stringify(wire.frames)).not.toContain("lost");
  expect(other.closed).toBeUndefined();
  expect(page.getState()).toEqual({ notes: ["a", "b"] });
  page.close();
});
