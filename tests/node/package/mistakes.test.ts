import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import {
  applyChangeRequest, applyPatch, changeRequestSchema, compact, diff, diffTexts, filterPatch, invert, mergeBranches, mergeWrites, parallel, PatchwireError, revertChange,
  stateBefore, StateDocument, StateTracker,
} from "patchwire";
import { connect } from "patchwire/client";
import { DurableStateStore, memoryStorage, nodeStorage, SyncedState } from "patchwire/durable-objects";
import { StateManager } from "patchwire/agentos";
import { createImmerStateTracker, createToolContext } from "patchwire/helix";
import { parsePathWithOperations, PayloadManager } from "patchwire/memberjunction";
import { refusal } from "../support/refusal.ts";

// What a newcomer without types may get wrong is refused by whatever is called first, in a sentence that says what to do.

/** A context with the storage of an object that has just been made. */
const context = (storage: unknown = memoryStorage()): any => ({ storage, acceptWebSocket() {}, getWebSockets: () => [], getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {} });
const tracker = (options: unknown): unknown => new StateTracker({ n: 0 }, options as never);
const synced = (ctx: unknown, options?: unknown): unknown => new SyncedState(ctx as never, options as never);
const stored = (place?: unknown, options?: unknown): unknown => new DurableStateStore(place as never, options as never);

const circle: Record<string, unknown> = {};
circle["itself"] = circle;

const url = "connect({ url })";
const noContext = "the first argument is the Durable Object's this.ctx";
const noState = "the second argument has the initial state: { initial: … }";
const noPlace = "the first argument is the Durable Object's this.ctx, nodeStorage(database) or memoryStorage()";
const noRule = "the option validate is a function, or a schema that follows Standard Schema";

test.each<[name: string, run: () => unknown, code: string, says: string]>([
  ["connect of nothing", () => connect(undefined as never), "VALIDATION_FAILED", url],
  ["connect of null", () => connect(null as never), "VALIDATION_FAILED", url],
  ["connect of a text", () => connect("ws://localhost/session" as never), "VALIDATION_FAILED", url],
  ["connect of a URL", () => connect(new URL("ws://localhost/session") as never), "VALIDATION_FAILED", url],
  ["connect without a url", () => connect({} as never), "VALIDATION_FAILED", url],
  ["connect to a number", () => connect({ url: 8787 } as never), "VALIDATION_FAILED", url],
  ["an unknown limit of a client", () => connect({ url: "/", limits: { frames: 1 } } as never), "VALIDATION_FAILED", "there is no limit frames: the limits are document, depth, operations, string, path, frame"],
  ["connect to an empty text, as of a variable that isn't set", () => connect({ url: "" }), "VALIDATION_FAILED", url],
  ["a mistyped option of a client", () => connect({ url: "/", onerror() {} } as never), "VALIDATION_FAILED", "there is no option onerror: the options are url, snapshot, onPatch, onError, shouldReconnect, notify, lazy, StateTracker, WebSocket, limits"],
  ["a tracker for the class of trackers", () => connect({ url: "/", StateTracker: new StateTracker({}) } as never), "VALIDATION_FAILED", "the option StateTracker is a function"],
  ["a change by a client that only reads", () => connect({ url: "/" }).update(() => {}), "VALIDATION_FAILED", "connect({ url, StateTracker })"],
  ["a change of a state that isn't there yet", () => connect({ url: "/", StateTracker }).update(() => {}), "NOT_FOUND", "whenRevision(0)"],
  ["a handler that isn't one", () => connect({ url: "/", onError: 5 } as never), "VALIDATION_FAILED", "the option onError is a function"],
  ["a module for a WebSocket", () => connect({ url: "ws://localhost/", WebSocket: { WebSocket } } as never), "VALIDATION_FAILED", "the option WebSocket is a function"],
  ["a number for a pointer of a client that waits", () => connect({ url: "/" }).get(5 as never), "INVALID_POINTER", "a pointer is a string, like '/notes/0'"],
  ["a pointer with a bare ~ of a client that waits", () => connect({ url: "/" }).get("/a~2"), "INVALID_POINTER", "'~' must be followed by 0 or 1"],

  ["a SyncedState whose initial state is undefined", () => (synced(context(), { initial: undefined }) as SyncedState<object>).getState(), "STREAM_TRUNCATED", "the storage has no state yet, and the option initial is undefined"],
  ["a number for the name of a SyncedState", () => synced(context(), { initial: {}, name: 5 }), "VALIDATION_FAILED", "the option name is up to 64 letters"],
  ["a message that is none", () => (synced(context(), { initial: {} }) as SyncedState<object>).webSocketMessage({} as never, 5 as never), "VALIDATION_FAILED", "the second argument is the message that came"],
  ["an unknown option of diff", () => diff(1, 2, { keys: "id" } as never), "VALIDATION_FAILED", "there is no option keys: the options are dialect, key, limits"],
  ["one value to diff", () => (diff as (value: unknown) => unknown)({}), "VALIDATION_FAILED", "two values are compared: diff(before, after)"],
  ["a cursor that was closed", () => { const cursor = new StateTracker({}).cursor(); cursor.close(); cursor.patchText(); }, "CLOSED", "the cursor was closed"],
  ["a document for a value", () => diff(StateDocument.parse("{}"), {}), "NOT_JSON", "give what its toJSON() returns"],
  ["a tracker for its writes", () => mergeWrites({}, [new StateTracker({})] as never), "NOT_JSON", "or its getStepWrites()"],
  ["a path for a database", () => nodeStorage("agents.db" as never), "VALIDATION_FAILED", 'nodeStorage(new DatabaseSync("agents.db"))'],
  ["nothing to diff in texts", () => diffTexts(undefined as never, "1"), "VALIDATION_FAILED", "the texts to compare are strings, or bytes in a Uint8Array"],
  ["an unknown option of mergeWrites", () => mergeWrites({}, [], { strategy: {} } as never), "VALIDATION_FAILED", "there is no option strategy: the options are dialect, strategies, limits"],
  ["an unknown option of a change request", () => applyChangeRequest({ a: 1 }, { updateElements: { a: 2 } }, { allowed: [] } as never), "VALIDATION_FAILED", "there is no option allowed: the options are allow, view"],
  ["a number for the agent of a change request", () => applyChangeRequest({}, {}, { agent: 5 } as never), "VALIDATION_FAILED", "the option agent is a string"],
  ["a text for the time of a change request", () => applyChangeRequest({}, {}, { at: "yesterday" } as never), "VALIDATION_FAILED", "the option at is a time in milliseconds"],
  ["null for the options of a change request", () => applyChangeRequest({ a: 1 }, { updateElements: { a: 2 } }, null as never), "VALIDATION_FAILED", "the options are an object"],
  ["null for the options of a schema", () => changeRequestSchema({}, null as never), "VALIDATION_FAILED", "the options are an object"],
  ["null for the options of a change that is taken back", () => revertChange({}, [], 0, null as never), "VALIDATION_FAILED", "the options are an object"],
  ["an unknown option of applyPatch", () => applyPatch({}, [], { limit: { string: 3 } } as never), "VALIDATION_FAILED", "there is no option limit: the options are limits"],
  ["limits for the options of applyPatch", () => applyPatch({}, [], { string: 3 } as never), "VALIDATION_FAILED", "there is no option string: the options are limits"],
  ["an unknown option of invert", () => invert({}, [], { limit: {} } as never), "VALIDATION_FAILED", "there is no option limit: the options are dialect, limits"],
  ["an unknown option of compact", () => compact([], { bse: {} } as never), "VALIDATION_FAILED", "there is no option bse: the options are base, limits"],
  ["an unknown option of filterPatch", () => filterPatch([], {}, { bse: {} } as never), "VALIDATION_FAILED", "there is no option bse: the options are base, limits"],
  ["an unknown option of a schema", () => changeRequestSchema({}, { alow: [] } as never), "VALIDATION_FAILED", "there is no option alow: the options are state, allow, scope, limits"],
  ["an unknown option of a change that is taken back", () => stateBefore({}, [], 0, { dialekt: "extended" } as never), "VALIDATION_FAILED", "there is no option dialekt: the options are dialect, limits"],
  ["an unknown option of a document's difference", () => StateDocument.parse("{}").diff(StateDocument.parse("{}"), { dialekt: "extended" } as never), "VALIDATION_FAILED", "there is no option dialekt: the options are dialect, key"],
  ["an unknown option of a patch", () => new StateTracker({}).getPatchText({ dialekt: "extended" } as never), "VALIDATION_FAILED", "there is no option dialekt: the options are dialect"],
  ["an unknown option of step writes", () => new StateTracker({}).getStepWrites({ byItems: true } as never), "VALIDATION_FAILED", "there is no option byItems: the options are byItem"],
  ["an unknown option of a repair", () => (synced(context(), { initial: {} }) as SyncedState<object>).repair({ versoin: 3 } as never), "VALIDATION_FAILED", "there is no option versoin: the options are version"],
  ["strategies in the options of branches", () => mergeBranches({}, [], {}, { strategies: { "/a": "sum" } } as never), "VALIDATION_FAILED", "there is no option strategies: the options are dialect, limits"],
  ["an unknown option of Helix's tracker", () => createImmerStateTracker({}, { arrayDeltaMod: true } as never), "VALIDATION_FAILED", "there is no option arrayDeltaMod: the options are arrayDeltaMode"],
  ["an unknown option of Helix's tools", () => createToolContext({ streamwriter: {} } as never), "VALIDATION_FAILED", "there is no option streamwriter: the options are agentId, agentType"],
  ["Helix's tools without a tracker", () => createToolContext({ agentId: "a", agentType: "b" } as never), "VALIDATION_FAILED", "the option stateTracker is a tracker"],
  ["an unknown option of MemberJunction's manager", () => new PayloadManager().applyAgentChangeRequest({}, {}, { allowedpaths: [] } as never), "VALIDATION_FAILED", "there is no option allowedpaths: the options are"],
  ["a number for MemberJunction's path", () => parsePathWithOperations(5 as never), "VALIDATION_FAILED", "a path is a string"],
  ["no reducers of AgentOS", () => new StateManager(undefined as never), "VALIDATION_FAILED", "the reducers are an object, of a reducer for each field"],
  ["options for the strategies of branches", () => mergeBranches({}, [], { strategies: { "/a": "sum" } } as never), "VALIDATION_FAILED", 'the third argument is the strategies themselves, by pointer: { "/tokens": "sum" }'],
  ["no text for the next version of a document", () => StateDocument.parse("{}").parseNext(undefined as never), "INVALID_JSON", "a document is parsed from a string, or from bytes"],
  ["an object without a prototype for a pointer", () => tracker({}).increment(Object.create(null) as never), "INVALID_POINTER", "a pointer is a string, like '/notes/0'"],
  ["null for the options of a repair", () => (synced(context(), { initial: {} }) as SyncedState<object>).repair(null as never), "VALIDATION_FAILED", "the options are an object"],
  ["no request to answer", () => (synced(context(), { initial: {} }) as SyncedState<object>).fetch(undefined as never), "VALIDATION_FAILED", "the request is an object"],

  ["a SyncedState of nothing", () => synced(undefined, { initial: {} }), "VALIDATION_FAILED", noContext],
  ["a SyncedState of a storage", () => synced(memoryStorage(), { initial: {} }), "VALIDATION_FAILED", noContext],
  ["a SyncedState of an environment", () => synced({ SESSIONS: {} }, { initial: {} }), "VALIDATION_FAILED", noContext],
  ["a SyncedState of an environment with a binding `storage`", () => synced({ storage: {} }, { initial: {} }), "VALIDATION_FAILED", noContext],
  ["a SyncedState without options", () => synced(context()), "VALIDATION_FAILED", noState],
  ["a SyncedState of the bare state", () => synced(context(), { notes: [] }), "VALIDATION_FAILED", noState],
  ["a SyncedState of a text", () => synced(context(), "notes"), "VALIDATION_FAILED", noState],
  ["an unknown option of a SyncedState", () => synced(context(), { initial: {}, validator() {} }), "VALIDATION_FAILED", "there is no option validator: the options are initial, name, version, migrate, retention, view, clientWrites, limits, validate, onEvent"],
  ["an unknown limit of a SyncedState", () => synced(context(), { initial: {}, limits: { documents: 1 } }), "VALIDATION_FAILED", "there is no limit documents: the limits are"],
  ["a text for a version, as of a variable of the environment", () => synced(context(), { initial: {}, version: "2" }), "VALIDATION_FAILED", "the option version is a whole number from 1"],
  ["a fraction for a version", () => synced(context(), { initial: {}, version: 1.5 }), "VALIDATION_FAILED", "the option version is a whole number from 1"],
  ["a number for a migration", () => synced(context(), { initial: {}, version: 2, migrate: 5 }), "VALIDATION_FAILED", "the option migrate is a function"],
  ["a handler of a SyncedState that isn't one", () => synced(context(), { initial: {}, onEvent: 5 }), "VALIDATION_FAILED", "the option onEvent is a function"],
  ["a mistyped bound of what is kept", () => synced(context(), { initial: {}, retention: { revision: 5 } }), "VALIDATION_FAILED", "there is no bound revision: the bounds are revisions, age, bytes"],
  ["a limit of a SyncedState that is none", () => synced(context(), { initial: {}, limits: { depth: "deep" } }), "VALIDATION_FAILED", "the limit depth is a number"],

  ["a store of nothing", () => stored(), "VALIDATION_FAILED", noPlace],
  ["a store of null", () => stored(null), "VALIDATION_FAILED", noPlace],
  ["a store of a database", () => stored(new DatabaseSync(":memory:")), "VALIDATION_FAILED", noPlace],
  ["a store of a context without storage", () => stored({ storage: undefined }), "VALIDATION_FAILED", noPlace],
  ["an unknown option of a store", () => stored(memoryStorage(), { initial: {} }), "VALIDATION_FAILED", "there is no option initial: the options are name, version, migrate, strategies, retention, limits, view, onEvent"],
  ["a text for the version of a store", () => stored(memoryStorage(), { version: "2" }), "VALIDATION_FAILED", "the option version is a whole number from 1"],
  ["a mistyped bound of what a store keeps", () => stored(memoryStorage(), { retention: { revision: 5 } }), "VALIDATION_FAILED", "there is no bound revision"],
  ["an unknown limit of a store", () => stored(memoryStorage(), { limits: { documents: 1 } }), "VALIDATION_FAILED", "there is no limit documents: the limits are"],

  ["a tracker of nothing", () => new StateTracker(undefined), "VALIDATION_FAILED", "give an initial state"],
  ["limits of a tracker as a map", () => tracker({ limits: new Map([["document", 5]]) }), "VALIDATION_FAILED", "limits are a plain object"],
  ["limits of diff as a list", () => diff(1, 2, { limits: [5] } as never), "VALIDATION_FAILED", "limits are a plain object"],
  ["a state in the place of a snapshot", () => connect({ url: "/", snapshot: { notes: [] } } as never), "VALIDATION_FAILED", "the option snapshot is what a GET of the state answers: { session, revision, state }"],
  ["a snapshot without a session", () => connect({ url: "/", snapshot: { revision: 1, state: {} } } as never), "VALIDATION_FAILED", "the option snapshot is what a GET of the state answers: { session, revision, state }"],
  ["a snapshot of half a revision", () => connect({ url: "/", snapshot: { session: "s", revision: 1.5, state: {} } }), "VALIDATION_FAILED", "the option snapshot is what a GET of the state answers: { session, revision, state }"],
  ["a snapshot that contains itself", () => connect({ url: "/", snapshot: { session: "s", revision: 1, state: circle } }), "VALIDATION_FAILED", "the option snapshot is what a GET of the state answers: { session, revision, state }"],
  ["a snapshot that is null", () => connect({ url: "/", snapshot: null } as never), "VALIDATION_FAILED", "the option snapshot is what a GET of the state answers: { session, revision, state }"],
  ["limits of a client that are inherited", () => connect({ url: "/", limits: Object.create({ document: 5 }) as never }), "VALIDATION_FAILED", "limits are a plain object"],
  ["an unknown option of a tracker", () => tracker({ arrayDelta: true }), "VALIDATION_FAILED", "there is no option arrayDelta: the options are arrayDeltaMode, granularity, counters, texts, own, limits, history, validate"],
  ["an unknown limit of a tracker", () => tracker({ limits: { documents: 1 } }), "VALIDATION_FAILED", "there is no limit documents: the limits are"],
  ["an unknown limit of a patch", () => applyPatch({}, [], { limits: { documents: 1 } as never }), "VALIDATION_FAILED", "there is no limit documents: the limits are"],
  ["a text for own", () => tracker({ own: "no" }), "VALIDATION_FAILED", "the option own is true or false"],
  ["counters that are a pointer", () => tracker({ counters: "/n" }), "VALIDATION_FAILED", 'the option counters is a list of pointers, such as ["/a/b"]'],
  ["counters that are numbers", () => tracker({ counters: ["/n", 1] }), "VALIDATION_FAILED", "the option counters is a list of pointers"],
  ["counters with a hole", () => tracker({ counters: new Array(1) }), "VALIDATION_FAILED", "the option counters is a list of pointers"],
  ["texts that are a pointer", () => tracker({ texts: "/n" }), "VALIDATION_FAILED", "the option texts is a list of pointers"],
  ["texts that are an object", () => tracker({ texts: { "/n": true } }), "VALIDATION_FAILED", "the option texts is a list of pointers"],
  ["a validator with another method", () => tracker({ validate: { parse() {} } }), "VALIDATION_FAILED", noRule],
  ["a validator that is a text", () => tracker({ validate: "x" }), "VALIDATION_FAILED", noRule],
  ["a validator that is null", () => tracker({ validate: null }), "VALIDATION_FAILED", noRule],
  ["a validator with half of a schema", () => tracker({ validate: { "~standard": {} } }), "VALIDATION_FAILED", noRule],
  ["a validator of a change request", () => applyChangeRequest({}, {}, { validate: { parse() {} } as never }), "VALIDATION_FAILED", noRule],
])("%s", (_, run, code, says) => {
  expect(refusal(run)).toMatchObject({ code, message: expect.stringContaining(says) });
});

test("a state that is made anew for each request", () => {
  const ctx = context();
  const make = (): unknown => synced(ctx, { initial: {} });
  make();
  expect(refusal(make)).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("make each once, as a field of the object") });
});

test("an increment by what isn't a number", async () => {
  const [tracker, synced] = [new StateTracker({ n: 1 }), new SyncedState<{ n: number }>(context(), { initial: { n: 1 } })];
  for (const owner of [tracker, synced]) {
    const { results } = await parallel(owner, [async (tool) => refusal(() => tool.increment("/n", "1" as never))]);
    const errors = ["1", null, 1n, [1]].map((by) => refusal(() => owner.increment("/n", by as never)));
    for (const error of [...errors, (results[0] as PromiseFulfilledResult<PatchwireError>).value]) {
      expect(error).toMatchObject({ code: "NOT_JSON", path: "/n", message: expect.stringContaining("only a number can be added") });
    }
    expect(refusal(() => owner.increment("/n", Infinity)).message).toContain("the sum isn't a finite number");
    expect(owner.getState()).toEqual({ n: 1 });
  }
});

describe("a function that validates", () => {
  test("refuses what it returns false for", () => {
    const tracker = new StateTracker({ n: 1 }, { validate: ({ n }) => n > 0 });
    expect(refusal(() => tracker.update((draft) => { draft.n = 0; }))).toMatchObject({ code: "VALIDATION_FAILED", message: expect.stringContaining("the validator refuses the state") });
    expect(refusal(() => tracker.apply([{ op: "replace", path: "/n", value: 0 }])).code).toBe("VALIDATION_FAILED");
    expect(refusal(() => new StateTracker({ n: 0 }, { validate: ({ n }) => n > 0 })).code).toBe("VALIDATION_FAILED");
    expect(refusal(() => applyChangeRequest({ n: 1 }, { updateElements: { n: 0 } }, { validate: ({ n }) => n > 0 })).code).toBe("VALIDATION_FAILED");
    expect([tracker.getState(), tracker.getPatchText()]).toEqual([{ n: 1 }, "[]"]);
    tracker.increment("/n");
    expect(tracker.getState()).toEqual({ n: 2 });
  });

  test("isn't said to refuse a state that it asked for something", () => {
    let isAsking = false;
    const tracker: StateTracker<{ n: number }> = new StateTracker({ n: 1 }, { validate: () => (isAsking ? tracker.increment("/n") : undefined) });
    isAsking = true;
    expect(refusal(() => tracker.update((draft) => { draft.n = 2; })).code).toBe("TRACKER_BUSY");
    isAsking = false;
    expect([tracker.getState(), tracker.getPatchText()]).toEqual([{ n: 1 }, "[]"]);
  });

  test.each([[undefined], [null], [0], [""], [NaN], [true], [{ issues: ["none"] }]])("may return %j", (returned) => {
    const tracker = new StateTracker({ n: 1 }, { validate: () => returned as never });
    tracker.increment("/n");
    expect(tracker.getState()).toEqual({ n: 2 });
  });
});

describe("tools that run at once", () => {
  test("of nobody", () => expect(parallel({} as never, [])).rejects.toThrow("VALIDATION_FAILED: what tools share is a StateTracker or a SyncedState"));

  const noTools = "the tools are a list, and each tool is a function that is yet to be called";

  test.each<[name: string, tools: (run: () => Promise<void>) => unknown, options: unknown, code: string, says: string]>([
    ["a promise", (run) => [run, Promise.resolve()], {}, "VALIDATION_FAILED", noTools],
    ["a hole", (run) => [run, ...new Array(1)], {}, "VALIDATION_FAILED", noTools],
    ["no list", (run) => run, {}, "VALIDATION_FAILED", noTools],
  ["counters that are a pointer", (run) => [run], { counters: "/n" }, "VALIDATION_FAILED", "the option counters is a list of pointers"],
    ["texts that are a pointer", (run) => [run], { texts: "/n" }, "VALIDATION_FAILED", "the option texts is a list of pointers"],
  ])("%s", async (_, tools, options, code, says) => {
    let ran = 0;
    const run = async (): Promise<void> => void ran++;
    for (const owner of [new StateTracker({ n: 1 }), new SyncedState(context(), { initial: { n: 1 } })]) {
      await expect(parallel(owner, tools(run) as never, options as never)).rejects.toMatchObject({ code, message: expect.stringContaining(says) });
    }
    expect(ran).toBe(0);
  });
});

describe("a session", () => {
  const statuses = 'a status is one of "active", "completed", "failed", "interrupted", "paused"';
  const noCall = "a call is an object that has its id and what runs: { toolCallId, run }";

  test.each<[name: string, run: (store: DurableStateStore) => Promise<unknown>, says: string]>([
    ["an unknown option of a write", (store) => store.saveState("s", {}, { expectedversion: 1 } as never), "there is no option expectedversion: the options are expectedVersion, fencingToken"],
    ["an unknown option of tools", (store) => store.parallel("s", "step", [], { promot: false } as never), "there is no option promot: the options are promote, strategies"],
    ["a mistyped status at the beginning", (store) => store.createSession("new", { status: "runing" as never }), statuses],
    ["a mistyped status that is saved", (store) => store.saveState("s", { status: "runing" as never }), statuses],
    ["a mistyped status that is expected", (store) => store.compareAndSetStatus("s", ["runing" as never], "paused"), statuses],
    ["a mistyped status that is set", (store) => store.compareAndSetStatus("s", ["active"], "runing" as never), statuses],
    ["a mistyped status of an agent", (store) => store.updateStatus("s", "runing" as never), statuses],
    ["a state that nobody waited for", (store) => store.saveState("s", store.loadState("s") as never), "the state is an object, and not a promise of one: await it"],
    ["a Map for a state", (store) => store.saveState("s", new Map([["stepCount", 1]]) as never), "the state is an object"],
    ["a Date for the options", (store) => store.createSession("new", new Date() as never), "the options are an object"],
    ["options that are none", (store) => store.createSession("new", "writer" as never), "the options are an object"],
    ["changes that are a recipe", (store) => store.stageChanges("s", "step", (() => {}) as never), "the changes are an object that has the writes: { writes: tracker.getStepWrites() }"],
    ["changes without writes", (store) => store.stageChanges("s", "step", {} as never), "the staged writes are an object"],
    ["calls that are no list", (store) => store.parallel("s", "step", {} as never), "the calls are a list"],
    ["a call that is a function", (store) => store.parallel("s", "step", [async () => {}] as never), noCall],
    ["a call without an id", (store) => store.parallel("s", "step", [{ run: async () => {} }] as never), "the toolCallId of a call is a string"],
    ["a call that runs nothing", (store) => store.parallel("s", "step", [{ toolCallId: "a" }] as never), "the run of a call is a function"],
  ])("%s", async (_, run, says) => {
    const store = new DurableStateStore(nodeStorage(new DatabaseSync(":memory:")));
    await store.createSession("s");
    await expect(run(store)).rejects.toMatchObject({ code: "VALIDATION_FAILED", message: expect.stringContaining(says) });
    expect(await store.loadState("s")).toMatchObject({ status: "active", version: 1 });
    expect([await store.sessionExists("new"), await store.getStaged("s", "step")]).toEqual([false, null]);
  });

  test("takes the words of agents for its status, too", async () => {
    const store = new DurableStateStore(memoryStorage());
    await store.createSession("s", { status: "waiting_tool" as never });
    await store.compareAndSetStatus("s", ["running" as never], "paused");
    expect((await store.loadState("s"))?.status).toBe("paused");
    await store.updateStatus("s", "active");
    expect((await store.loadState("s"))?.status).toBe("active");
  });
});
