import type { InterruptContext, SessionStatus } from "../compat/helix/status.js";
import { PatchwireError } from "../errors.js";
import type { HttpRequest, HttpResponse } from "../sync/http.js";
import type { Migration } from "../sync/migration.js";
import type { Retention } from "../sync/past.js";
import type { HibernatableSocket } from "../sync/sinks.js";
import type { SyncedEvent, SyncedState } from "../sync/synced-state.js";
import { Transactions, type Witness } from "../sync/transactions.js";
import type { ParallelOptions, ParallelResult } from "../tracker/parallel.js";
import type { Immutable, Limits, StepWrites, StepWritesInput } from "../types.js";
import type { MergeStrategies } from "../values/merge.js";
import { sessionOf } from "./checkpoints.js";
import { checkCount, checkFlag, checkId, checkList, checkObject, checkPage } from "./checks.js";
import {
  change, keptCustom, mergeCustom, mergeStaged, promotionOf, replaceCustom, requireBase, restoreCustom, type KeptCustom,
} from "./custom.js";
import { ExecutorSupersededError } from "./errors.js";
import { textsOf } from "./messages.js";
import { OpenedStates, storageOf, type StorePlace } from "./opened.js";
import { Rooms } from "./rooms.js";
import type { Row, StoreStorage } from "./rows.js";
import { checkDetails, detailsOf, statusOf, type Session } from "./sessions.js";
import { checkCalls, runCalls, type ToolCall } from "./tool-calls.js";
import type {
  AgentStatus, Checkpoint, CreateCheckpointParams, CreateSessionOptions, GetMessagesOptions, ListCheckpointsOptions, Message, PaginatedCheckpoints,
  PaginatedMessages, Promotion, RunMetadata, RunRecord, RunStatus, RunStatusUpdate, SessionState, SessionStateStore, StagedChanges, StatusChange,
  SubSessionRef, UntypedSessionState, WriteOptions,
} from "./types.js";

/** How a {@link DurableStateStore} is kept, and what it accepts. */
export interface DurableStateStoreOptions extends Migration<unknown> {
  /** Tells several stores of one object from each other: up to 32 letters, digits, `-` and `_`. */
  name?: string;
  /** How the writes of a step's calls become one, by places of the custom state: see {@link mergeWrites}. */
  strategies?: MergeStrategies;
  /** How much of the past of custom states is kept beside what checkpoints need: see {@link SyncedStateOptions}. */
  retention?: Retention;
  /** Bounds on what is accepted of custom states. */
  limits?: Limits;
  /** Told what happens to custom states, as {@link SyncedState}'s option is. */
  onEvent?: (event: SyncedEvent) => void;
}

/**
 * The sessions of agents in one storage: their states, messages, runs, checkpoints, and what tools have staged. It is the
 * `SessionStateStore` that Helix's runtimes work with, and says more than that asks for.
 *
 * Every operation is one transaction: it is done as a whole when its promise resolves, or nothing is, which holds where the
 * process is killed in the middle, too. What changes a session raises its `version` by exactly one; what only stages
 * something for later changes nothing yet.
 *
 * A session's custom state is a {@link SyncedState}: what is written follows what changed, and clients can watch it.
 *
 * Where there is no such session, run, child or checkpoint, operations throw `NOT_FOUND`; the ones that may answer `null` do.
 * Whatever isn't what it should be is `VALIDATION_FAILED`, what isn't JSON `NOT_JSON`. Rows that are damaged are
 * `VALIDATION_FAILED`, too, missing ones `STREAM_TRUNCATED`, and named. Then nothing has changed.
 *
 * @example
 * ```ts
 * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
 * const store = new DurableStateStore(memoryStorage()); // in a Durable Object: new DurableStateStore(this.ctx)
 * await store.createSession("s-1", { agentType: "writer", customState: { notes: ["plan"] } });
 * await store.appendMessages("s-1", [{ role: "user", content: "Go on" }]);
 * await store.mergeCustomState("s-1", { ops: [{ kind: "append", key: "notes", items: ["search"] }] });
 * const { customState, version } = (await store.loadState("s-1"))!;
 * console.log(customState, version); // { notes: [ 'plan', 'search' ] } 3
 * ```
 */
export class DurableStateStore implements SessionStateStore {
  readonly #storage: StoreStorage;
  readonly #name: string;
  readonly #options: DurableStateStoreOptions;
  readonly #opened: OpenedStates;
  readonly #transactions: Transactions;
  readonly #witness: Witness = { ended: () => this.#look(), deleted: () => this.#deleted() };
  #made: Rooms | undefined;

  /**
   * Costs nothing: storage is read when something is first asked for.
   *
   * @param place the context of a Durable Object, `this.ctx`; or a storage, {@link memoryStorage} or {@link nodeStorage}.
   *   Without a context custom states have no sockets.
   * @throws PatchwireError `VALIDATION_FAILED` for anything else than a name.
   */
  constructor(place: StorePlace, options: DurableStateStoreOptions = {}) {
    const { name = "sessions" } = checkObject("the options", options) as DurableStateStoreOptions;
    if (!/^[a-z0-9_-]{1,32}$/i.test(name)) throw new PatchwireError("VALIDATION_FAILED", "the option name is up to 32 letters, digits, - and _");
    this.#storage = storageOf(place);
    this.#name = name.toLowerCase();
    this.#options = { ...options };
    this.#transactions = Transactions.of(this.#storage);
    this.#opened = OpenedStates.of(place);
    // Its clients may be there before it has read anything.
    this.#transactions.witness(this.#witness);
  }

  // Sessions

  /**
   * Begins a session.
   *
   * @throws PatchwireError `CONFLICT` where there is one with this id.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { agentType: "writer", customState: { count: 0 } });
   * console.log((await store.loadState("s-1"))?.status); // active
   * ```
   */
  async createSession<TState>(sessionId: string, options: CreateSessionOptions<TState> = {}): Promise<void> {
    const { status = "active", stepCount = 0, customState = {} } = checkObject("the options", options) as CreateSessionOptions;
    checkId("the session's id", sessionId);
    this.#transaction((rooms) => {
      const session = this.#create(rooms, sessionId, customState);
      session.details = detailsOf(sessionId, options as Record<string, unknown>);
      session.row.status = statusOf(status);
      session.row.steps = checkCount("the count of steps", stepCount);
      session.write(1);
    });
  }

  /**
   * Whether there is such a session.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * console.log(await new DurableStateStore(memoryStorage()).sessionExists("s-1")); // false
   * ```
   */
  async sessionExists(sessionId: string): Promise<boolean> {
    return this.#read(({ sessions }) => sessions.find(sessionId) !== undefined);
  }

  /**
   * Deletes a session with all that is kept of it, if there is one. Its id may begin anew.
   *
   * @throws PatchwireError {@link StaleStateError} and others as {@link WriteOptions} says.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.deleteSession("s-1");
   * console.log(await store.loadState("s-1")); // null
   * ```
   */
  async deleteSession(sessionId: string, options: WriteOptions = {}): Promise<void> {
    checkObject("the options", options);
    const number = this.#transaction((rooms) => {
      const session = rooms.sessions.find(sessionId);
      if (session === undefined) return undefined;
      session.check(options);
      rooms.delete(session);
      session.custom.discard();
      return session.number;
    });
    // In a larger transaction it may yet be there again.
    if (number !== undefined && !this.#transactions.isOpen) this.#opened.forget(this.#stateName(number));
  }

  /**
   * Mends what says where sessions and runs are, where rows of it are damaged or missing: the pages of their ids, and the last
   * number of a session. They follow from the rows of sessions and runs, and nothing is lost. O(sessions and runs).
   *
   * @returns what was damaged, or the last of it; `undefined` where nothing was.
   * @throws PatchwireError `VALIDATION_FAILED` or `STREAM_TRUNCATED` where a row of a session or of a run is damaged or missing,
   *   which is needed for that: then nothing has changed.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * console.log(await store.repair()); // undefined
   * ```
   */
  async repair(): Promise<PatchwireError | undefined> {
    return this.#transaction((rooms) => rooms.repair());
  }

  /**
   * A session's state; `null` where there is none. Its custom state is frozen, and `===` where nothing changed.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { count: 0 } });
   * const { stepCount, customState } = (await store.loadState<{ count: number }, string>("s-1"))!;
   * console.log(stepCount, customState.count); // 0 0
   * ```
   */
  async loadState<TState = unknown, TOutput = unknown>(sessionId: string): Promise<SessionState<TState, TOutput> | null> {
    return this.#read((rooms) => {
      const session = rooms.sessions.find(sessionId);
      if (session === undefined) return null;
      const { row, details, custom, version } = session;
      const { status, steps: stepCount, resumes: resumeCount } = row;
      const subSessionRefs = rooms.children.read(session);
      const state = { ...details, sessionId, status, stepCount, resumeCount, version, subSessionRefs, customState: custom.getState() };
      return state as SessionState<TState, TOutput>;
    });
  }

  /**
   * Saves a session's state as {@link UntypedSessionState} says. Of the custom state what differs is written.
   *
   * @throws PatchwireError {@link StaleStateError} and others as {@link WriteOptions} says.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { count: 0 } });
   * const state = (await store.loadState("s-1"))!;
   * await store.saveState("s-1", { ...state, output: "done", customState: { count: 1 } }, { expectedVersion: state.version });
   * console.log((await store.loadState("s-1"))?.output); // done
   * ```
   */
  async saveState(sessionId: string, state: UntypedSessionState, options: WriteOptions = {}): Promise<void> {
    this.#change(sessionId, options, (session, rooms) => {
      this.#save(session, rooms, state);
      if (state.messages !== undefined) rooms.messages.replace(session, textsOf(state.messages));
      if (state.customState !== undefined) replaceCustom(session.custom, state.customState);
    });
  }

  /**
   * A session's custom state: what is changed there is the session's change. It goes with its session, and `destroy` is refused.
   *
   * @throws PatchwireError `NOT_FOUND`.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { count: 0 } });
   * store.synced<{ count: number }>("s-1").increment("/count", 2);
   * const { customState, version } = (await store.loadState("s-1"))!;
   * console.log(customState, version); // { count: 2 } 2
   * ```
   */
  synced<T>(sessionId: string): SyncedState<T> {
    return this.#read(({ sessions }) => sessions.require(sessionId).custom) as SyncedState<T>;
  }

  /**
   * Merges step writes into the custom state, as {@link mergeWrites} does; what doesn't fit is told in a warning.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { notes: ["a"] } });
   * const { warnings } = await store.mergeCustomState("s-1", { ops: [{ kind: "append", key: "notes", items: ["b"] }] });
   * console.log((await store.loadState("s-1"))?.customState, warnings); // { notes: [ 'a', 'b' ] } []
   * ```
   */
  async mergeCustomState(sessionId: string, writes: StepWrites | StepWritesInput, options: WriteOptions = {}): Promise<Omit<Promotion, "refused">> {
    return this.#change(sessionId, options, ({ custom }) => mergeCustom(custom, writes));
  }

  /**
   * Sets a session's status, in the words of agents or of sessions.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.updateStatus("s-1", "interrupted", { interruptContext: { reason: "user_requested", stepCount: 0, timestamp: 1 } });
   * console.log((await store.loadState("s-1"))?.interruptContext?.reason); // user_requested
   * ```
   */
  async updateStatus(sessionId: string, status: AgentStatus | SessionStatus, context: { interruptContext?: InterruptContext } & WriteOptions = {}): Promise<void> {
    this.#change(sessionId, context, (session) => this.#setStatus(session, status, context));
  }

  /**
   * Sets the status if it is one of those that are expected, and says what it is otherwise. With a `fencingToken` that is as
   * high as any before, the session is taken over: from then on a writer with a lower one gets
   * {@link ExecutorSupersededError}, and one with a higher one {@link FencingTokenMismatchError}.
   *
   * @throws PatchwireError {@link ExecutorSupersededError} where the session was taken over with a higher token.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { status: "paused" });
   * console.log(await store.compareAndSetStatus("s-1", ["paused", "interrupted"], "active")); // { ok: true, newVersion: 2 }
   * console.log(await store.compareAndSetStatus("s-1", ["paused", "interrupted"], "active"));
   * // { ok: false, currentStatus: 'active', currentVersion: 2 }
   * ```
   */
  async compareAndSetStatus(
    sessionId: string,
    expectedStatuses: readonly SessionStatus[],
    newStatus: SessionStatus,
    options: { interruptContext?: InterruptContext; error?: string } & WriteOptions = {},
  ): Promise<StatusChange> {
    const { expectedVersion, fencingToken, ...context } = checkObject("the options", options) as typeof options;
    const expected = checkList<SessionStatus>("the expected statuses", expectedStatuses).map(statusOf);
    if (expectedVersion !== undefined) checkCount("the expected version", expectedVersion);
    return this.#transaction(({ sessions }): StatusChange => {
      const session = sessions.require(sessionId);
      const { row, version } = session;
      if (fencingToken !== undefined && checkCount("the fencing token", fencingToken) < row.fence) throw new ExecutorSupersededError(sessionId);
      const isExpected = expected.includes(row.status) && (expectedVersion ?? version) === version;
      if (!isExpected) return { ok: false, currentStatus: row.status, currentVersion: version };
      row.fence = fencingToken ?? row.fence;
      this.#setStatus(session, newStatus, context);
      session.write(version + 1);
      return { ok: true, newVersion: version + 1 };
    });
  }

  /**
   * Counts a step, and says how many there are.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * console.log(await store.incrementStepCount("s-1")); // 1
   * ```
   */
  async incrementStepCount(sessionId: string, options: WriteOptions = {}): Promise<number> {
    return this.#change(sessionId, options, ({ row }) => ++row.steps);
  }

  /**
   * Counts a time that the session was resumed, and says how many there are. The count never goes back.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * console.log(await store.incrementResumeCount("s-1")); // 1
   * ```
   */
  async incrementResumeCount(sessionId: string, options: WriteOptions = {}): Promise<number> {
    return this.#change(sessionId, options, ({ row }) => ++row.resumes);
  }

  // Connections

  /**
   * Answers a request for a session's custom state, as {@link SyncedState.fetch} does.
   *
   * @throws PatchwireError `NOT_FOUND`.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage()); // sockets need a Durable Object's context
   * await store.createSession("s-1", { customState: { count: 0 } });
   * const { state } = (await store.fetch("s-1", new Request("https://agent/s-1")).json()) as { state: unknown };
   * console.log(state); // { count: 0 }
   * ```
   */
  fetch(sessionId: string, request: HttpRequest): HttpResponse {
    return this.synced(sessionId).fetch(request);
  }

  /** To be called from the object's method of the same name: what a client sent to one of the custom states. */
  webSocketMessage(socket: HibernatableSocket, message: string | ArrayBuffer): void {
    this.#stateOf(socket)?.webSocketMessage(socket, message);
  }

  /** To be called from the object's method of the same name. */
  webSocketClose(socket: HibernatableSocket, ...rest: unknown[]): void {
    this.#stateOf(socket)?.webSocketClose(socket, ...rest);
  }

  /** To be called from the object's method of the same name. */
  webSocketError(socket: HibernatableSocket, ...rest: unknown[]): void {
    this.#stateOf(socket)?.webSocketError(socket, ...rest);
  }

  #stateOf(socket: HibernatableSocket): SyncedState<unknown> | undefined {
    const name = this.#opened.nameOf(socket, this.#stateName(""));
    return name === undefined ? undefined : this.#opened.get(name, this.#options);
  }

  // Children

  /**
   * Notes that children of the session are running. A child has a session of its own: nothing that it changes is the
   * parent's, which gets what the child answers. One that is noted again is begun again.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.addSubSessionRefs("s-1", [{ subSessionId: "s-2", agentType: "worker", parentToolCallId: "call-1", startedAt: 1 }]);
   * console.log((await store.getSubSessionRefs("s-1"))[0]?.status); // running
   * ```
   */
  async addSubSessionRefs(sessionId: string, refs: readonly Omit<SubSessionRef, "status" | "completedAt">[], options: WriteOptions = {}): Promise<void> {
    this.#change(sessionId, options, (session, { children }) => children.add(session, refs));
  }

  /**
   * Notes what became of a child.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.addSubSessionRefs("s-1", [{ subSessionId: "s-2", agentType: "worker", parentToolCallId: "call-1", startedAt: 1 }]);
   * await store.updateSubSessionRef("s-1", { subSessionId: "s-2", status: "completed", completedAt: 2 });
   * console.log((await store.getSubSessionRefs("s-1"))[0]?.status); // completed
   * ```
   */
  async updateSubSessionRef(
    sessionId: string,
    update: { subSessionId: string; status: SubSessionRef["status"]; completedAt?: number },
    options: WriteOptions = {},
  ): Promise<void> {
    this.#change(sessionId, options, (session, { children }) => children.update(session, update));
  }

  /**
   * The session's children, in the order in which they were added.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * console.log(await store.getSubSessionRefs("s-1")); // []
   * ```
   */
  async getSubSessionRefs(sessionId: string): Promise<SubSessionRef[]> {
    return this.#read(({ sessions, children }) => children.read(sessions.require(sessionId)));
  }

  // Messages

  /**
   * Adds messages at the end. O(their size).
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.appendMessages("s-1", [{ role: "user", content: "Hello" }, { role: "assistant", content: "Hi" }]);
   * console.log(await store.getMessageCount("s-1")); // 2
   * ```
   */
  async appendMessages(sessionId: string, messages: readonly Message[], options: WriteOptions = {}): Promise<void> {
    const texts = textsOf(messages);
    this.#change(sessionId, options, (session, { messages }) => messages.append(session, texts));
  }

  /**
   * A page of the session's messages. O(their size).
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.appendMessages("s-1", [{ role: "assistant", content: "Hi", thinking: { content: "A greeting" } }, { role: "user", content: "Go" }]);
   * const { messages, total, hasMore } = await store.getMessages("s-1", { limit: 1, includeThinking: false });
   * console.log(messages, total, hasMore); // [ { role: 'assistant', content: 'Hi' } ] 2 true
   * ```
   */
  async getMessages(sessionId: string, options: GetMessagesOptions = {}): Promise<PaginatedMessages> {
    const { offset, limit } = checkPage(options);
    const includeThinking = checkFlag("the option includeThinking", options.includeThinking ?? true);
    return this.#read((rooms) => {
      const session = rooms.sessions.require(sessionId);
      const total = session.row.messages;
      const messages = rooms.messages.read(session, offset, Math.min(offset + limit, total));
      if (!includeThinking) for (const message of messages) if (message.role === "assistant") delete message.thinking;
      return { messages, total, offset, limit, hasMore: offset + messages.length < total };
    });
  }

  /**
   * How many messages the session has. O(1).
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * console.log(await store.getMessageCount("s-1")); // 0
   * ```
   */
  async getMessageCount(sessionId: string): Promise<number> {
    return this.#read(({ sessions }) => sessions.require(sessionId).row.messages);
  }

  /**
   * Deletes all messages but the first ones. Checkpoints that count one that is deleted can't be gone back to any more.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.appendMessages("s-1", [{ role: "user", content: "a" }, { role: "user", content: "b" }]);
   * await store.truncateMessages("s-1", 1);
   * console.log((await store.getMessages("s-1")).messages); // [ { role: 'user', content: 'a' } ]
   * ```
   */
  async truncateMessages(sessionId: string, messageCount: number, options: WriteOptions = {}): Promise<void> {
    checkCount("the count of messages", messageCount);
    this.#change(sessionId, options, (session, { messages }) => messages.truncate(session, messageCount));
  }

  // Checkpoints

  /**
   * Keeps the session as it is, under an id. Messages are kept by their count.
   *
   * @throws PatchwireError `VALIDATION_FAILED` where the session hasn't so many messages.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { count: 0 } });
   * const id = await store.createCheckpoint("s-1", { streamSequence: 42 });
   * console.log(/^cpv1-s-1-s0-t\d+-[0-9a-f]{6}$/.test(id)); // true
   * ```
   */
  async createCheckpoint(sessionId: string, params: CreateCheckpointParams = {}, options: WriteOptions = {}): Promise<string> {
    return this.#change(sessionId, options, (session, { checkpoints }) => checkpoints.create(session, params));
  }

  /**
   * A checkpoint with the whole state that it has; `null` where there is none.
   *
   * @throws PatchwireError `VALIDATION_FAILED` where it is no checkpoint's id; `STALE_STATE` where messages that it counts
   *   were truncated.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { count: 0 } });
   * const id = await store.createCheckpoint("s-1");
   * store.synced("s-1").increment("/count");
   * console.log((await store.getCheckpoint(id))?.state.customState); // { count: 0 }
   * ```
   */
  async getCheckpoint(checkpointId: string): Promise<Checkpoint | null> {
    const id = sessionOf(checkpointId);
    return this.#read(({ sessions, checkpoints }) => {
      const session = sessions.find(id);
      const row = session && checkpoints.find(session, checkpointId);
      return row === undefined ? null : checkpoints.read(session!, row);
    });
  }

  /**
   * The session's last checkpoint; `null` where there is none.
   *
   * @throws PatchwireError `STALE_STATE` where messages that it counts were truncated.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.createCheckpoint("s-1", { stepCount: 3 });
   * console.log((await store.getLatestCheckpoint("s-1"))?.stepCount); // 3
   * ```
   */
  async getLatestCheckpoint(sessionId: string): Promise<Checkpoint | null> {
    return this.#read(({ sessions, checkpoints }) => {
      const session = sessions.find(sessionId);
      const row = session && checkpoints.latest(session);
      return row === undefined ? null : checkpoints.read(session!, row);
    });
  }

  /**
   * A page of the session's checkpoints, the last one first.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * for (const stepCount of [1, 2, 3]) await store.createCheckpoint("s-1", { stepCount });
   * const { items, total, hasMore } = await store.listCheckpoints("s-1", { limit: 2 });
   * console.log(items.map(({ stepCount }) => stepCount), total, hasMore); // [ 3, 2 ] 3 true
   * ```
   */
  async listCheckpoints(sessionId: string, options: ListCheckpointsOptions = {}): Promise<PaginatedCheckpoints> {
    const page = checkPage(options);
    return this.#read(({ sessions, checkpoints }) => checkpoints.list(sessions.require(sessionId), page));
  }

  /**
   * Takes a session back to a checkpoint: its state, its children and its messages are as they were, what is staged is
   * discarded. Its `version` and its count of resumes go on.
   *
   * @throws PatchwireError `VALIDATION_FAILED` where it is no checkpoint's id; `STALE_STATE` where messages that it counts
   *   were truncated.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { count: 0 } });
   * const id = await store.createCheckpoint("s-1");
   * store.synced("s-1").increment("/count");
   * await store.restoreCheckpoint(id);
   * console.log((await store.loadState("s-1"))?.customState); // { count: 0 }
   * ```
   */
  async restoreCheckpoint(checkpointId: string, options: WriteOptions = {}): Promise<void> {
    this.#change(sessionOf(checkpointId), options, (session, rooms) => {
      const row = rooms.checkpoints.require(session, checkpointId);
      rooms.messages.requireEra(session, Number(row["messages"]), Number(row["era"]));
      rooms.messages.truncate(session, Number(row["messages"]));
      rooms.staging.delete(session);
      restoreCustom(session.custom, this.#goTo(session, session, rooms, row), this.#options);
    });
  }

  /**
   * Begins another session as the one of a checkpoint was then. Its messages are copied.
   *
   * @throws PatchwireError as {@link restoreCheckpoint}; `CONFLICT` where there is a session with the new id.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { count: 0 } });
   * await store.branchFromCheckpoint(await store.createCheckpoint("s-1"), "s-2");
   * store.synced("s-2").increment("/count");
   * console.log((await store.loadState("s-1"))?.customState, (await store.loadState("s-2"))?.customState); // { count: 0 } { count: 1 }
   * ```
   */
  async branchFromCheckpoint(checkpointId: string, sessionId: string): Promise<void> {
    const from = sessionOf(checkpointId);
    checkId("the session's id", sessionId);
    this.#transaction((rooms) => {
      const origin = rooms.sessions.require(from);
      const row = rooms.checkpoints.require(origin, checkpointId);
      rooms.messages.requireEra(origin, Number(row["messages"]), Number(row["era"]));
      const customState = keptCustom(origin.custom, rooms.checkpoints.kept(origin, row), this.#options);
      const session = this.#create(rooms, sessionId, customState);
      rooms.messages.copy(origin, session, Number(row["messages"]));
      this.#goTo(session, origin, rooms, row);
      session.write(1);
    });
  }

  // Staging

  /**
   * Stages what a call of a tool has written, until its step is promoted or discarded. What the same call staged before is
   * replaced, so a call that is run again is counted once.
   *
   * @throws PatchwireError `INVALID_PATCH` where there are no writes.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { notes: [] } });
   * const writes = { ops: [{ kind: "append", key: "notes", items: ["a"] }] } as const;
   * for (const attempt of [1, 2]) await store.stageChanges("s-1", "step-1", { toolCallId: "call-1", writes });
   * await store.promoteStaging("s-1", "step-1");
   * console.log((await store.loadState("s-1"))?.customState); // { notes: [ 'a' ] }
   * ```
   */
  async stageChanges(sessionId: string, stepId: string, changes: StagedChanges, options: WriteOptions = {}): Promise<void> {
    this.#stage(sessionId, stepId, changes, options);
  }

  /**
   * What is staged for a step, in the order of the calls; `null` where nothing is.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.stageChanges("s-1", "step-1", { toolCallId: "call-1", writes: { ops: [] } });
   * console.log((await store.getStaged("s-1", "step-1"))?.length, await store.getStaged("s-1", "step-2")); // 1 null
   * ```
   */
  async getStaged(sessionId: string, stepId: string): Promise<StagedChanges[] | null> {
    return this.#read(({ sessions, staging }) => {
      const session = sessions.find(sessionId);
      const staged = session === undefined ? [] : staging.read(session, stepId);
      return staged.length === 0 ? null : staged.map(({ changes }) => changes);
    });
  }

  /**
   * Merges what is staged for a step into the custom state, in the order of the calls, as one commit: additions compose, the
   * last of several values stays, and what is lost by that is told with both values.
   *
   * @throws PatchwireError `STALE_STATE` where a call wrote to items by index in a state that has changed since.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { notes: [], title: "" } });
   * for (const [index, text] of ["a", "b"].entries()) {
   *   const ops = [{ kind: "append", key: "notes", items: [text] }, { kind: "replace", key: "title", value: text }] as const;
   *   await store.stageChanges("s-1", "step-1", { toolCallId: `call-${index}`, index, writes: { ops } });
   * }
   * const { conflicts } = await store.promoteStaging("s-1", "step-1");
   * console.log((await store.loadState("s-1"))?.customState); // { notes: [ 'a', 'b' ], title: 'b' }
   * console.log(conflicts); // [ { path: '/title', strategy: 'last', kept: 'b', lost: 'a', keptBy: 1, lostBy: 0 } ]
   * ```
   */
  async promoteStaging(sessionId: string, stepId: string, options: WriteOptions = {}): Promise<void & Promotion> {
    const promotion = this.#change(sessionId, options, (session, { staging }): Promotion => {
      const staged = staging.read(session, stepId);
      const merged = mergeStaged(session.custom, staged, this.#options.strategies);
      change(session.custom, merged.patch);
      staging.discard(session, stepId);
      return promotionOf(merged, staged);
    });
    // Helix's interface promises nothing; here one is told what was lost.
    return promotion as void & Promotion;
  }

  /**
   * Forgets what is staged for a step, or by one of its calls.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * for (const toolCallId of ["call-1", "call-2"]) await store.stageChanges("s-1", "step-1", { toolCallId, writes: { ops: [] } });
   * await store.discardStaging("s-1", "step-1", "call-1");
   * console.log((await store.getStaged("s-1", "step-1"))?.map(({ toolCallId }) => toolCallId)); // [ 'call-2' ]
   * ```
   */
  async discardStaging(sessionId: string, stepId: string, toolCallId?: string, options: WriteOptions = {}): Promise<void> {
    this.#transaction(({ sessions, staging }) => {
      const session = sessions.require(sessionId);
      session.check(options);
      staging.discard(session, stepId, toolCallId);
    });
  }

  /**
   * Ends a step in one transaction: saves the state, merges what is staged for the step, adds messages, and makes a
   * checkpoint of it all. `state.customState` may be the one before the staged writes, or the one that they lead to: they are
   * merged once in any case. Who may have to try again says `expectedVersion`: a second try without it, when nothing is staged
   * any more, saves `state` as it is given and adds the messages once more.
   *
   * @throws PatchwireError {@link StaleStateError} and others as {@link WriteOptions} says; `CONFLICT` where
   *   `state.customState` is neither of the two.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { notes: ["a"] } });
   * const state = (await store.loadState("s-1"))!;
   * await store.stageChanges("s-1", "step-1", { toolCallId: "call-1", writes: { ops: [{ kind: "append", key: "notes", items: ["b"] }] } });
   * const { newVersion } = await store.saveStateAndPromoteStaging(
   *   "s-1", state, [{ role: "assistant", content: "Noted" }], { stepId: "step-1", stepCount: 1, streamSequence: 7 }, { expectedVersion: state.version },
   * );
   * console.log(newVersion, (await store.getLatestCheckpoint("s-1"))?.state.customState); // 2 { notes: [ 'a', 'b' ] }
   * ```
   */
  async saveStateAndPromoteStaging(
    sessionId: string,
    state: UntypedSessionState,
    appendMessages: readonly Message[],
    checkpointMeta: { stepId: string; stepCount: number; streamSequence: number },
    options: WriteOptions = {},
  ): Promise<{ checkpointId: string; newVersion: number } & Promotion> {
    const { stepId, stepCount, streamSequence } = checkObject("the checkpoint's parameters", checkpointMeta) as unknown as typeof checkpointMeta;
    checkCount("the count of steps", stepCount);
    checkCount("the sequence", streamSequence);
    const texts = textsOf(appendMessages);
    if (checkObject("the state", state)["messages"] !== undefined) {
      throw new PatchwireError("VALIDATION_FAILED", "messages are given apart from the state: both would add them twice");
    }
    return this.#change(sessionId, options, (session, rooms, newVersion) => {
      const { custom } = session;
      const staged = rooms.staging.read(session, stepId);
      const merged = mergeStaged(custom, staged, this.#options.strategies);
      if (staged.length > 0 && state.customState !== undefined) requireBase(custom, state.customState, merged.patch);
      else if (state.customState !== undefined) replaceCustom(custom, state.customState);
      change(custom, merged.patch);
      this.#save(session, rooms, { ...state, stepCount });
      rooms.messages.append(session, texts);
      rooms.staging.discard(session, stepId);
      const checkpointId = rooms.checkpoints.create(session, { stepCount, streamSequence });
      return { checkpointId, newVersion, ...promotionOf(merged, staged) };
    });
  }

  /**
   * Runs the calls of a step at once, each from the custom state as it is, and promotes what they have written as one commit
   * when all have ended, as {@link parallel} does. What a call has done is staged as soon as it has ended: where the process
   * ends before the step does, calls that had ended aren't run again by whoever runs the step again, and what they answered
   * is what they answered then. A call that fails leaves nothing.
   *
   * With `promote: false` what they did stays staged, for {@link saveStateAndPromoteStaging} to end the step with.
   *
   * @throws PatchwireError as {@link promoteStaging}.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { notes: [] as string[], spent: 0 } });
   * const { results } = await store.parallel<{ notes: string[]; spent: number }>("s-1", "step-1", [
   *   { toolCallId: "call-1", run: async (tool) => { tool.update((draft) => { draft.notes.push("a"); }); tool.increment("/spent", 2); return "noted"; } },
   *   { toolCallId: "call-2", run: async (tool) => { tool.increment("/spent", 3); } },
   * ]);
   * console.log(results[0], (await store.loadState("s-1"))?.customState);
   * // { status: 'fulfilled', value: 'noted' } { notes: [ 'a' ], spent: 5 }
   * ```
   */
  async parallel<T = any>(
    sessionId: string,
    stepId: string,
    calls: readonly ToolCall<T>[],
    options: ParallelOptions & WriteOptions & { promote?: boolean } = {},
  ): Promise<ParallelResult<readonly unknown[]>> {
    const { promote = true, strategies = this.#options.strategies, expectedVersion, ...rest } = checkObject("the options", options) as typeof options;
    checkCalls(calls);
    const { base, staged } = this.#read(({ sessions, staging }) => {
      const session = sessions.require(sessionId);
      session.check({ ...rest, ...(expectedVersion !== undefined && { expectedVersion }) });
      const { custom } = session;
      return { base: { state: custom.getState(), revision: custom.revision }, staged: staging.read(session, stepId) };
    });
    const results = await runCalls<T>(calls, base.state as Immutable<T>, staged, rest, (changes) => this.#stage(sessionId, stepId, changes, rest, base.revision));
    const settle = (session: Session, { staging }: Rooms): Omit<ParallelResult<[]>, "results"> => {
      const staged = staging.read(session, stepId);
      const { patch, refused, conflicts, warnings } = mergeStaged(session.custom, staged, strategies, base);
      for (const [at, reason] of refused) {
        const { toolCallId } = staged[at]!.changes;
        const call = calls.findIndex((call) => call.toolCallId === toolCallId);
        if (call !== -1) results[call] = { status: "rejected", reason };
        else warnings.push(`a call that was staged before was left out: '${reason.path}' is exclusive`);
        if (toolCallId !== undefined) staging.discard(session, stepId, toolCallId);
      }
      if (promote) {
        change(session.custom, patch);
        staging.discard(session, stepId);
      }
      return { conflicts, warnings };
    };
    if (promote) return { results, ...this.#change(sessionId, rest, settle) };
    return { results, ...this.#transaction((rooms) => settle(rooms.sessions.require(sessionId), rooms)) };
  }

  // Runs

  /**
   * Notes that a run of the session has begun.
   *
   * @throws PatchwireError `CONFLICT` where there is a run with this id.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.createRun("s-1", "run-1", { turn: 1 });
   * console.log((await store.getCurrentRun("s-1"))?.status); // running
   * ```
   */
  async createRun(sessionId: string, runId: string, metadata: RunMetadata, options: WriteOptions = {}): Promise<void> {
    this.#change(sessionId, options, (session, { runs }) => runs.create(session, runId, metadata));
  }

  /**
   * Notes what became of a run.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.createRun("s-1", "run-1", { turn: 1 });
   * await store.updateRunStatus("run-1", "completed", { stepCount: 4, completedAt: 1703123456789 });
   * console.log((await store.getCurrentRun("s-1"))?.stepCount); // 4
   * ```
   */
  async updateRunStatus(runId: string, status: RunStatus, updates: RunStatusUpdate = {}, options: WriteOptions = {}): Promise<void> {
    this.#transaction((rooms) => {
      const session = rooms.sessions.require(rooms.runs.sessionOf(runId));
      this.#write(session, options, () => rooms.runs.update(session, runId, status, updates));
    });
  }

  /**
   * The session's last run; `null` where there was none.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * console.log(await store.getCurrentRun("s-1")); // null
   * ```
   */
  async getCurrentRun(sessionId: string): Promise<RunRecord | null> {
    return this.#read(({ sessions, runs }) => {
      const session = sessions.find(sessionId);
      return (session && runs.read(session, Math.max(0, session.row.runs - 1))[0]) ?? null;
    });
  }

  /**
   * All runs of the session, in their order.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.createRun("s-1", "run-1", { turn: 1 });
   * await store.createRun("s-1", "run-2", { turn: 2 });
   * console.log((await store.listRuns("s-1")).map(({ runId, turn }) => [runId, turn])); // [ [ 'run-1', 1 ], [ 'run-2', 2 ] ]
   * ```
   */
  async listRuns(sessionId: string): Promise<RunRecord[]> {
    return this.#read(({ sessions, runs }) => runs.read(sessions.require(sessionId)));
  }

  #create(rooms: Rooms, sessionId: string, customState: unknown): Session {
    return rooms.sessions.create(sessionId, (number) => this.#opened.create(this.#stateName(number), customState, this.#options));
  }

  /** Makes the members of a session those of a checkpoint, and says what the custom state was. */
  #goTo(session: Session, origin: Session, rooms: Rooms, row: Row): KeptCustom {
    const { details, children, ...custom } = rooms.checkpoints.kept(origin, row);
    session.details = details;
    session.row.status = row["status"] as SessionStatus;
    session.row.steps = Number(row["steps"]);
    rooms.children.replace(session, children);
    return custom;
  }

  /** Saves all of a state but messages and custom state. */
  #save(session: Session, { children }: Rooms, state: UntypedSessionState): void {
    const { sessionId = session.id, status, stepCount, resumeCount, subSessionRefs = [] } = checkObject("the state", state) as UntypedSessionState;
    if (sessionId !== session.id) throw new PatchwireError("VALIDATION_FAILED", "the state is another session's");
    session.details = detailsOf(session.id, state as Record<string, unknown>);
    if (status !== undefined) session.row.status = statusOf(status);
    if (stepCount !== undefined) session.row.steps = checkCount("the count of steps", stepCount);
    if (resumeCount !== undefined) session.row.resumes = Math.max(session.row.resumes, checkCount("the count of resumes", resumeCount));
    const known = children.read(session);
    const news = checkList<SubSessionRef>("the references", subSessionRefs).filter(({ subSessionId }) => !known.some((ref) => ref.subSessionId === subSessionId));
    if (news.length > 0) children.replace(session, [...known, ...news]);
  }

  #setStatus(session: Session, status: unknown, context: { interruptContext?: InterruptContext; error?: string }): void {
    const { interruptContext, error } = checkObject("the context", context) as typeof context;
    session.row.status = statusOf(status);
    if (interruptContext === undefined && error === undefined) return;
    checkDetails({ interruptContext, error });
    session.details = { ...session.details, ...(interruptContext && { interruptContext }), ...(error !== undefined && { error }) };
  }

  #stage(sessionId: string, stepId: string, changes: StagedChanges, options: WriteOptions, revision?: number): void {
    this.#transaction(({ sessions, staging }) => {
      const session = sessions.require(sessionId);
      session.check(options);
      staging.stage(session, stepId, changes, revision);
    });
  }

  /** Changes a session, whose version is one more then. */
  #change<R>(sessionId: string, options: WriteOptions, run: (session: Session, rooms: Rooms, newVersion: number) => R): R {
    return this.#transaction((rooms) => {
      const session = rooms.sessions.require(sessionId);
      return this.#write(session, options, (newVersion) => run(session, rooms, newVersion));
    });
  }

  #write<R>(session: Session, options: WriteOptions, run: (newVersion: number) => R): R {
    session.check(checkObject("the options", options) as WriteOptions);
    const newVersion = session.version + 1;
    const result = run(newVersion);
    session.write(newVersion);
    return result;
  }

  #read<R>(run: (rooms: Rooms) => R): R {
    return this.#made === undefined ? this.#transaction(run) : run(this.#made);
  }

  #transaction<R>(run: (rooms: Rooms) => R): R {
    return this.#storage.transactionSync(() => {
      if (this.#made === undefined) {
        this.#made = new Rooms(this.#storage, this.#name, (number) => this.#opened.get(this.#stateName(number), this.#options), this.#options);
        this.#transactions.witness(this.#witness);
      }
      return run(this.#made);
    });
  }

  /** A transaction has ended in which tables were made: are they there? */
  #look(): void {
    try {
      void this.#made?.sessions.last;
    } catch {
      this.#made = undefined;
    }
  }

  /** All that the storage held was deleted. The custom states close their clients' sockets, those too that nobody has asked for since the object woke. */
  #deleted(): void {
    this.#made = undefined;
    // A state that is made here is told of the deletion next.
    for (const socket of this.#opened.sockets()) this.#stateOf(socket);
  }

  #stateName(number: number | ""): string {
    return `${this.#name}-${number}`;
  }
}
