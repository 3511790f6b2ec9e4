// What every storage of a DurableStateStore has to do: the same cases in workerd, in memory, and in node:sqlite.
import { expect } from "vitest";
import {
  DurableStateStore, ExecutorSupersededError, FencingTokenMismatchError, generateCheckpointId, StaleStateError, type DurableStateStoreOptions, type Message,
  type StorePlace, type UntypedSessionState,
} from "patchwire/durable-objects";

/** A storage of its own for each case. */
export interface Backend {
  place: StorePlace;
  /** The same rows, as a process finds them that knows nothing. */
  reopened(): StorePlace;
}

export interface Notes {
  notes: string[];
  count: number;
  title: string;
}

export const initial = (): Notes => ({ notes: ["a"], count: 1, title: "" });
export const user = (content: string): Message => ({ role: "user", content });
export const append = (...items: string[]) => ({ ops: [{ kind: "append" as const, key: "notes", items }] });
export const set = (key: string, value: unknown) => ({ ops: [{ kind: "replace" as const, key, value }] });

/** A store with one session. */
export async function begun(place: StorePlace, options?: DurableStateStoreOptions): Promise<DurableStateStore> {
  const store = new DurableStateStore(place, options);
  await store.createSession("s", { agentType: "writer", customState: initial() });
  return store;
}

export const stateOf = async (store: DurableStateStore, id = "s") => (await store.loadState<Notes, unknown>(id))!;
const contents = async (store: DurableStateStore, id = "s") => (await store.getMessages(id, { limit: 1000 })).messages.map(({ content }) => content);

/** All that a store says of some sessions. */
export async function everything(store: DurableStateStore, ids: readonly string[] = ["s"], steps: readonly string[] = ["step"]): Promise<unknown> {
  return structuredClone(await answers(store, ids, steps));
}

/** The same as it is answered. */
export async function answers(store: DurableStateStore, ids: readonly string[], steps: readonly string[] = ["step"]): Promise<unknown> {
  const of = async (id: string) => {
    const state = await store.loadState(id);
    if (state === null) return null;
    const { items } = await store.listCheckpoints(id);
    const checkpoints = await Promise.all(items.map(({ id }) => store.getCheckpoint(id).catch((error: { code: string }) => error.code)));
    const staged = await Promise.all(steps.map((step) => store.getStaged(id, step)));
    return { state, messages: await store.getMessages(id), runs: await store.listRuns(id), checkpoints, staged };
  };
  return Promise.all(ids.map(of));
}

const refusal = (code: string) => expect.objectContaining({ name: expect.stringMatching(/Error$/), code });

export const cases: Record<string, (backend: Backend) => Promise<void>> = {
  async "what was stored is there for a process that knows nothing"({ place, reopened }) {
    const store = await begun(place);
    await store.appendMessages("s", [user("Go"), { role: "assistant", toolCalls: [{ id: "c", name: "search", arguments: {} }] }]);
    await store.createRun("s", "run-1", { turn: 1, startSequence: 4 });
    await store.addSubSessionRefs("s", [{ subSessionId: "child", agentType: "worker", parentToolCallId: "c", startedAt: 5 }]);
    await store.stageChanges("s", "step", { toolCallId: "c", writes: append("b") });
    await store.createCheckpoint("s", { streamSequence: 9 });
    await store.updateStatus("s", "paused", { interruptContext: { reason: "asked", stepCount: 0, timestamp: 6 } });
    const before = await everything(store);
    expect(await everything(new DurableStateStore(reopened()))).toEqual(before);
    expect(before).toMatchObject([{
      state: { sessionId: "s", agentType: "writer", streamId: "s", status: "paused", version: 6, interruptContext: { reason: "asked" }, customState: initial() },
      messages: { total: 2 }, runs: [{ runId: "run-1", sessionId: "s", turn: 1, status: "running", startSequence: 4 }],
      checkpoints: [{ messageCount: 2, streamSequence: 9, state: { status: "running", messages: [user("Go"), {}] } }],
      staged: [[{ toolCallId: "c" }]],
    }]);
  },

  async "a session begins with what it is given, and its id may have any characters"({ place, reopened }) {
    const store = new DurableStateStore(place);
    const ids = ["a-s1-t2-abcdef", 'a"b', "a'; DROP TABLE x; --", "nul\0", "nul", "\ud83d", "\ud83d\ude00", "é/~", "A", "a", " ", "%", "_"];
    for (const [count, id] of ids.entries()) {
      expect(await store.sessionExists(id)).toBe(false);
      await store.createSession(id, { streamId: `stream of ${count}`, parentSessionId: "p", expiresAt: 7, customState: { count } });
      await store.appendMessages(id, [user(id)]);
      await store.stageChanges(id, id, { toolCallId: id, writes: set(id, id) });
      await store.createRun(id, `run ${id}`, { turn: 1 });
      await store.addSubSessionRefs(id, [{ subSessionId: id, agentType: id, parentToolCallId: id, startedAt: 1 }]);
    }
    const again = new DurableStateStore(reopened());
    for (const [count, id] of ids.entries()) {
      expect(await again.loadState(id)).toMatchObject({ sessionId: id, streamId: `stream of ${count}`, parentSessionId: "p", expiresAt: 7, customState: { count } });
      expect(await contents(again, id)).toEqual([id]);
      expect((await again.getCurrentRun(id))!.runId).toBe(`run ${id}`);
      await again.updateRunStatus(`run ${id}`, "completed");
      const checkpoint = await again.createCheckpoint(id);
      await again.promoteStaging(id, id);
      expect((await again.loadState(id))!.customState).toEqual({ count, [id]: id });
      expect((await again.getCheckpoint(checkpoint))!.state).toMatchObject({ sessionId: id, customState: { count }, subSessionRefs: [{ subSessionId: id }] });
    }
  },

  async "a deleted session is gone, and its id begins anew"({ place, reopened }) {
    const store = await begun(place);
    await store.createSession("other");
    await store.appendMessages("s", [user("a")]);
    await store.createRun("s", "run", { turn: 1 });
    await store.stageChanges("s", "step", { toolCallId: "c", writes: append("b") });
    const checkpoint = await store.createCheckpoint("s");
    await store.deleteSession("s");
    await store.deleteSession("s");
    for (const one of [store, new DurableStateStore(reopened())]) {
      expect(await one.loadState("s")).toBeNull();
      expect(await one.getCheckpoint(checkpoint)).toBeNull();
      expect(await one.getStaged("s", "step")).toBeNull();
      expect(await one.sessionExists("other")).toBe(true);
    }
    await store.createSession("s", { customState: { new: true } });
    await store.createRun("s", "run", { turn: 1 });
    expect(await everything(store)).toMatchObject([{ state: { version: 2, customState: { new: true } }, messages: { total: 0 }, checkpoints: [], staged: [null] }]);
  },

  async "each change raises the version by one, and staging by none"({ place, reopened }) {
    const store = await begun(place);
    let [version, now] = [1, store];
    const checkpoint = await store.createCheckpoint("s");
    const steps: [by: number, change: (store: DurableStateStore) => unknown][] = [
      [1, (s) => s.saveState("s", { customState: { ...initial(), count: 2 } })],
      [1, (s) => s.saveState("s", { output: "same state" })],
      [1, (s) => s.appendMessages("s", [user("a"), user("b")])],
      [1, (s) => s.mergeCustomState("s", append("b"))],
      [1, (s) => s.mergeCustomState("s", { ops: [] })],
      [1, (s) => s.updateStatus("s", "waiting_tool")],
      [1, (s) => s.compareAndSetStatus("s", ["active"], "paused")],
      [0, (s) => s.compareAndSetStatus("s", ["active"], "paused")],
      [1, (s) => s.incrementStepCount("s")],
      [1, (s) => s.incrementResumeCount("s")],
      [1, (s) => s.addSubSessionRefs("s", [{ subSessionId: "c", agentType: "w", parentToolCallId: "t", startedAt: 1 }])],
      [1, (s) => s.updateSubSessionRef("s", { subSessionId: "c", status: "failed" })],
      [1, (s) => s.truncateMessages("s", 1)],
      [1, (s) => s.createCheckpoint("s")],
      [0, (s) => s.stageChanges("s", "step", { toolCallId: "c", writes: append("c") })],
      [0, (s) => s.stageChanges("s", "step", { toolCallId: "d", writes: append("d") })],
      [0, (s) => s.discardStaging("s", "step", "d")],
      [1, (s) => s.promoteStaging("s", "step")],
      [1, (s) => s.saveStateAndPromoteStaging("s", {}, [user("c")], { stepId: "step", stepCount: 2, streamSequence: 0 })],
      [1, (s) => s.createRun("s", "run", { turn: 1 })],
      [1, (s) => s.updateRunStatus("run", "completed")],
      [1, (s) => s.restoreCheckpoint(checkpoint)],
      [1, (s) => s.synced<Notes>("s").update((draft) => void draft.count++)],
      [1, (s) => s.parallel<Notes>("s", "step", [{ toolCallId: "e", run: (tool) => tool.increment("/count") }])],
      [0, (s) => s.parallel<Notes>("s", "step", [{ toolCallId: "f", run: (tool) => tool.increment("/count") }], { promote: false })],
    ];
    version = (await stateOf(store)).version;
    for (const [by, change] of steps) {
      await change(now);
      version += by;
      expect((await stateOf(now)).version).toBe(version);
      now = new DurableStateStore(reopened());
      expect((await stateOf(now)).version).toBe(version);
    }
  },

  async "a writer who expects another version changes nothing"({ place }) {
    const store = await begun(place);
    await store.stageChanges("s", "step", { toolCallId: "c", writes: append("b") });
    const checkpoint = await store.createCheckpoint("s");
    await store.createRun("s", "run", { turn: 1 });
    const before = await everything(store);
    const options = { expectedVersion: 2 };
    const writes: (() => Promise<unknown>)[] = [
      () => store.saveState("s", { output: 1, customState: {} }, options),
      () => store.appendMessages("s", [user("a")], options),
      () => store.mergeCustomState("s", append("b"), options),
      () => store.updateStatus("s", "failed", options),
      () => store.incrementStepCount("s", options),
      () => store.incrementResumeCount("s", options),
      () => store.addSubSessionRefs("s", [], options),
      () => store.updateSubSessionRef("s", { subSessionId: "c", status: "failed" }, options),
      () => store.truncateMessages("s", 0, options),
      () => store.createCheckpoint("s", {}, options),
      () => store.stageChanges("s", "step", { toolCallId: "c", writes: append("x") }, options),
      () => store.promoteStaging("s", "step", options),
      () => store.discardStaging("s", "step", undefined, options),
      () => store.saveStateAndPromoteStaging("s", {}, [], { stepId: "step", stepCount: 1, streamSequence: 0 }, options),
      () => store.restoreCheckpoint(checkpoint, options),
      () => store.createRun("s", "other", { turn: 2 }, options),
      () => store.updateRunStatus("run", "failed", {}, options),
      () => store.parallel("s", "step", [{ toolCallId: "d", run: () => expect.unreachable() }], options),
    ];
    for (const write of writes) {
      const error: unknown = await write().catch((error: unknown) => error);
      expect(error).toBeInstanceOf(StaleStateError);
      expect(error).toMatchObject({ code: "STALE_STATE", sessionId: "s", expectedVersion: 2, actualVersion: 3 });
      expect(await everything(store)).toEqual(before);
    }
    expect(await store.compareAndSetStatus("s", ["active"], "paused", options)).toEqual({ ok: false, currentStatus: "active", currentVersion: 3 });
    expect(await everything(store)).toEqual(before);
  },

  async "who took a session over is the only one who writes to it"({ place, reopened }) {
    const store = await begun(place);
    expect(await store.compareAndSetStatus("s", ["active"], "active", { fencingToken: 5 })).toEqual({ ok: true, newVersion: 2 });
    await store.incrementStepCount("s", { fencingToken: 5 });
    expect(await store.compareAndSetStatus("s", ["paused"], "active", { fencingToken: 9 })).toMatchObject({ ok: false });
    expect(await store.compareAndSetStatus("s", ["active"], "active", { fencingToken: 7 })).toMatchObject({ ok: true });
    const late = new DurableStateStore(reopened());
    const before = await everything(late);
    for (const write of [
      () => late.appendMessages("s", [user("a")], { fencingToken: 5 }),
      () => late.stageChanges("s", "step", { writes: append("b") }, { fencingToken: 5 }),
      () => late.compareAndSetStatus("s", ["active"], "active", { fencingToken: 6 }),
      () => late.deleteSession("s", { fencingToken: 5 }),
    ]) expect(await write().catch((error: unknown) => error)).toBeInstanceOf(ExecutorSupersededError);
    const split: unknown = await late.appendMessages("s", [user("a")], { fencingToken: 8 }).catch((error: unknown) => error);
    expect(split).toBeInstanceOf(FencingTokenMismatchError);
    expect(split).toMatchObject({ sessionId: "s", expectedToken: 7, code: "CONFLICT" });
    expect(await everything(late)).toEqual(before);
    await late.incrementStepCount("s", { fencingToken: 7 });
    // Who has no lock isn't asked for one.
    expect(await late.incrementStepCount("s")).toBe(3);
  },

  async "a status is compared and set, with why"({ place }) {
    const store = await begun(place);
    expect(await store.compareAndSetStatus("s", ["paused", "interrupted"], "active")).toEqual({ ok: false, currentStatus: "active", currentVersion: 1 });
    const interruptContext = { reason: "asked", stepCount: 1, timestamp: 2 };
    expect(await store.compareAndSetStatus("s", ["active"], "failed", { interruptContext, error: "no" })).toEqual({ ok: true, newVersion: 2 });
    expect(await stateOf(store)).toMatchObject({ status: "failed", error: "no", interruptContext, version: 2 });
    await Promise.all([1, 2, 3].map(() => store.compareAndSetStatus("s", ["failed"], "active"))).then((answers) =>
      expect(answers.map(({ ok }) => ok)).toEqual([true, false, false]),
    );
  },

  async "a saved state replaces all but what the store counts itself"({ place }) {
    const store = await begun(place);
    const old = await stateOf(store);
    await store.saveState("s", { ...old, output: { big: true }, tracingContext: "t", suspendedStepId: "x" });
    await store.incrementResumeCount("s");
    await store.addSubSessionRefs("s", [{ subSessionId: "c", agentType: "w", parentToolCallId: "t", startedAt: 1 }]);
    await store.appendMessages("s", [user("kept")]);
    // An older copy doesn't take back what was counted.
    await store.saveState("s", { ...old, stepCount: 3, customState: { ...old.customState, title: "new" } });
    const now = await stateOf(store);
    expect(now).toMatchObject({ resumeCount: 1, stepCount: 3, subSessionRefs: [{ subSessionId: "c" }], customState: { ...initial(), title: "new" } });
    expect([now.output, now.suspendedStepId, now.tracingContext]).toEqual([undefined, undefined, undefined]);
    expect(await contents(store)).toEqual(["kept"]);
    // What is the same is the same value.
    expect(now.customState.notes).toBe((await stateOf(store)).customState.notes);
  },

  async "messages that are saved with a state become the session's"({ place }) {
    const store = await begun(place);
    await store.appendMessages("s", ["a", "b", "c"].map(user));
    const checkpoint = await store.createCheckpoint("s");
    await store.saveState("s", { messages: ["a", "b", "x", "y"].map(user) });
    expect(await contents(store)).toEqual(["a", "b", "x", "y"]);
    await expect(store.getCheckpoint(checkpoint)).rejects.toEqual(refusal("STALE_STATE"));
    await store.saveState("s", { messages: [user("a")] });
    expect(await contents(store)).toEqual(["a"]);
  },

  async "a checkpoint's state can be saved as it is"({ place }) {
    const store = await begun(place);
    await store.appendMessages("s", [user("one")]);
    await store.createCheckpoint("s");
    const { state } = (await store.getLatestCheckpoint("s"))!;
    await store.saveState("s", { status: "failed", customState: {}, messages: [user("other")] });
    await store.saveState("s", state);
    expect(await store.loadState("s")).toMatchObject({ status: "active", customState: initial() });
    expect(await contents(store)).toEqual(["one"]);
  },

  async "messages are read in pages, with or without thinking, however long they are"({ place, reopened }) {
    const store = await begun(place);
    const long = "é😀\"".repeat(400_000);
    const messages: Message[] = [user("first"), { role: "assistant", content: long, thinking: { content: long } }, { role: "tool", toolCallId: "c", toolName: "t", content: "\ud83d\0" }];
    await store.appendMessages("s", messages);
    for (let i = 0; i < 60; i++) await store.appendMessages("s", [user(`${i}`)]);
    const again = new DurableStateStore(reopened());
    expect((await again.getMessages("s", { limit: 3 })).messages).toEqual(messages);
    expect(await again.getMessages("s")).toMatchObject({ total: 63, offset: 0, limit: 50, hasMore: true });
    expect(await again.getMessages("s", { offset: 60, limit: 3 })).toEqual({ messages: ["57", "58", "59"].map(user), total: 63, offset: 60, limit: 3, hasMore: false });
    expect(await again.getMessages("s", { offset: 99 })).toMatchObject({ messages: [], hasMore: false });
    const [, bare] = (await again.getMessages("s", { includeThinking: false })).messages;
    expect(bare).toEqual({ role: "assistant", content: long });
    expect(await again.getMessageCount("s")).toBe(63);
    await again.truncateMessages("s", 1);
    await again.truncateMessages("s", 5);
    expect(await contents(again)).toEqual(["first"]);
  },

  async "the messages of two sessions, and their long neighbours, aren't mixed"({ place }) {
    const store = await begun(place);
    await store.createSession("s2");
    for (let i = 0; i < 5; i++) {
      await store.appendMessages("s", [user(`one ${i} ${"x".repeat(i * 200_000)}`)]);
      await store.appendMessages("s2", [user(`two ${i}`)]);
    }
    expect(await contents(store, "s2")).toEqual([0, 1, 2, 3, 4].map((i) => `two ${i}`));
    expect((await contents(store)).map((text) => text!.length)).toEqual([0, 1, 2, 3, 4].map((i) => 6 + i * 200_000));
    await store.truncateMessages("s", 2);
    expect((await contents(store, "s2")).length).toBe(5);
  },

  async "staged writes are merged in the order of the calls, and a retried call is counted once"({ place, reopened }) {
    const store = await begun(place);
    await store.stageChanges("s", "step", { toolCallId: "second", index: 1, writes: { ops: [...append("c").ops, ...set("title", "second").ops] } });
    await store.stageChanges("s", "step", { toolCallId: "first", index: 0, writes: append("lost by the retry") });
    await store.stageChanges("s", "step", { toolCallId: "first", index: 0, writes: { ops: [...append("b").ops, ...set("title", "first").ops, { kind: "increment", path: "/count", by: 2 }] } });
    await store.stageChanges("s", "step", { writes: append("anonymous") });
    await store.stageChanges("s", "step", { writes: append("anonymous too") });
    await store.stageChanges("s", "other step", { writes: append("of another step") });
    expect((await stateOf(store)).customState).toEqual(initial());
    const again = new DurableStateStore(reopened());
    expect((await again.getStaged("s", "step"))!.map(({ toolCallId }) => toolCallId)).toEqual(["first", "second", undefined, undefined]);
    expect(await again.promoteStaging("s", "step")).toEqual({
      conflicts: [{ path: "/title", strategy: "last", kept: "second", lost: "first", keptBy: 1, lostBy: 0 }], warnings: [], refused: [],
    });
    expect((await stateOf(again)).customState).toEqual({ notes: ["a", "b", "c", "anonymous", "anonymous too"], count: 3, title: "second" });
    expect(await again.getStaged("s", "step")).toBeNull();
    await again.promoteStaging("s", "step");
    expect((await stateOf(again)).customState.notes.length).toBe(5);
    expect(await again.getStaged("s", "other step")).toHaveLength(1);
  },

  async "one call's staged writes are discarded alone, or those of the step"({ place }) {
    const store = await begun(place);
    for (const toolCallId of ["a", "b", "c"]) await store.stageChanges("s", "step", { toolCallId, writes: append(toolCallId) });
    await store.discardStaging("s", "step", "b");
    await store.discardStaging("s", "step", "unknown");
    expect((await store.getStaged("s", "step"))!.map(({ toolCallId }) => toolCallId)).toEqual(["a", "c"]);
    for (const toolCallId of ["a", "c"]) await store.discardStaging("s", "step", toolCallId);
    expect(await store.getStaged("s", "step")).toBeNull();
    for (const toolCallId of ["d", "e"]) await store.stageChanges("s", "step", { toolCallId, writes: append(toolCallId) });
    await store.discardStaging("s", "step");
    expect(await store.getStaged("s", "step")).toBeNull();
    await store.promoteStaging("s", "step");
    expect((await stateOf(store)).customState).toEqual(initial());
  },

  async "staged writes of any length"({ place, reopened }) {
    const store = await begun(place);
    const long = "é😀".repeat(500_000);
    await store.stageChanges("s", "step", { toolCallId: "c", writes: append(long) });
    await store.stageChanges("s", "step", { toolCallId: "d", writes: append("short") });
    await store.stageChanges("s", "step", { toolCallId: "c", writes: append(`${long}!`) });
    const again = new DurableStateStore(reopened());
    await again.promoteStaging("s", "step");
    expect((await stateOf(again)).customState.notes).toEqual(["a", `${long}!`, "short"]);
  },

  async "writes that don't fit the state are told of, and what does fit is written"({ place }) {
    const store = await begun(place);
    const answer = await store.mergeCustomState("s", {
      ops: [{ kind: "append_text", path: "/notes", text: "x" }, { kind: "append", path: "/typo", items: [1] }, { kind: "append", path: "/notes", items: ["b"] }],
    });
    expect(answer).toMatchObject({ warnings: ["'/notes' is no string; the write was left out", "'/typo' was missing; it was created"] });
    expect(await stateOf(store)).toMatchObject({ version: 2, customState: { ...initial(), notes: ["a", "b"], typo: [1] } });
  },

  async "an item that a call wrote to by index isn't another one by the time of promotion"({ place }) {
    const store = await begun(place);
    await store.stageChanges("s", "step", { toolCallId: "c", writes: { ops: [{ kind: "replace", path: "/notes/0", value: "A" }] } });
    await store.mergeCustomState("s", { ops: [{ kind: "splice", path: "/notes", index: 0, remove: 0, items: ["new first"] }] });
    const before = await everything(store);
    await expect(store.promoteStaging("s", "step")).rejects.toEqual(refusal("STALE_STATE"));
    expect(await everything(store)).toEqual(before);
    // What has happened elsewhere meanwhile takes nothing from it.
    await store.stageChanges("s", "other", { toolCallId: "c", writes: { ops: [{ kind: "replace", path: "/notes/1", value: "other" }] } });
    await store.mergeCustomState("s", { ops: [{ kind: "replace", path: "/title", value: "meanwhile" }] });
    expect(await store.promoteStaging("s", "other")).toMatchObject({ conflicts: [], refused: [] });
    expect((await stateOf(store)).customState).toMatchObject({ title: "meanwhile", notes: ["new first", "other"] });
    // Run again, it knows where its item is.
    await store.stageChanges("s", "step", { toolCallId: "c", writes: { ops: [{ kind: "replace", path: "/notes/1", value: "A" }] } });
    await store.promoteStaging("s", "step");
    expect((await stateOf(store)).customState.notes).toEqual(["new first", "A"]);
  },

  async "a step ends in one transaction: state, staged writes, messages, checkpoint"({ place, reopened }) {
    const store = await begun(place);
    const state = await stateOf(store);
    await store.stageChanges("s", "step", { toolCallId: "c", writes: append("b") });
    const meta = { stepId: "step", stepCount: 1, streamSequence: 12 };
    const ended = await store.saveStateAndPromoteStaging("s", { ...state, output: "o" }, [user("m")], meta, { expectedVersion: state.version });
    expect(ended).toMatchObject({ newVersion: 2, conflicts: [], warnings: [] });
    const again = new DurableStateStore(reopened());
    expect(await stateOf(again)).toMatchObject({ version: 2, stepCount: 1, output: "o", customState: { ...initial(), notes: ["a", "b"] } });
    expect(await again.getLatestCheckpoint("s")).toMatchObject({
      id: ended.checkpointId, stepCount: 1, streamSequence: 12, messageCount: 1, state: { output: "o", messages: [user("m")], customState: { notes: ["a", "b"] } },
    });
    expect(await again.getStaged("s", "step")).toBeNull();
  },

  async "double appends: a saved state that holds the staged writes already has them once"({ place }) {
    const store = await begun(place);
    await store.stageChanges("s", "step", { toolCallId: "c", writes: append("b") });
    const state = await stateOf(store);
    const meta = { stepId: "step", stepCount: 1, streamSequence: 0 };
    await store.saveStateAndPromoteStaging("s", { ...state, customState: { ...initial(), notes: ["a", "b"] } }, [], meta);
    expect((await stateOf(store)).customState).toEqual({ ...initial(), notes: ["a", "b"] });
    // Whether any other state has them can't be told.
    await store.stageChanges("s", "step", { toolCallId: "d", writes: append("c") });
    const before = await everything(store);
    await expect(store.saveStateAndPromoteStaging("s", { ...state, customState: { ...initial(), title: "mine" } }, [user("m")], meta)).rejects.toEqual(refusal("CONFLICT"));
    expect(await everything(store)).toEqual(before);
    // Messages would come twice, too.
    await expect(store.saveStateAndPromoteStaging("s", { messages: [user("m")] }, [user("m")], meta)).rejects.toEqual(refusal("VALIDATION_FAILED"));
    // With nothing staged it is saved as it is.
    await store.discardStaging("s", "step");
    await store.saveStateAndPromoteStaging("s", { customState: { mine: true } } as UntypedSessionState, [], meta);
    expect((await stateOf(store)).customState).toEqual({ mine: true });
  },

  async "a checkpoint is gone back to, with its messages and children"({ place, reopened }) {
    const store = await begun(place);
    await store.appendMessages("s", [user("a")]);
    await store.addSubSessionRefs("s", [{ subSessionId: "c", agentType: "w", parentToolCallId: "t", startedAt: 1 }]);
    await store.saveState("s", { output: "then" });
    const checkpoint = await store.createCheckpoint("s", { streamSequence: 3 });
    const { status, stepCount, output, subSessionRefs, customState } = await stateOf(store);
    await store.appendMessages("s", [user("b")]);
    await store.incrementResumeCount("s");
    await store.saveState("s", { status: "failed", stepCount: 9, customState: {} });
    await store.updateSubSessionRef("s", { subSessionId: "c", status: "failed" });
    await store.stageChanges("s", "step", { writes: append("b") });
    const { version } = await stateOf(store);
    const again = new DurableStateStore(reopened());
    await again.restoreCheckpoint(checkpoint);
    expect(await stateOf(again)).toMatchObject({ status, stepCount, output, subSessionRefs, customState, resumeCount: 1, version: version + 1 });
    expect(await contents(again)).toEqual(["a"]);
    expect(await again.getStaged("s", "step")).toBeNull();
  },

  async "a checkpoint keeps its custom state, however often that was written as a whole since"({ place, reopened }) {
    const store = await begun(place);
    const first = await store.createCheckpoint("s");
    const work = (store: DurableStateStore, round: number) => {
      const state = store.synced<{ notes: string[] }>("s");
      for (let i = 0; i < 5; i++) state.update((draft) => void draft.notes.push(`${round}.${i} ${"x".repeat(20_000)}`));
      state.update((draft) => void draft.notes.splice(0, 4));
    };
    const kept: { id: string; customState: unknown }[] = [];
    for (let round = 0; round < 12; round++) {
      work(store, round);
      if (round % 4 === 0) kept.push({ customState: (await stateOf(store)).customState, id: await store.createCheckpoint("s") });
    }
    const again = new DurableStateStore(reopened());
    for (const { id, customState } of kept) expect((await again.getCheckpoint(id))!.state.customState).toEqual(customState);
    await again.restoreCheckpoint(kept[1]!.id);
    expect((await stateOf(again)).customState).toEqual(kept[1]!.customState);
    await again.branchFromCheckpoint(first, "branch");
    expect((await again.loadState("branch"))!.customState).toEqual(initial());
    // What isn't kept any more can't be read, and that changes nothing.
    const before = await everything(again);
    expect(() => again.synced("s").at(18)).toThrow(refusal("NOT_FOUND"));
    expect(() => again.synced("s").restore(18)).toThrow(refusal("NOT_FOUND"));
    expect(await everything(again)).toEqual(before);
  },

  async "what retention keeps of a custom state can be read and compared"({ place, reopened }) {
    const store = new DurableStateStore(place, { retention: { revisions: 60 } });
    await store.createSession("s", { customState: { notes: [], count: 0 } });
    const state = store.synced<{ notes: string[]; count: number }>("s");
    for (let i = 0; i < 90; i++) {
      state.update((draft) => {
        draft.count = i;
        if (draft.notes.push("y".repeat(8_000)) > 6) draft.notes.splice(0, 5);
      });
    }
    const again = new DurableStateStore(reopened(), { retention: { revisions: 60 } }).synced<{ count: number }>("s");
    for (const revision of [30, 31, 50, 77, 90]) expect(again.at(revision).get("/count")).toBe(revision - 1);
    expect(again.at(89).diff(again.at(90)).map(({ path }) => path)).toContain("/count");
    expect(() => again.at(3)).toThrow(refusal("NOT_FOUND"));
  },

  async "a checkpoint whose messages were truncated isn't gone back to with others"({ place, reopened }) {
    const store = await begun(place);
    await store.appendMessages("s", ["a", "b"].map(user));
    const [early, late] = [await store.createCheckpoint("s", { messageCount: 1 }), await store.createCheckpoint("s")];
    await store.truncateMessages("s", 1);
    await store.appendMessages("s", [user("another b")]);
    const again = new DurableStateStore(reopened());
    const before = await everything(again);
    for (const use of [() => again.getCheckpoint(late), () => again.restoreCheckpoint(late), () => again.branchFromCheckpoint(late, "s2")]) {
      await expect(use()).rejects.toEqual(refusal("STALE_STATE"));
    }
    expect(await everything(again)).toEqual(before);
    expect((await again.getLatestCheckpoint("s"))!.id).toBe(early);
    expect((await again.getCheckpoint(early))!.state.messages).toEqual([user("a")]);
    await again.restoreCheckpoint(early);
    expect(await contents(again)).toEqual(["a"]);
  },

  async "a branch is a session of its own"({ place, reopened }) {
    const store = await begun(place);
    await store.appendMessages("s", ["a", "b"].map(user));
    const checkpoint = await store.createCheckpoint("s", { messageCount: 1 });
    await store.mergeCustomState("s", append("later"));
    const before = await everything(store);
    await store.branchFromCheckpoint(checkpoint, "branch");
    await store.appendMessages("branch", [user("c")]);
    await store.mergeCustomState("branch", append("b"));
    const again = new DurableStateStore(reopened());
    expect(await everything(again)).toEqual(before);
    expect(await contents(again, "branch")).toEqual(["a", "c"]);
    expect(await stateOf(again, "branch")).toMatchObject({ agentType: "writer", streamId: "branch", version: 3, customState: { notes: ["a", "b"] } });
    await expect(again.branchFromCheckpoint(checkpoint, "s")).rejects.toEqual(refusal("CONFLICT"));
    const own = await again.createCheckpoint("branch");
    await again.deleteSession("s");
    expect((await again.getCheckpoint(own))!.state.messages).toEqual(["a", "c"].map(user));
  },

  async "checkpoints of one instant have their order, and come in pages"({ place }) {
    const store = await begun(place);
    const ids: string[] = [];
    for (let stepCount = 0; stepCount < 7; stepCount++) ids.push(await store.createCheckpoint("s", { stepCount }));
    expect(new Set(ids).size).toBe(7);
    expect((await store.getLatestCheckpoint("s"))!.id).toBe(ids[6]);
    const first = await store.listCheckpoints("s", { limit: 3 });
    expect(first).toMatchObject({ total: 7, hasMore: true, items: [{ id: ids[6], stepCount: 6, status: "running" }, { id: ids[5] }, { id: ids[4] }] });
    expect(await store.listCheckpoints("s", { offset: 6, limit: 3 })).toMatchObject({ total: 7, hasMore: false, items: [{ id: ids[0] }] });
    expect(await store.listCheckpoints("s", { offset: 9 })).toEqual({ total: 7, hasMore: false, items: [] });
    expect(await store.getCheckpoint(generateCheckpointId("s", 3))).toBeNull();
    expect(await store.getCheckpoint(generateCheckpointId("nobody", 3))).toBeNull();
  },

  async "a checkpoint keeps a custom state of several megabytes"({ place, reopened }) {
    const store = await begun(place);
    const title = "é😀\"".repeat(500_000);
    await store.saveState("s", { customState: { ...initial(), title } });
    const checkpoint = await store.createCheckpoint("s");
    await store.saveState("s", { customState: initial() });
    const again = new DurableStateStore(reopened());
    await again.restoreCheckpoint(checkpoint);
    expect((await stateOf(again)).customState.title === title).toBe(true);
  },

  async "runs are tracked by their own ids"({ place, reopened }) {
    const store = await begun(place);
    await store.createSession("s2");
    expect(await store.getCurrentRun("s")).toBeNull();
    await store.createRun("s", "r1", { turn: 1 });
    await store.createRun("s2", "r of another", { turn: 1 });
    await store.updateRunStatus("r1", "interrupted", { stepCount: 2, completedAt: 50, error: "e".repeat(700_000) });
    await store.createRun("s", "r2", { turn: 2, startSequence: 8 });
    await store.updateRunStatus("r2", "suspended_client_tool");
    const again = new DurableStateStore(reopened());
    expect(await again.listRuns("s")).toMatchObject([
      { runId: "r1", sessionId: "s", turn: 1, status: "interrupted", stepCount: 2, completedAt: 50, error: "e".repeat(700_000) },
      { runId: "r2", sessionId: "s", turn: 2, status: "suspended_client_tool", stepCount: 0, startSequence: 8 },
    ]);
    expect((await again.getCurrentRun("s"))!.runId).toBe("r2");
    await expect(again.createRun("s2", "r1", { turn: 2 })).rejects.toEqual(refusal("CONFLICT"));
    await expect(again.updateRunStatus("unknown", "completed")).rejects.toEqual(refusal("NOT_FOUND"));
  },

  async "children are known in their order, and one that is begun again is one"({ place, reopened }) {
    const store = await begun(place);
    const ref = (subSessionId: string) => ({ subSessionId, agentType: "worker", parentToolCallId: "t", startedAt: 1 });
    await store.addSubSessionRefs("s", [ref("z"), ref("b")]);
    await store.updateSubSessionRef("s", { subSessionId: "z", status: "failed", completedAt: 2 });
    await store.addSubSessionRefs("s", [ref("a"), ref("z")]);
    await store.updateSubSessionRef("s", { subSessionId: "b", status: "completed", completedAt: 3 });
    const again = new DurableStateStore(reopened());
    expect(await again.getSubSessionRefs("s")).toEqual([
      { ...ref("z"), status: "running" }, { ...ref("b"), status: "completed", completedAt: 3 }, { ...ref("a"), status: "running" },
    ]);
    await expect(again.updateSubSessionRef("s", { subSessionId: "x", status: "failed" })).rejects.toEqual(refusal("NOT_FOUND"));
  },

  async "sub-agents are isolated: what a child changes reaches its parent as a returned value alone"({ place }) {
    const store = await begun(place);
    await store.createSession("child", { parentSessionId: "s", agentType: "worker", customState: { texts: [] as string[] } });
    await store.addSubSessionRefs("s", [{ subSessionId: "child", agentType: "worker", parentToolCallId: "call", startedAt: 1 }]);
    const before = await stateOf(store);
    const { results } = await store.parallel<{ texts: string[] }>("child", "step", [
      { toolCallId: "c", run: (tool) => { tool.update((draft) => void draft.texts.push("found")); return tool.getState().texts.length; } },
    ]);
    await store.appendMessages("child", [user("of the child")]);
    expect(await stateOf(store)).toEqual(before);
    expect(await contents(store)).toEqual([]);
    await store.updateSubSessionRef("s", { subSessionId: "child", status: "completed" });
    await store.appendMessages("s", [{ role: "tool", toolCallId: "call", toolName: "worker", content: JSON.stringify(results[0]) }]);
    expect((await stateOf(store)).customState).toEqual(initial());
    expect(await contents(store)).toEqual(['{"status":"fulfilled","value":1}']);
    await store.deleteSession("child");
    expect((await stateOf(store)).customState).toEqual(initial());
  },

  async "calls that run at once begin from one state, and what they did is one commit"({ place, reopened }) {
    const store = await begun(place);
    const { revision } = store.synced("s");
    const seen: unknown[] = [];
    const { results, conflicts } = await store.parallel<Notes>("s", "step", [
      { toolCallId: "1", run: async (tool) => {
        await Promise.resolve();
        tool.update((draft) => void draft.notes.push("b"));
        tool.update((draft) => void (draft.title = "one"));
        seen.push(tool.getState());
        return { found: 1 };
      } },
      { toolCallId: "2", run: async (tool) => {
        seen.push(tool.getState());
        tool.increment("/count", 5);
        tool.append("/title", "two");
        tool.update((draft) => void draft.notes.push("c"));
      } },
      { toolCallId: "3", run: (tool) => { tool.increment("/count", 100); throw new Error("no"); } },
      { toolCallId: "4", run: () => new Date() },
    ]);
    expect(seen).toEqual([initial(), { notes: ["a", "b"], count: 1, title: "one" }]);
    expect(results).toEqual([
      { status: "fulfilled", value: { found: 1 } }, { status: "fulfilled", value: undefined }, { status: "rejected", reason: new Error("no") },
      { status: "rejected", reason: refusal("NOT_JSON") },
    ]);
    const again = new DurableStateStore(reopened());
    expect((await stateOf(again)).customState).toEqual({ notes: ["a", "b", "c"], count: 6, title: "onetwo" });
    expect(again.synced("s").revision).toBe(revision + 1);
    expect(conflicts).toEqual([]);
    expect(await again.getStaged("s", "step")).toBeNull();
  },

  async "calls that had ended aren't run again by whoever resumes their step"({ place, reopened }) {
    const store = await begun(place);
    const ran: string[] = [];
    const call = (toolCallId: string, end: Promise<unknown>) => ({
      toolCallId,
      run: async (tool: { update(recipe: (draft: Notes) => void): void }) => {
        ran.push(toolCallId);
        tool.update((draft) => void draft.notes.push(toolCallId));
        await end;
        return `answer of ${toolCallId}`;
      },
    });
    // The process ends while the second one runs.
    void store.parallel("s", "step", [call("x", Promise.resolve()), call("y", new Promise(() => {}))] as never);
    await expect.poll(async () => (await store.getStaged("s", "step"))?.length).toBe(1);
    const again = new DurableStateStore(reopened());
    expect((await stateOf(again)).customState).toEqual(initial());
    const { results } = await again.parallel("s", "step", [call("x", Promise.resolve()), call("y", Promise.resolve())] as never);
    expect(ran).toEqual(["x", "y", "y"]);
    expect(results).toMatchObject([{ value: "answer of x" }, { value: "answer of y" }]);
    expect((await stateOf(again)).customState.notes).toEqual(["a", "x", "y"]);
  },

  async "what was committed while calls ran isn't lost, or it is told"({ place }) {
    const store = await begun(place);
    const { conflicts } = await store.parallel<Notes>("s", "step", [
      { toolCallId: "1", run: async (tool) => {
        tool.update((draft) => { draft.notes[0] = "A"; draft.title = "tool"; });
        await store.mergeCustomState("s", { ops: [{ kind: "splice", path: "/notes", index: 1, remove: 0, items: ["meanwhile"] }, { kind: "replace", path: "/title", value: "meanwhile" }] });
        tool.increment("/count");
      } },
    ]);
    expect((await stateOf(store)).customState).toEqual({ notes: ["A", "meanwhile"], count: 2, title: "tool" });
    expect(conflicts).toEqual([{ path: "/title", strategy: "last", kept: "tool", lost: "meanwhile", keptBy: 0, lostBy: -1 }]);
  },

  async "a place that is exclusive has one writer, and the later call fails alone"({ place }) {
    const store = await begun(place, { strategies: { "/title": "exclusive" } });
    const write = (toolCallId: string, title?: string) => ({
      toolCallId, run: (tool: any) => tool.update((draft: Notes) => { draft.notes.push(toolCallId); if (title !== undefined) draft.title = title; }),
    });
    const { results } = await store.parallel("s", "step", [write("1", "one"), write("2", "two"), write("3"), write("4", "four")]);
    expect(results).toMatchObject([{ status: "fulfilled" }, { reason: { code: "CONFLICT", path: "/title" } }, { status: "fulfilled" }, { reason: { code: "CONFLICT" } }]);
    expect((await stateOf(store)).customState).toEqual({ notes: ["a", "1", "3"], count: 1, title: "one" });
    await store.stageChanges("s", "step", { toolCallId: "before", writes: { ops: [...append("before").ops, ...set("title", "before").ops] } });
    expect(await store.parallel("s", "step", [write("5", "five")])).toMatchObject({
      results: [{ status: "fulfilled" }], warnings: ["a call that was staged before was left out: '/title' is exclusive"],
    });
    expect((await stateOf(store)).customState).toEqual({ notes: ["a", "1", "3", "5"], count: 1, title: "five" });
  },

  async "of an exclusive place one staged call is promoted, and who was refused is told"({ place }) {
    const store = await begun(place, { strategies: { "/title": "exclusive" } });
    const stage = (toolCallId: string, ...ops: object[]) => store.stageChanges("s", "step", { toolCallId, writes: { ops: [...append(toolCallId).ops, ...ops] as never } });
    await stage("1", ...set("title", "one").ops);
    await stage("2", ...set("title", "two").ops);
    await stage("3");
    const refused = [{ toolCallId: "2", path: "/title" }];
    expect(await store.promoteStaging("s", "step")).toEqual({ conflicts: [], warnings: [], refused });
    expect((await stateOf(store)).customState).toEqual({ notes: ["a", "1", "3"], count: 1, title: "one" });
    await stage("1", ...set("title", "1").ops);
    await stage("2", ...set("title", "2").ops);
    expect(await store.saveStateAndPromoteStaging("s", {}, [], { stepId: "step", stepCount: 1, streamSequence: 0 })).toMatchObject({ refused });
    expect((await stateOf(store)).customState.title).toBe("1");
  },

  async "calls that stay staged are promoted with the rest of their step"({ place }) {
    const store = await begun(place);
    const strategies = { "/notes": "exclusive" } as const;
    await expect(store.parallel("s", "step", [], { promote: false, strategies })).rejects.toEqual(refusal("VALIDATION_FAILED"));
    const { results } = await store.parallel<Notes>("s", "step", [{ toolCallId: "1", run: (tool) => { tool.update((draft) => void draft.notes.push("b")); return 7; } }], { promote: false });
    expect((await stateOf(store)).customState).toEqual(initial());
    await store.saveStateAndPromoteStaging("s", {}, [user(JSON.stringify(results))], { stepId: "step", stepCount: 1, streamSequence: 0 });
    expect((await stateOf(store)).customState.notes).toEqual(["a", "b"]);
  },

  async "bad input is refused by a code, and changes nothing"({ place, reopened }) {
    const store = await begun(place);
    await store.appendMessages("s", [user("a")]);
    await store.createRun("s", "run", { turn: 1 });
    const checkpoint = await store.createCheckpoint("s");
    await store.stageChanges("s", "step", { toolCallId: "c", writes: append("b") });
    const before = await everything(store, ["s", "new", ""]);
    const any = store as any;
    const cycle: unknown[] = [];
    cycle.push(cycle);
    const attempts: [code: string, attempt: () => Promise<unknown>][] = [
      ...(["saveState", "appendMessages", "mergeCustomState", "updateStatus", "incrementStepCount", "incrementResumeCount", "addSubSessionRefs", "getSubSessionRefs",
        "getMessages", "getMessageCount", "truncateMessages", "listCheckpoints", "createCheckpoint", "stageChanges", "promoteStaging", "discardStaging", "listRuns"] as const
      ).flatMap((name): [string, () => Promise<unknown>][] => {
        const rest: Record<string, unknown[]> = {
          saveState: [{}], appendMessages: [[]], mergeCustomState: [{ ops: [] }], updateStatus: ["active"], addSubSessionRefs: [[]], truncateMessages: [0],
          stageChanges: ["step", { writes: { ops: [] } }], promoteStaging: ["step"], discardStaging: ["step"],
        };
        const of = (id: unknown) => () => any[name](id, ...(rest[name] ?? [])) as Promise<unknown>;
        return [["NOT_FOUND", of("nobody")], ["VALIDATION_FAILED", of(undefined)], ["VALIDATION_FAILED", of(7)]];
      }),
      ["NOT_FOUND", () => store.compareAndSetStatus("nobody", ["active"], "paused")],
      ["NOT_FOUND", () => store.createRun("nobody", "r", { turn: 1 })],
      ["NOT_FOUND", () => store.parallel("nobody", "step", [])],
      ["NOT_FOUND", async () => store.synced("nobody")],
      ["NOT_FOUND", () => store.restoreCheckpoint(generateCheckpointId("s", 1))],
      ["NOT_FOUND", () => store.branchFromCheckpoint(generateCheckpointId("nobody", 1), "new")],
      ["CONFLICT", () => store.createSession("s")],
      ...(["loadState", "sessionExists", "deleteSession", "getLatestCheckpoint", "getStaged", "getCurrentRun"] as const).map(
        (name): [string, () => Promise<unknown>] => ["VALIDATION_FAILED", () => any[name](undefined, "step")],
      ),
      ...["", 7, null, undefined, "x".repeat(5_000)].map((id): [string, () => Promise<unknown>] => ["VALIDATION_FAILED", () => any.createSession(id)]),
      ...["", "s", "cpv1-s", "cpv2-s-s1-t1-abcdef", `${checkpoint}0`, 7, null, undefined, {}].flatMap((id): [string, () => Promise<unknown>][] => [
        ["VALIDATION_FAILED", () => any.getCheckpoint(id)],
        ["VALIDATION_FAILED", () => any.restoreCheckpoint(id)],
        ["VALIDATION_FAILED", () => any.branchFromCheckpoint(id, "new")],
      ]),
      ...[{ offset: -1 }, { offset: 0.5 }, { limit: 0 }, { limit: 1_001 }, { limit: NaN }, { offset: "1" }, 7].flatMap((page): [string, () => Promise<unknown>][] => [
        ["VALIDATION_FAILED", () => any.getMessages("s", page)],
        ["VALIDATION_FAILED", () => any.listCheckpoints("s", page)],
      ]),
      ...[-1, 0.5, "1", NaN].flatMap((count): [string, () => Promise<unknown>][] => [
        ["VALIDATION_FAILED", () => any.truncateMessages("s", count)],
        ["VALIDATION_FAILED", () => any.createCheckpoint("s", { messageCount: count })],
        ["VALIDATION_FAILED", () => any.createCheckpoint("s", { streamSequence: count })],
        ["VALIDATION_FAILED", () => any.saveState("s", { stepCount: count })],
        ["VALIDATION_FAILED", () => any.incrementStepCount("s", { expectedVersion: count })],
        ["VALIDATION_FAILED", () => any.incrementStepCount("s", { fencingToken: count })],
        ["VALIDATION_FAILED", () => any.createRun("s", "r", { turn: count })],
        ["VALIDATION_FAILED", () => any.stageChanges("s", "step", { writes: { ops: [] }, index: count })],
      ]),
      ["VALIDATION_FAILED", () => store.createCheckpoint("s", { messageCount: 2 })],
      ...[NaN, () => 1, 1n, new Date(), cycle, new Map()].flatMap((value): [string, () => Promise<unknown>][] => [
        ["NOT_JSON", () => any.createSession("new", { customState: { value } })],
        ["NOT_JSON", () => any.createSession("new", { output: value })],
        ["NOT_JSON", () => any.saveState("s", { customState: { value } })],
        ["NOT_JSON", () => any.saveState("s", { output: { value } })],
        ["NOT_JSON", () => any.appendMessages("s", [user("fine"), { ...user("b"), metadata: { value } }])],
        ["NOT_JSON", () => any.mergeCustomState("s", set("title", value))],
        ["NOT_JSON", () => any.stageChanges("s", "step", { toolCallId: "c", writes: set("title", value) })],
        ["NOT_JSON", () => any.stageChanges("s", "step", { toolCallId: "c", writes: set("title", ""), result: { value } })],
        ["NOT_JSON", () => any.saveStateAndPromoteStaging("s", { customState: { value } }, [], { stepId: "none", stepCount: 1, streamSequence: 0 })],
        ["NOT_JSON", () => any.updateStatus("s", "paused", { interruptContext: { value } })],
      ]),
      ...[7, null, "text", { role: "user" }, [7], [null], [{}], [{ role: "nobody", content: "" }]].map((messages): [string, () => Promise<unknown>] => ["VALIDATION_FAILED", () => any.appendMessages("s", messages)]),
      ...[undefined, null, 7, {}, { ops: 7 }].map((writes): [string, () => Promise<unknown>] => [expect.stringMatching(/INVALID_PATCH|VALIDATION_FAILED/) as never, () => any.stageChanges("s", "step", { toolCallId: "c", writes })]),
      ["INVALID_PATCH", () => any.mergeCustomState("s", { ops: [{ kind: "explode", key: "notes" }] })],
      ["VALIDATION_FAILED", () => any.stageChanges("s", "", { writes: append("b") })],
      ["VALIDATION_FAILED", () => any.stageChanges("s", "step", { toolCallId: 7, writes: append("b") })],
      ["VALIDATION_FAILED", () => any.updateStatus("s", "sleeping")],
      ["VALIDATION_FAILED", () => any.compareAndSetStatus("s", ["sleeping"], "active")],
      ["VALIDATION_FAILED", () => any.compareAndSetStatus("s", ["active"], "active", { expectedVersion: NaN })],
      ["VALIDATION_FAILED", () => any.compareAndSetStatus("s", ["active"], "active", { fencingToken: -1 })],
      ["VALIDATION_FAILED", () => any.compareAndSetStatus("s", "active", "active")],
      ["VALIDATION_FAILED", () => any.compareAndSetStatus("s", ["active"], "sleeping")],
      ["VALIDATION_FAILED", () => any.saveState("s", { sessionId: "other" })],
      ["VALIDATION_FAILED", () => any.saveState("s", null)],
      ["VALIDATION_FAILED", () => any.saveState("s", [])],
      ...Object.entries({ agentType: 7, streamId: null, aborted: "no", error: 7, interruptContext: 7, pendingClientToolCalls: [], expiresAt: "soon" }).flatMap(
        ([name, value]): [string, () => Promise<unknown>][] => [
          ["VALIDATION_FAILED", () => any.saveState("s", { [name]: value })],
          ["VALIDATION_FAILED", () => any.createSession("new", { [name]: value })],
        ],
      ),
      ["VALIDATION_FAILED", () => any.updateStatus("s", "paused", { interruptContext: 7 })],
      ["VALIDATION_FAILED", () => any.compareAndSetStatus("s", ["active"], "failed", { error: 7 })],
      ["VALIDATION_FAILED", () => any.updateRunStatus("run", "failed", { error: 7 })],
      ["VALIDATION_FAILED", () => any.getMessages("s", { includeThinking: "no" })],
      ["VALIDATION_FAILED", () => any.saveStateAndPromoteStaging("s", {}, [], { stepId: "step", stepCount: 1 })],
      ["VALIDATION_FAILED", async () => any.synced("s").destroy()],
      ["VALIDATION_FAILED", () => any.addSubSessionRefs("s", [{ subSessionId: "c" }])],
      ["VALIDATION_FAILED", () => any.addSubSessionRefs("s", {})],
      ...[7, [null], [{}], [{ subSessionId: "c", agentType: "w", parentToolCallId: "t", startedAt: 1, status: "lost" }]].map(
        (subSessionRefs): [string, () => Promise<unknown>] => ["VALIDATION_FAILED", () => any.saveState("s", { subSessionRefs })],
      ),
      ["NOT_FOUND", () => any.updateSubSessionRef("s", { subSessionId: "c", status: "failed" })],
      ["VALIDATION_FAILED", () => any.updateSubSessionRef("s", { subSessionId: "c", status: "lost" })],
      ["VALIDATION_FAILED", () => any.updateRunStatus("run", "lost")],
      ["VALIDATION_FAILED", () => any.updateRunStatus("run", "failed", { stepCount: -1 })],
      ["CONFLICT", () => any.createRun("s", "run", { turn: 2 })],
      ["VALIDATION_FAILED", () => any.createRun("s", "r", {})],
      ["VALIDATION_FAILED", () => any.parallel("s", "step", [{ toolCallId: "a", run() {} }, { toolCallId: "a", run() {} }])],
      ["VALIDATION_FAILED", () => any.parallel("s", "step", {})],
    ];
    for (const [i, [code, attempt]] of attempts.entries()) {
      const error: any = await attempt().then(() => `nothing was refused: ${i} ${attempt}`, (error: unknown) => error);
      expect(error, `${i} ${attempt}`).toEqual(refusal(code));
      expect(JSON.stringify(error.message)).not.toContain("fine");
    }
    expect(await everything(store, ["s", "new"])).toEqual((before as unknown[]).slice(0, 2));
    expect(await everything(new DurableStateStore(reopened()), ["s", "new"])).toEqual((before as unknown[]).slice(0, 2));
    for (const read of ["loadState", "getLatestCheckpoint", "getCurrentRun"] as const) expect(await store[read]("nobody")).toBeNull();
    expect(await store.getStaged("nobody", "step")).toBeNull();
  },

  async "members called like everybody's are members"({ place, reopened }) {
    const store = new DurableStateStore(place);
    const state = JSON.parse('{"__proto__":{"polluted":1},"constructor":2,"a\\u0000\\"\'b":3}') as object;
    await store.createSession("__proto__", { customState: state, ["__proto__" as never]: undefined });
    await store.mergeCustomState("__proto__", set("hasOwnProperty", 4));
    const { customState } = (await new DurableStateStore(reopened()).loadState("__proto__"))!;
    expect(JSON.stringify(customState)).toBe('{"__proto__":{"polluted":1},"constructor":2,"a\\u0000\\"\'b":3,"hasOwnProperty":4}');
    expect(({} as any).polluted).toBeUndefined();
  },

  async "a custom state of an earlier version is migrated once, and so is that of a checkpoint when it is read"({ place, reopened }) {
    const first = new DurableStateStore(place);
    await first.createSession("s", { customState: { note: "a" } });
    const old = await first.createCheckpoint("s");
    const { version } = (await first.loadState("s"))!;
    let runs: number[] = [];
    const migrate = (state: any, fromVersion: number) => {
      runs.push(fromVersion);
      return fromVersion === 0 ? { notes: [state.note] } : { notes: state.notes.map((text: string) => ({ text })) };
    };
    const second = new DurableStateStore(reopened(), { version: 1, migrate });
    expect(await second.loadState("s")).toMatchObject({ customState: { notes: ["a"] }, version: version + 1 });
    await second.createSession("new", { customState: { notes: [] } });
    const now = await second.createCheckpoint("s");
    const again = new DurableStateStore(reopened(), { version: 1, migrate });
    expect((await again.loadState("s"))!.customState).toEqual({ notes: ["a"] });
    expect((await again.loadState("new"))!.customState).toEqual({ notes: [] });
    expect(runs).toEqual([0]);
    expect((await again.getCheckpoint(now))!.state.customState).toEqual({ notes: ["a"] });
    expect(runs).toEqual([0]);
    await again.restoreCheckpoint(old);
    expect((await again.loadState("s"))!.customState).toEqual({ notes: ["a"] });
    await again.branchFromCheckpoint(old, "branch");
    expect((await again.loadState("branch"))!.customState).toEqual({ notes: ["a"] });
    runs = [];
    const third = new DurableStateStore(reopened(), { version: 2, migrate: (state, from) => (from === 1 ? migrate(state, 1) : migrate(migrate(state, 0), 1)) });
    expect((await third.loadState("branch"))!.customState).toEqual({ notes: [{ text: "a" }] });
    expect((await third.getCheckpoint(old))!.state.customState).toEqual({ notes: [{ text: "a" }] });
    // That of the branch, that of the session when its checkpoint is looked for, and the checkpoint's own.
    expect(runs).toEqual([1, 1, 0, 1]);
    // What a later version wrote isn't read by an earlier one.
    const late = new DurableStateStore(reopened(), { version: 1, migrate });
    await expect(late.loadState("branch")).rejects.toEqual(refusal("VALIDATION_FAILED"));
    expect((await third.loadState("branch"))!.customState).toEqual({ notes: [{ text: "a" }] });
  },

  async "a migration that fails changes nothing, and is tried again"({ place, reopened }) {
    const store = await begun(place);
    const before = await everything(store);
    let isReady = false;
    const migrate = (state: Notes): unknown => {
      if (!isReady) throw new Error("not yet");
      return { ...state, title: "migrated" };
    };
    const next = new DurableStateStore(reopened(), { version: 1, migrate });
    for (const use of [() => next.loadState("s"), () => next.incrementStepCount("s"), () => next.loadState("s")]) await expect(use()).rejects.toThrow("not yet");
    const bad = new DurableStateStore(reopened(), { version: 1, migrate: () => new Date() });
    await expect(bad.loadState("s")).rejects.toEqual(refusal("NOT_JSON"));
    expect(await everything(new DurableStateStore(reopened()))).toEqual(before);
    isReady = true;
    expect((await stateOf(next)).customState).toEqual({ ...initial(), title: "migrated" });
    await next.deleteSession("s");
    await next.createSession("s", { customState: { fresh: true } });
    expect((await new DurableStateStore(reopened(), { version: 1, migrate }).loadState("s"))!.customState).toEqual({ fresh: true });
  },

  async "stores of different names don't know of each other"({ place }) {
    const [one, other] = [new DurableStateStore(place), new DurableStateStore(place, { name: "other" })];
    await one.createSession("s", { customState: { of: "one" } });
    expect(await other.loadState("s")).toBeNull();
    await other.createSession("s", { customState: { of: "other" } });
    expect(await Promise.all([one, other].map(async (store) => (await store.loadState("s"))!.customState))).toEqual([{ of: "one" }, { of: "other" }]);
    // Two of one name are one.
    const twin = new DurableStateStore(place);
    twin.synced<{ of: string }>("s").update((draft) => void (draft.of = "both"));
    expect((await one.loadState("s"))!.customState).toEqual({ of: "both" });
    expect(() => new DurableStateStore(place, { name: "a b" })).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
  },

  async "many sessions share the memory of a few"({ place }) {
    const store = new DurableStateStore(place);
    const ids = Array.from({ length: 40 }, (_, i) => `s${i}`);
    for (const [count, id] of ids.entries()) await store.createSession(id, { customState: { count } });
    const held = store.synced<{ count: number }>("s0");
    for (const id of ids) store.synced<{ count: number }>(id).increment("/count", 100);
    held.increment("/count", 1000);
    expect(await Promise.all(ids.map(async (id) => (await store.loadState<{ count: number }>(id))!.customState.count))).toEqual(ids.map((_, i) => (i === 0 ? 1100 : 100 + i)));
  },

  async "an operation may be part of a larger transaction, and goes with it"({ place, reopened }) {
    const store = await begun(place);
    const storage = "storage" in place ? place.storage : place;
    const before = await everything(store);
    const failing = (): void => {
      void store.appendMessages("s", [user("gone")]);
      void store.mergeCustomState("s", append("gone"));
      void store.createSession("gone");
      throw new Error("taken back");
    };
    expect(() => storage.transactionSync(failing)).toThrow("taken back");
    expect(await everything(store)).toEqual(before);
    expect(await store.loadState("gone")).toBeNull();
    await store.createSession("gone", { customState: { here: 1 } });
    await store.mergeCustomState("s", append("kept"));
    const again = new DurableStateStore(reopened());
    expect((await stateOf(again)).customState.notes).toEqual(["a", "kept"]);
    expect((await again.loadState("gone"))!.customState).toEqual({ here: 1 });
  },

  async "a first operation that is taken back leaves a store that works"({ place }) {
    const store = new DurableStateStore(place);
    const storage = "storage" in place ? place.storage : place;
    const failing = (): void => {
      void store.createSession("s");
      throw new Error("taken back");
    };
    expect(() => storage.transactionSync(failing)).toThrow("taken back");
    expect(await store.loadState("s")).toBeNull();
    await store.createSession("s");
    expect(await store.sessionExists("s")).toBe(true);
  },
};
