// What a store of format 2 had written: a row for each run's id, and of a session's id its own row alone; and what custom states
// of then had: pins and versions of rows without hashes, and no version for who had none.
import { expect } from "vitest";
import { DurableStateStore, SyncedState, type DurableStorage, type StoreStorage, type SyncedStateOptions } from "patchwire/durable-objects";
import { backend } from "./backends.ts";
import { Fault } from "./faults.ts";

/** Written by the code of commit 593dfc7 in `node:sqlite`, and put into a script of SQL. */
const FORMAT2 = `
CREATE TABLE "patchwire:sessions:sessions" ("id" TEXT NOT NULL, "number" INTEGER NOT NULL, "changes" INTEGER NOT NULL, "status" TEXT NOT NULL, "steps" INTEGER NOT NULL, "resumes" INTEGER NOT NULL, "fence" INTEGER NOT NULL, "messages" INTEGER NOT NULL, "era" INTEGER NOT NULL, "checkpoints" INTEGER NOT NULL, "runs" INTEGER NOT NULL, "children" INTEGER NOT NULL, "hash" INTEGER NOT NULL, PRIMARY KEY ("id")) WITHOUT ROWID;
INSERT INTO "patchwire:sessions:sessions" VALUES ('"other"', 2, 2, 'active', 0, 0, 0, 0, 0, 0, 1, 0, 1897614192493063),
  ('"s"', 1, 5, 'active', 0, 0, 0, 0, 0, 3, 1, 0, 2521737298959719);
CREATE TABLE "patchwire:sessions:details" ("session" INTEGER NOT NULL, "part" INTEGER NOT NULL, "text" TEXT NOT NULL, "hash" INTEGER NOT NULL, PRIMARY KEY ("session", "part")) WITHOUT ROWID;
INSERT INTO "patchwire:sessions:details" VALUES (1, 0, '{"agentType":"writer","streamId":"s","aborted":false}', 1987492232605385),
  (2, 0, '{"agentType":"","streamId":"other","aborted":false}', 1362944645478491);
CREATE TABLE "patchwire:sessions:numbers" ("id" INTEGER NOT NULL, "last" INTEGER NOT NULL, "hash" INTEGER NOT NULL, PRIMARY KEY ("id"));
INSERT INTO "patchwire:sessions:numbers" VALUES (1, 3, 549545554853894);
CREATE TABLE "patchwire:sessions:messages" ("session" INTEGER NOT NULL, "position" INTEGER NOT NULL, "part" INTEGER NOT NULL, "era" INTEGER NOT NULL, "text" TEXT NOT NULL, "hash" INTEGER NOT NULL, PRIMARY KEY ("session", "position", "part")) WITHOUT ROWID;
CREATE TABLE "patchwire:sessions:staging" ("session" INTEGER NOT NULL, "step" TEXT NOT NULL, "call" TEXT NOT NULL, "part" INTEGER NOT NULL, "place" INTEGER NOT NULL, "revision" INTEGER NOT NULL, "text" TEXT NOT NULL, "hash" INTEGER NOT NULL, PRIMARY KEY ("session", "step", "call", "part")) WITHOUT ROWID;
CREATE TABLE "patchwire:sessions:steps" ("session" INTEGER NOT NULL, "step" TEXT NOT NULL, "calls" INTEGER NOT NULL, "hash" INTEGER NOT NULL, PRIMARY KEY ("session", "step")) WITHOUT ROWID;
CREATE TABLE "patchwire:sessions:runs" ("session" INTEGER NOT NULL, "run" INTEGER NOT NULL, "part" INTEGER NOT NULL, "text" TEXT NOT NULL, "hash" INTEGER NOT NULL, PRIMARY KEY ("session", "run", "part")) WITHOUT ROWID;
INSERT INTO "patchwire:sessions:runs" VALUES (1, 0, 0, '{"runId":"run-1","sessionId":"s","turn":1,"status":"running","stepCount":0,"startedAt":1795479623510}', 3306800772893928),
  (2, 0, 0, '{"runId":"run-2","sessionId":"other","turn":1,"status":"running","stepCount":0,"startedAt":1795479623511}', 2474055711527188);
CREATE TABLE "patchwire:sessions:run_ids" ("id" TEXT NOT NULL, "session" TEXT NOT NULL, "run" INTEGER NOT NULL, "hash" INTEGER NOT NULL, PRIMARY KEY ("id")) WITHOUT ROWID;
INSERT INTO "patchwire:sessions:run_ids" VALUES ('"run-1"', '"s"', 0, 2686405400115343),
  ('"run-2"', '"other"', 0, 1838205720720022);
CREATE TABLE "patchwire:sessions:children" ("session" INTEGER NOT NULL, "child" TEXT NOT NULL, "place" INTEGER NOT NULL, "text" TEXT NOT NULL, "hash" INTEGER NOT NULL, PRIMARY KEY ("session", "child")) WITHOUT ROWID;
CREATE TABLE "patchwire:sessions:checkpoints" ("session" INTEGER NOT NULL, "time" INTEGER NOT NULL, "id" TEXT NOT NULL, "status" TEXT NOT NULL, "steps" INTEGER NOT NULL, "messages" INTEGER NOT NULL, "era" INTEGER NOT NULL, "sequence" INTEGER NOT NULL, "place" INTEGER NOT NULL, "hash" INTEGER NOT NULL, PRIMARY KEY ("session", "time")) WITHOUT ROWID;
INSERT INTO "patchwire:sessions:checkpoints" VALUES (1, 1795479623511, '"cpv1-s-s0-t1795479623511-6411ff"', 'active', 0, 0, 0, 0, 0, 1879542806689352),
  (1, 1795479623514, '"cpv1-s-s0-t1795479623514-ad040e"', 'active', 0, 0, 0, 0, 1, 952936999314067),
  (1, 1795479623522, '"cpv1-s-s0-t1795479623522-b7d401"', 'active', 0, 0, 0, 0, 2, 1046339700847655);
CREATE TABLE "patchwire:sessions:checkpoint_texts" ("session" INTEGER NOT NULL, "time" INTEGER NOT NULL, "part" INTEGER NOT NULL, "text" TEXT NOT NULL, "hash" INTEGER NOT NULL, PRIMARY KEY ("session", "time", "part")) WITHOUT ROWID;
INSERT INTO "patchwire:sessions:checkpoint_texts" VALUES (1, 1795479623511, 0, '{"details":{"agentType":"writer","streamId":"s","aborted":false},"children":[],"revision":0,"version":1}', 3822574468407256),
  (1, 1795479623514, 0, '{"details":{"agentType":"writer","streamId":"s","aborted":false},"children":[],"revision":0,"version":1}', 1062717789370792),
  (1, 1795479623522, 0, '{"details":{"agentType":"writer","streamId":"s","aborted":false},"children":[],"revision":1,"version":1}', 1242002458546089);
CREATE TABLE "patchwire_sessions-1_meta" ( id INTEGER PRIMARY KEY, format INTEGER NOT NULL, session TEXT NOT NULL, tail INTEGER NOT NULL, folding INTEGER NOT NULL);
INSERT INTO "patchwire_sessions-1_meta" VALUES (1, 2, '4ec657ed-d052-46db-bedd-8f3ae53b42f1', 4096, 0);
CREATE TABLE "patchwire_sessions-1_roots" (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL);
INSERT INTO "patchwire_sessions-1_roots" VALUES (0, 432893155311283, '{"next":1,"chunks":0,"log":4096,"time":0,"size":0,"freed":[]}
{"notes":["a"]}');
CREATE TABLE "patchwire_sessions-1_chunks" (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE "patchwire_sessions-1_log" (id INTEGER PRIMARY KEY, last INTEGER NOT NULL, hash INTEGER NOT NULL, patch TEXT NOT NULL);
INSERT INTO "patchwire_sessions-1_log" VALUES (4096, 1, 2764787113329496, '[{"op":"add","path":"/notes/-","value":"b"}]');
CREATE TABLE "patchwire_sessions-1_pins" (id INTEGER PRIMARY KEY, count INTEGER NOT NULL);
INSERT INTO "patchwire_sessions-1_pins" VALUES (0, 2),
  (1, 1);
CREATE TABLE "patchwire:versions" ("state" TEXT NOT NULL, "version" INTEGER NOT NULL, PRIMARY KEY ("state")) WITHOUT ROWID;
INSERT INTO "patchwire:versions" VALUES ('"sessions-1"', 1),
  ('"sessions-2"', 1);
CREATE TABLE "patchwire_sessions-2_meta" ( id INTEGER PRIMARY KEY, format INTEGER NOT NULL, session TEXT NOT NULL, tail INTEGER NOT NULL, folding INTEGER NOT NULL);
INSERT INTO "patchwire_sessions-2_meta" VALUES (1, 2, '8f05b692-5652-452b-9940-89247f88870d', 0, 0);
CREATE TABLE "patchwire_sessions-2_roots" (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL);
INSERT INTO "patchwire_sessions-2_roots" VALUES (0, 4181139438022107, '{"next":1,"chunks":0,"log":4096,"time":0,"size":0,"freed":[]}
{}');
CREATE TABLE "patchwire_sessions-2_chunks" (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE "patchwire_sessions-2_log" (id INTEGER PRIMARY KEY, last INTEGER NOT NULL, hash INTEGER NOT NULL, patch TEXT NOT NULL);
CREATE TABLE "patchwire_sessions-2_pins" (id INTEGER PRIMARY KEY, count INTEGER NOT NULL);
`;

/** A state of then, its tables' columns first. A version is where it had one. */
const STATE = {
  meta: [["format", "session", "tail", "folding"], [1, 2, "21d79897-6cfc-4212-b860-7e14c152c7df", 4096, 0]],
  roots: [["hash", "text"], [0, 4057674263434843, '{"next":1,"chunks":0,"log":4096,"time":0,"size":0,"freed":[]}\n{"text":"x"}']],
  chunks: [["hash", "text"]],
  log: [["last", "hash", "patch"], [4096, 1, 1427494939670955, '[{"op":"replace","path":"/text","value":"y"}]']],
  pins: [["count"], [0, 2], [1, 1]],
} as const;

const typeOf = (column: string): "INTEGER" | "TEXT" => (["session", "text", "patch"].includes(column) ? "TEXT" : "INTEGER");

function write(storage: StoreStorage, version: number | undefined): void {
  for (const [name, [columns, ...rows]] of Object.entries(STATE)) {
    if ("table" in storage) {
      const table = storage.table({ name: `state::${name}`, key: { id: "INTEGER" }, columns: Object.fromEntries(columns.map((column) => [column, typeOf(column)])) });
      for (const row of rows) table.put(Object.fromEntries(["id", ...columns].map((column, i) => [column, row[i]!])));
    } else {
      storage.sql.exec(`CREATE TABLE patchwire_${name} (id INTEGER PRIMARY KEY, ${columns.map((column) => `${column} ${typeOf(column)} NOT NULL`).join(", ")})`);
      for (const row of rows) storage.sql.exec(`INSERT INTO patchwire_${name} VALUES (${row.map(() => "?").join(", ")})`, ...row);
    }
  }
  if (version === undefined) return;
  if ("table" in storage) storage.table({ name: "versions", key: { state: "TEXT" }, columns: { version: "INTEGER" } }).put({ state: '""', version });
  else {
    storage.sql.exec('CREATE TABLE "patchwire:versions" (state TEXT NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (state)) WITHOUT ROWID');
    storage.sql.exec("INSERT INTO \"patchwire:versions\" VALUES ('\"\"', ?)", version);
  }
}

interface Text {
  text: string;
}

/** A state as an object has it that knows nothing, and the versions that it was migrated from. */
function opened(storage: StoreStorage, options: Partial<SyncedStateOptions<Text>> = {}) {
  const from: number[] = [];
  const migrate = (state: Text, version: number): Text => (from.push(version), { text: `${state.text} of ${version}` });
  const noSockets = { acceptWebSocket() {}, getWebSockets: () => [], getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {} };
  const own = backend(storage).place as StoreStorage;
  return { state: new SyncedState<Text>({ storage: own, ...noSockets }, { initial: { text: "none" }, migrate, ...options }), from, storage: own };
}

/** Pins and version of a state are those that they were, once it was opened, with whatever option. */
export function tryState(anew: () => StoreStorage): void {
  for (const version of [undefined, 1]) {
    const storage = anew();
    write(storage, version);
    // Taken back with the transaction that it was opened in.
    const first = opened(storage);
    const refused = new Error("taken back");
    expect(() => first.storage.transactionSync(() => {
      expect(first.state.pins).toEqual([0, 1]);
      throw refused;
    })).toThrow(refused);
    first.state.pin();
    expect(first.state.pins).toEqual([0, 1]);
    const second = opened(storage, { version: 2 });
    expect(second.state.getState()).toEqual({ text: `y of ${version ?? 0}` });
    expect(opened(storage, { version: 2 }).state.getState()).toEqual({ text: `y of ${version ?? 0}` });
    const third = opened(storage, { version: 3 });
    void third.state.revision;
    expect([second.from, third.from]).toEqual([[version ?? 0], [2]]);
    for (const revision of [0, 0, 1, 1]) third.state.unpin(revision);
    expect(third.state.pins).toEqual([]);
    for (const revision of [0, 1]) expect(() => third.state.unpin(revision)).toThrow("NOT_FOUND");
  }
}

/** The tables of format 2 are read as they were, by whoever opens them, and written as the present format has them. */
export async function tryFormat2(storage: DurableStorage): Promise<void> {
  FORMAT2.split(";\n").forEach((statement) => statement.trim() === "" || storage.sql.exec(statement));
  const versioned = { version: 1, migrate: (): never => expect.fail("it has this version") };
  // Failing at any statement leaves them as they were.
  for (let at = 1; ; at++) {
    const fault = new Fault();
    const store = new DurableStateStore(backend(storage, (storage) => fault.around(storage)).place, versioned);
    fault.arm(at);
    const error: unknown = await store.loadState("s").then(() => undefined, (error: unknown) => error);
    fault.disarm();
    if (error === undefined) break;
    expect(error).toMatchObject({ message: "the storage failed" });
  }
  for (const { place } of [backend(storage), backend(storage)]) {
    const store = new DurableStateStore(place, versioned);
    expect(await store.loadState("s")).toMatchObject({ agentType: "writer", version: 6, customState: { notes: ["a", "b"] } });
    expect(await store.loadState("other")).toMatchObject({ customState: {} });
    expect(await store.sessionExists("gone")).toBe(false);
    expect(store.synced("s").pins).toEqual([0, 1]);
    const { items } = await store.listCheckpoints("s");
    expect(await Promise.all(items.map(async ({ id }) => (await store.getCheckpoint(id))?.state.customState))).toEqual([{ notes: ["a", "b"] }, { notes: ["a"] }, { notes: ["a"] }]);
    for (const run of ["run-1", "run-2"]) await expect(store.createRun("s", run, { turn: 1 })).rejects.toThrow("CONFLICT");
  }
  const tables = [...storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'")].map(({ name }) => name);
  expect(tables.filter((name) => /run_ids|_pins/.test(String(name)))).toEqual([]);
  const store = new DurableStateStore(backend(storage).place, versioned);
  for (const run of ["run-1", "run-2"]) await store.updateRunStatus(run, "completed");
  for (const id of ["s", "other"]) await store.deleteSession(id);
  await store.createSession("s");
  await store.createRun("s", "run-1", { turn: 1 });
  expect((await store.listRuns("s")).length).toBe(1);
}
