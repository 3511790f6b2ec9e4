import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { applyPatch, PatchwireError } from "patchwire";
import * as helix from "patchwire/helix";
import type { StreamChunk, StreamEvent } from "patchwire/helix";

// patchwire/helix beyond its examples. The pages' cases about trackers run here through ImmerStateTracker too.

const { cases } = JSON.parse(readFileSync(new URL("../../cases/helix.json", import.meta.url), "utf8")) as { cases: any[] };
/** Mutations whose meaning is in helix-cases.test.ts; here the plain ones are enough. */
const plain = cases.filter(({ kind, expected, steps = [] }) => kind === "tracker" && !expected.throws && steps.every(({ update = [] }: any) => update.every(({ m }: any) => m === "set" || m === "push")));

function perform(draft: any, mutations: any[]): void {
  for (const { m, path, value, values } of mutations) {
    const keys = path.split("/").slice(1);
    const last = keys.pop();
    const holder = keys.reduce((at: any, key: string) => at[key], draft);
    if (m === "set") holder[last] = value;
    else holder[last].push(...values);
  }
}

describe("ImmerStateTracker", () => {
  test("enough cases are plain", () => expect(plain.length).toBeGreaterThan(5));

  test.each(plain)("$name", ({ initial, options, steps, expected, alternative }) => {
    const tracker = new helix.ImmerStateTracker<any>(initial, options);
    for (const step of steps) {
      if (step.update) expect(tracker.update((draft) => perform(draft, step.update))).toBe(tracker.getState());
      if (step.resetTracking) tracker.resetTracking();
    }
    const wanted = { ...expected, ...alternative };
    if (wanted.patches) expect(tracker.getRFC6902Patches()).toEqual(wanted.patches);
    expect(helix.stepWritesToRFC6902(tracker.getStepWrites())).toEqual(tracker.getRFC6902Patches());
    for (const { kind } of tracker.getStepWrites().ops) expect(["append", "replace", "delete"]).toContain(kind);
  });

  test("a refused update leaves no trace", () => {
    const tracker = helix.createImmerStateTracker<any>({ n: 1 });
    const before = tracker.getState();
    expect(() => tracker.update((draft) => { draft.n = 2; draft.call = () => {}; })).toThrow(expect.objectContaining({ code: "NOT_JSON", path: "/call" }));
    expect([tracker.getState(), tracker.getStepWrites().ops]).toEqual([before, []]);
  });
});

describe("createToolContext", () => {
  const parts = () => ({ agentId: "run-1", agentType: "writer", stateTracker: helix.createImmerStateTracker({ notes: [] as string[] }, { arrayDeltaMode: true }) });

  test("chunks come in order though writing takes its time, and a failure is told once asked", async () => {
    const written: number[] = [];
    const write = async ({ patches }: any) => {
      await new Promise((done) => setTimeout(done, written.length === 0 ? 5 : 0));
      if (patches[0].value === "bad") throw new Error("broken pipe");
      written.push(patches[0].value);
    };
    const context = helix.createToolContext({ ...parts(), streamWriter: { write }, step: 3 });
    for (const note of ["a", "b"]) context.updateState((draft) => void draft.notes.push(note));
    context.updateState(() => {});
    await context.flush();
    expect(written).toEqual(["a", "b"]);
    context.updateState((draft) => void draft.notes.push("bad"));
    await expect(context.flush()).rejects.toThrow("broken pipe");
    expect(context.getStepWrites().ops).toMatchObject([{ kind: "append", items: ["a", "b", "bad"] }]);
  });

  test("two tools of one tracker stream what each of them wrote only once", async () => {
    const chunks: any[] = [];
    const shared = { ...parts(), streamWriter: { write: (chunk: StreamChunk) => void chunks.push(chunk) } };
    const [one, without] = [helix.createToolContext({ ...shared, step: 1 }), helix.createToolContext({ ...shared, streamWriter: undefined as never })];
    one.updateState((draft) => void draft.notes.push("a"));
    without.updateState((draft) => void draft.notes.push("b"));
    one.updateState((draft) => void draft.notes.push("c"));
    await one.flush();
    const state = chunks.reduce((at, { patches }) => applyPatch(at, patches), { notes: [] });
    expect(state).toEqual({ notes: ["a", "b", "c"] });
    expect(chunks[0]).toMatchObject({ type: "state_patch", agentId: "run-1", agentType: "writer", step: 1 });
    expect(helix.StreamChunkSchema.safeParse(chunks[0]).success).toBe(true);
  });
});

describe("chunks and events", () => {
  const base = { agentId: "run-1", agentType: "a", timestamp: 1, step: 2 };
  const resync = { type: "stream_resync", checkpointId: "c", stepCount: 1, messageCount: 2, fromSequence: 3, reason: "rollback", ...base };

  test.each([
    [{ type: "text_delta", delta: "x", ...base }, undefined],
    [{ type: "text_delta", ...base }, "/delta"],
    [{ type: "text_delta", delta: 1, ...base }, "/delta"],
    [{ type: "text_delta", delta: "x" }, "/agentId"],
    [{ type: "state_patch", patches: {}, ...base }, "/patches"],
    [{ type: "subagent_start", whatever: 1, ...base }, undefined],
    [resync, undefined],
    [{ ...resync, reason: "boredom" }, "/reason"],
    [{ type: "constructor", ...base }, "/type"],
    [{ type: 7, ...base }, "/type"],
    [null, "/type"],
  ])("%j", (chunk, path) => {
    const { safeParse, parse } = helix.StreamChunkSchema;
    expect(safeParse(chunk).success).toBe(path === undefined);
    if (path === undefined) expect(parse(chunk)).toBe(chunk);
    else expect(() => parse(chunk)).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED", path }));
  });

  test("each guard knows its own type only", () => {
    const guards = Object.entries(helix).filter(([name]) => /^is\w+Chunk$/.test(name)) as [string, (chunk: { type: string }) => boolean][];
    const types = ["text_delta", "thinking", "tool_start", "tool_end", "subagent_start", "subagent_end", "custom", "state_patch", "error", "output", "run_interrupted", "run_resumed", "run_paused", "checkpoint_created", "executor_superseded", "step_committed", "step_discarded", "stream_resync"];
    expect(guards).toHaveLength(types.length);
    for (const type of types) expect(guards.filter(([, is]) => is({ type }))).toHaveLength(1);
  });

  test("events travel as text", () => {
    const events: StreamEvent[] = [
      { type: "chunk", sequence: 4, chunk: { type: "text_delta", delta: "é", agentId: "run-1" } },
      { type: "end" }, { type: "fail", error: "x" }, { type: "status", status: "active" }, { type: "truncated", truncatedAtStep: 2, atSequence: 9 },
    ];
    for (const event of events) expect(helix.parseStreamEvent(helix.serializeStreamEvent(event))).toEqual(event);
    expect(events.filter(helix.isStreamEnd).map(({ type }) => type)).toEqual(["end", "fail"]);
    expect(helix.parseNamedSSEEvent("chunk", JSON.stringify((events[0] as any).chunk))).toEqual({ type: "chunk", chunk: (events[0] as any).chunk });
    for (const text of ["{", "null", "[]", '{"type":"toString"}', '{"type":"chunk","chunk":{"type":"text_delta"}}', '{"type":"status","status":"gone"}']) {
      expect(() => helix.parseStreamEvent(text)).toThrow(PatchwireError);
    }
  });
});

describe("filters", () => {
  async function* counted(upTo: number, seen: number[], ended: { done?: boolean } = {}): AsyncGenerator<number> {
    try {
      for (let n = 0; n < upTo; n++) {
        seen.push(n);
        yield n;
      }
    } finally {
      ended.done = true;
    }
  }

  test("take reads no more than it gives, and ends its source", async () => {
    const [seen, ended]: [number[], { done?: boolean }] = [[], {}];
    expect(await helix.collectAll(helix.take(counted(9, seen, ended), 2))).toEqual([0, 1]);
    expect([seen, ended.done]).toEqual([[0, 1], true]);
    expect(await helix.collectAll(helix.take(counted(9, seen), 0))).toEqual([]);
    expect(await helix.collectAll(helix.skip(counted(3, []), 9))).toEqual([]);
    expect(await helix.collectAll(helix.skip(counted(3, []), 0))).toEqual([0, 1, 2]);
  });

  test("a combined stream has all of each, in its order, and ends all", async () => {
    const all = await helix.collectAll(helix.combineStreams(counted(4, []), counted(3, [])));
    expect(all.sort()).toEqual([0, 0, 1, 1, 2, 2, 3]);
    const ended: { done?: boolean } = {};
    async function* broken(): AsyncGenerator<number> {
      throw new Error("broken");
    }
    await expect(helix.collectAll(helix.combineStreams(counted(9, [], ended), broken()))).rejects.toThrow("broken");
    await new Promise((done) => setTimeout(done));
    expect(ended.done).toBe(true);
    expect(await helix.collectAll(helix.combineStreams())).toEqual([]);
  });
});

test("a projection is followed by what is shown of it", () => {
  const projection = helix.createStateProjection<{ notes: string[]; keys: object }, { notes: readonly string[] }>(({ notes }) => ({ notes }));
  const projector = new helix.StreamProjector(projection, { notes: [], keys: {} });
  let shown: unknown = projector.value;
  const patches = [[{ op: "add", path: "/notes/-", value: "a" }], [{ op: "add", path: "/keys/k", value: "secret" }], [{ op: "replace", path: "/notes/0", value: "b" }]];
  for (const patch of patches) {
    const chunk = projector.push({ type: "state_patch", agentId: "run-1", patches: patch as never });
    expect(JSON.stringify(chunk) ?? "").not.toContain("secret");
    if (chunk) shown = applyPatch(shown, chunk.patches);
    expect(shown).toEqual(projector.value);
  }
  expect(() => projector.push({ type: "state_patch", agentId: "run-1", patches: [{ op: "remove", path: "/none" }] })).toThrow(expect.objectContaining({ code: "PATH_NOT_FOUND" }));
  expect(projector.value).toEqual({ notes: ["b"] });
});

test("checkpoint ids are read from their end", () => {
  for (const session of ["a", "session-123", "a-s1-t2-abcdef", "cpv1-x-s1-t1-000000", "ü/\n-"]) {
    const id = helix.generateCheckpointId(session, 7);
    expect(helix.parseCheckpointId(id)).toMatchObject({ version: helix.CHECKPOINT_ID_VERSION, sessionId: session, stepCount: 7 });
  }
  for (const id of ["", "cpv2-a-s1-t1-abcdef", "cpv1--s1-t1-abcdef", "cpv1-a-s1-t1-abcdeg", "cpv1-a-s-1-t1-abcdef"]) expect(helix.parseCheckpointId(id)).toBeNull();
  for (const [session, step] of [["", 1], ["a", -1], ["a", 0.5], ["a", NaN], [undefined as never, 1]] as const) expect(() => helix.generateCheckpointId(session, step)).toThrow(PatchwireError);
});

test("statuses are converted, and unknown ones refused", () => {
  for (const status of ["active", "completed", "failed", "interrupted", "paused"] as const) {
    expect(helix.agentStatusToSessionStatus(helix.sessionStatusToAgentStatus(status))).toBe(status);
  }
  for (const status of Object.values(helix.AgentStatusValues)) expect(helix.agentStatusToSessionStatus(status)).toBeTypeOf("string");
  expect(() => helix.sessionStatusToAgentStatus("toString" as never)).toThrow("a status is one of active,");
  expect(helix.InterruptContextSchema.safeParse({ stepCount: 1, timestamp: 2 }).success).toBe(true);
  expect(helix.InterruptContextSchema.safeParse({ stepCount: "1", timestamp: 2 })).toMatchObject({ issues: [{ path: ["stepCount"] }] });
});

test("errors are told apart, whoever made them", () => {
  class StaleStateError extends Error {
    override name = "StaleStateError";
  }
  const codeOf = (error: unknown) => helix.classifyError(error).code;
  expect(codeOf(new StaleStateError("old"))).toBe("state_concurrency_conflict");
  expect(codeOf(new PatchwireError("VALIDATION_FAILED", "no"))).toBe("validation_error");
  expect(codeOf({ name: "constructor" })).toBe("framework_internal_error");
  expect(codeOf(new helix.LockLostError("r", 1))).toBe("state_concurrency_conflict");
  const known = new helix.HelixError({ message: "m", code: "tool_timeout" });
  expect(helix.classifyError(known)).toBe(known);
  expect(known.category).toBe("tool");
  const elsewhere = Object.assign(new Error("m"), { [Symbol.for("helix.agents.error")]: true });
  expect(helix.HelixError.isInstance(elsewhere)).toBe(true);
  const cause = { message: "Overloaded" };
  expect(helix.ensureError(cause).cause).toBe(cause);
});

test("the store's errors are Helix's, by class, by name and by their fields", () => {
  const errors: [error: PatchwireError, code: string, fields: object][] = [
    [new helix.StaleStateError("s", 1, 2), "state_concurrency_conflict", { code: "STALE_STATE", sessionId: "s", expectedVersion: 1, actualVersion: 2 }],
    [new helix.ExecutorSupersededError("s"), "state_concurrency_conflict", { code: "STALE_STATE", sessionId: "s" }],
    [new helix.FencingTokenMismatchError("s", 3), "state_concurrency_conflict", { code: "CONFLICT", sessionId: "s", expectedToken: 3 }],
    [new helix.AgentAlreadyRunningError("s", "active"), "state_already_running", { code: "CONFLICT", sessionId: "s", currentStatus: "active" }],
    [new helix.AgentNotResumableError("s", "failed"), "state_not_resumable", { code: "CONFLICT", sessionId: "s", currentStatus: "failed" }],
    [new helix.StreamTruncatedError("r", 4, 5), "transport_error", { code: "STREAM_TRUNCATED", streamId: "r", lastValidSequence: 4, truncatedAtStep: 5 }],
  ];
  for (const [error, code, fields] of errors) {
    expect(error).toBeInstanceOf(PatchwireError);
    expect(error).toMatchObject({ name: error.constructor.name, ...fields });
    expect(helix.classifyError(error)).toMatchObject({ code, cause: error });
  }
  expect(helix.classifyError(new PatchwireError("NOT_FOUND", "no session")).code).toBe("state_session_not_found");
});

test("locks of one process carry growing tokens", async () => {
  const locks = new helix.NoOpLockManager("worker-1");
  const tokens = await Promise.all([1, 2, 3].map(() => locks.withLock("r", { ttlMs: 10 }, async ({ fencingToken }) => fencingToken)));
  expect(tokens).toEqual([1, 2, 3]);
  await expect(locks.withLock("r", { ttlMs: 10 }, async () => { throw new helix.LockNotAcquiredError("r", "x"); })).rejects.toThrow("held by x");
});
