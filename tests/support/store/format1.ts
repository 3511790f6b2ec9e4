// What a store of format 1 had written: rows without hashes, checkpoints without places, a text that ends with a full row.
import { expect } from "vitest";
import { DurableStateStore, type DurableStorage } from "patchwire/durable-objects";
import { backend } from "./backends.ts";
import { append, user } from "./contract.ts";
import { Fault } from "./faults.ts";

/** Written by the code of commit 677798f in `node:sqlite`, and put into a script of SQL. */
const FORMAT1 = `
CREATE TABLE "patchwire:sessions:sessions" ("id" TEXT NOT NULL, "number" INTEGER NOT NULL, "changes" INTEGER NOT NULL, "status" TEXT NOT NULL, "steps" INTEGER NOT NULL, "resumes" INTEGER NOT NULL, "fence" INTEGER NOT NULL, "messages" INTEGER NOT NULL, "era" INTEGER NOT NULL, "checkpoints" INTEGER NOT NULL, "runs" INTEGER NOT NULL, "children" INTEGER NOT NULL, PRIMARY KEY ("id")) WITHOUT ROWID;
INSERT INTO "patchwire:sessions:sessions" VALUES ('"other"', 3, 3, 'active', 0, 0, 0, 0, 0, 1, 1, 0),
  ('"s"', 1, 7, 'active', 0, 0, 0, 4, 0, 2, 2, 1);
CREATE TABLE "patchwire:sessions:details" ("session" INTEGER NOT NULL, "part" INTEGER NOT NULL, "text" TEXT NOT NULL, PRIMARY KEY ("session", "part")) WITHOUT ROWID;
INSERT INTO "patchwire:sessions:details" VALUES (1, 0, '{"agentType":"writer","streamId":"s","aborted":false}'),
  (3, 0, '{"agentType":"","streamId":"other","aborted":false}');
CREATE TABLE "patchwire:sessions:numbers" ("id" INTEGER NOT NULL, "last" INTEGER NOT NULL, PRIMARY KEY ("id"));
INSERT INTO "patchwire:sessions:numbers" VALUES (1, 3);
CREATE TABLE "patchwire:sessions:messages" ("session" INTEGER NOT NULL, "position" INTEGER NOT NULL, "part" INTEGER NOT NULL, "era" INTEGER NOT NULL, "text" TEXT NOT NULL, PRIMARY KEY ("session", "position", "part")) WITHOUT ROWID;
INSERT INTO "patchwire:sessions:messages" VALUES (1, 0, 0, 0, '{"role":"user","content":"first"}'),
  (1, 1, 0, 0, '{"role":"user","content":"' || replace(hex(zeroblob(149986)), '0', 'x') || '"}'),
  (1, 2, 0, 0, '{"role":"user","content":"' || replace(hex(zeroblob(149986)), '0', 'x') || 'x"'),
  (1, 2, 1, 0, '}'),
  (1, 3, 0, 0, '{"role":"user","content":"last"}');
CREATE TABLE "patchwire:sessions:staging" ("session" INTEGER NOT NULL, "step" TEXT NOT NULL, "call" TEXT NOT NULL, "part" INTEGER NOT NULL, "place" INTEGER NOT NULL, "revision" INTEGER NOT NULL, "text" TEXT NOT NULL, PRIMARY KEY ("session", "step", "call", "part")) WITHOUT ROWID;
INSERT INTO "patchwire:sessions:staging" VALUES (1, '"step 2"', '"c"', 0, 1000000000, 1, '{"toolCallId":"c","writes":{"ops":[{"kind":"append","key":"notes","items":["c"]}]}}'),
  (1, '"step"', '"c"', 0, 1000000000, 1, '{"toolCallId":"c","writes":{"ops":[{"kind":"append","key":"notes","items":["c"]}]}}'),
  (1, '"step"', '"d"', 0, 1000000001, 1, '{"toolCallId":"d","writes":{"ops":[{"kind":"append","key":"notes","items":["d"]}]}}');
CREATE TABLE "patchwire:sessions:runs" ("session" INTEGER NOT NULL, "run" INTEGER NOT NULL, "part" INTEGER NOT NULL, "text" TEXT NOT NULL, PRIMARY KEY ("session", "run", "part")) WITHOUT ROWID;
INSERT INTO "patchwire:sessions:runs" VALUES (1, 0, 0, '{"runId":"run-1","sessionId":"s","turn":1,"status":"running","stepCount":0,"startedAt":1795466134718}'),
  (1, 1, 0, '{"runId":"run-2","sessionId":"s","turn":2,"status":"running","stepCount":0,"startedAt":1795466134718,"startSequence":4}'),
  (3, 0, 0, '{"runId":"run-3","sessionId":"other","turn":1,"status":"running","stepCount":0,"startedAt":1795466134718}');
CREATE TABLE "patchwire:sessions:run_ids" ("id" TEXT NOT NULL, "session" TEXT NOT NULL, "run" INTEGER NOT NULL, PRIMARY KEY ("id")) WITHOUT ROWID;
INSERT INTO "patchwire:sessions:run_ids" VALUES ('"run-1"', '"s"', 0),
  ('"run-2"', '"s"', 1),
  ('"run-3"', '"other"', 0);
CREATE TABLE "patchwire:sessions:children" ("session" INTEGER NOT NULL, "child" TEXT NOT NULL, "place" INTEGER NOT NULL, "text" TEXT NOT NULL, PRIMARY KEY ("session", "child")) WITHOUT ROWID;
INSERT INTO "patchwire:sessions:children" VALUES (1, '"child"', 0, '{"subSessionId":"child","agentType":"worker","parentToolCallId":"c","status":"running","startedAt":5}');
CREATE TABLE "patchwire:sessions:checkpoints" ("session" INTEGER NOT NULL, "time" INTEGER NOT NULL, "id" TEXT NOT NULL, "status" TEXT NOT NULL, "steps" INTEGER NOT NULL, "messages" INTEGER NOT NULL, "era" INTEGER NOT NULL, "sequence" INTEGER NOT NULL, PRIMARY KEY ("session", "time")) WITHOUT ROWID;
INSERT INTO "patchwire:sessions:checkpoints" VALUES (1, 1795466134719, '"cpv1-s-s0-t1795466134719-bd56fd"', 'active', 0, 4, 0, 9),
  (1, 1795466134733, '"cpv1-s-s0-t1795466134733-a167fc"', 'active', 0, 4, 0, 0),
  (3, 1795466134733, '"cpv1-other-s0-t1795466134733-a27559"', 'active', 0, 0, 0, 0);
CREATE TABLE "patchwire:sessions:checkpoint_texts" ("session" INTEGER NOT NULL, "time" INTEGER NOT NULL, "part" INTEGER NOT NULL, "text" TEXT NOT NULL, PRIMARY KEY ("session", "time", "part")) WITHOUT ROWID;
INSERT INTO "patchwire:sessions:checkpoint_texts" VALUES (1, 1795466134719, 0, '{"details":{"agentType":"writer","streamId":"s","aborted":false},"children":[{"subSessionId":"child","agentType":"worker","parentToolCallId":"c","status":"running","startedAt":5}],"revision":0,"version":0}'),
  (1, 1795466134733, 0, '{"details":{"agentType":"writer","streamId":"s","aborted":false},"children":[{"subSessionId":"child","agentType":"worker","parentToolCallId":"c","status":"running","startedAt":5}],"revision":1,"version":0}'),
  (3, 1795466134733, 0, '{"details":{"agentType":"","streamId":"other","aborted":false},"children":[],"revision":0,"version":0}');
CREATE TABLE "patchwire_sessions-1_meta" (
      id INTEGER PRIMARY KEY, format INTEGER NOT NULL, session TEXT NOT NULL, tail INTEGER NOT NULL, folding INTEGER NOT NULL);
INSERT INTO "patchwire_sessions-1_meta" VALUES (1, 2, 'f06c1ee1-b773-4bd5-aedc-7b1aa3eb0438', 4096, 0);
CREATE TABLE "patchwire_sessions-1_roots" (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL);
INSERT INTO "patchwire_sessions-1_roots" VALUES (0, 432893155311283, '{"next":1,"chunks":0,"log":4096,"time":0,"size":0,"freed":[]}
{"notes":["a"]}');
CREATE TABLE "patchwire_sessions-1_chunks" (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE "patchwire_sessions-1_log" (id INTEGER PRIMARY KEY, last INTEGER NOT NULL, hash INTEGER NOT NULL, patch TEXT NOT NULL);
INSERT INTO "patchwire_sessions-1_log" VALUES (4096, 1, 2764787113329496, '[{"op":"add","path":"/notes/-","value":"b"}]');
CREATE TABLE "patchwire_sessions-1_pins" (id INTEGER PRIMARY KEY, count INTEGER NOT NULL);
INSERT INTO "patchwire_sessions-1_pins" VALUES (0, 1),
  (1, 1);
CREATE TABLE "patchwire_sessions-3_meta" (
      id INTEGER PRIMARY KEY, format INTEGER NOT NULL, session TEXT NOT NULL, tail INTEGER NOT NULL, folding INTEGER NOT NULL);
INSERT INTO "patchwire_sessions-3_meta" VALUES (1, 2, '6ad50922-a74f-4665-9012-77b893cbbe55', 0, 0);
CREATE TABLE "patchwire_sessions-3_roots" (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL);
INSERT INTO "patchwire_sessions-3_roots" VALUES (0, 4181139438022107, '{"next":1,"chunks":0,"log":4096,"time":0,"size":0,"freed":[]}
{}');
CREATE TABLE "patchwire_sessions-3_chunks" (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE "patchwire_sessions-3_log" (id INTEGER PRIMARY KEY, last INTEGER NOT NULL, hash INTEGER NOT NULL, patch TEXT NOT NULL);
CREATE TABLE "patchwire_sessions-3_pins" (id INTEGER PRIMARY KEY, count INTEGER NOT NULL);
INSERT INTO "patchwire_sessions-3_pins" VALUES (0, 1);
`;

/** The tables of format 1 are read as they were, by whoever opens them, and written as the present format has them. */
export async function tryFormat1(storage: DurableStorage): Promise<void> {
  FORMAT1.split(";\n").forEach((statement) => statement.trim() === "" || storage.sql.exec(statement));
  // Failing at any statement leaves them as they were.
  for (let at = 1; ; at++) {
    const fault = new Fault();
    const store = new DurableStateStore(backend(storage, (storage) => fault.around(storage)).place);
    fault.arm(at);
    const error: unknown = await store.sessionExists("s").then(() => undefined, (error: unknown) => error);
    fault.disarm();
    if (error === undefined) {
      expect(at).toBeGreaterThan(50);
      break;
    }
    expect(error).toMatchObject({ message: "the storage failed" });
    expect([...storage.sql.exec('SELECT * FROM "patchwire:sessions:numbers"')]).toEqual([{ id: 1, last: 3 }]);
  }
  // The second one finds the present format.
  for (const { place } of [backend(storage), backend(storage)]) {
    const store = new DurableStateStore(place);
    expect(await store.loadState("s")).toMatchObject({
      agentType: "writer", status: "active", version: 8, customState: { notes: ["a", "b"] },
      subSessionRefs: [{ subSessionId: "child", agentType: "worker", parentToolCallId: "c", status: "running", startedAt: 5 }],
    });
    // These take 300,000 and 300,001 characters with what is around them.
    const long = [299_972, 299_973].map((length) => user("x".repeat(length)));
    expect((await store.getMessages("s")).messages).toEqual([user("first"), ...long, user("last")]);
    expect((await store.listRuns("s")).map(({ runId, startSequence }) => [runId, startSequence])).toEqual([["run-1", undefined], ["run-2", 4]]);
    expect((await store.getCurrentRun("other"))?.runId).toBe("run-3");
    const { items, total } = await store.listCheckpoints("s");
    expect([total, items.map(({ timestamp }) => timestamp)]).toEqual([2, [1_795_466_134_733, 1_795_466_134_719]]);
    const [, earlier] = await Promise.all(items.map(({ id }) => store.getCheckpoint(id)));
    expect(earlier).toMatchObject({ streamSequence: 9, messageCount: 4, state: { customState: { notes: ["a"] }, subSessionRefs: [{ subSessionId: "child" }] } });
    expect((await store.getLatestCheckpoint("other"))?.state.customState).toEqual({});
    for (const [step, calls] of [["step", ["c", "d"]], ["step 2", ["c"]]] as const) {
      expect((await store.getStaged("s", step))?.map(({ toolCallId }) => toolCallId)).toEqual(calls);
    }
  }
  const store = new DurableStateStore(backend(storage).place);
  await store.updateRunStatus("run-1", "completed");
  await store.stageChanges("s", "step", { toolCallId: "e", writes: append("e") });
  await store.promoteStaging("s", "step");
  await store.createCheckpoint("s");
  await store.createSession("new", { customState: {} });
  expect(store.synced("s").getState()).toEqual({ notes: ["a", "b", "c", "d", "e"] });
  expect((await store.listCheckpoints("s")).items.length).toBe(3);
}
