import type { InterruptContext, SessionStatus } from "../../compat/helix/status.js";
import type { PatchwireError } from "../../errors.js";
import { checkCount, checkId, checkList, checkObject, checkOptions } from "../../bridge/checks.js";
import { replaceCustom } from "../custom.js";
import { ExecutorSupersededError } from "../errors.js";
import { textsOf } from "../messages.js";
import { detailsOf, statusOf } from "../sessions.js";
import { STORED, type StoredSessions } from "../stored-sessions.js";
import type { AgentStatus, CreateSessionOptions, SessionState, StatusChange, UntypedSessionState, WriteOptions } from "../types.js";

/** What is done with sessions as a whole. */
export class SessionOperations {
  readonly #stored: StoredSessions;

  constructor(stored: StoredSessions) {
    this.#stored = stored;
  }

  protected get [STORED](): StoredSessions {
    return this.#stored;
  }

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
    const { status = "active", stepCount = 0, customState = {} } = checkObject("the options", options, "are an object");
    checkId("the session's id", sessionId);
    // Before there is a custom state, which would be remembered though it is taken back.
    const details = detailsOf(sessionId, options as Record<string, unknown>);
    const counts = { status: statusOf(status), steps: checkCount("the count of steps", stepCount) };
    this[STORED].transaction(({ sessions }) => {
      const session = sessions.create(sessionId, customState);
      session.details = details;
      Object.assign(session.row, counts);
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
    return this[STORED].read(({ sessions }) => sessions.find(sessionId) !== undefined);
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
    const number = this[STORED].transaction((rooms) => {
      const session = rooms.sessions.find(sessionId);
      if (session === undefined) return undefined;
      session.check(options);
      rooms.delete(session);
      session.custom.discard();
      return session.number;
    });
    if (number !== undefined) this[STORED].forget(number);
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
    return this[STORED].transaction((rooms) => rooms.repair());
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
    return this[STORED].read((rooms) => {
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
    this[STORED].change(sessionId, options, (session, rooms) => {
      rooms.save(session, state);
      if (state.messages !== undefined) rooms.messages.replace(session, textsOf(state.messages));
      if (state.customState !== undefined) replaceCustom(session.custom, state.customState);
    });
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
  async updateStatus(sessionId: string, status: AgentStatus | SessionStatus, context: { interruptContext?: InterruptContext | undefined } & WriteOptions = {}): Promise<void> {
    this[STORED].change(sessionId, context, (session) => session.setStatus(statusOf(status), context), "interruptContext", "error");
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
    expectedStatuses: readonly (AgentStatus | SessionStatus)[],
    newStatus: AgentStatus | SessionStatus,
    options: { interruptContext?: InterruptContext | undefined; error?: string | undefined } & WriteOptions = {},
  ): Promise<StatusChange> {
    const { expectedVersion, fencingToken, ...context } = checkOptions(options, ["expectedVersion", "fencingToken", "interruptContext", "error"]);
    const expected = checkList("the expected statuses", expectedStatuses).map(statusOf);
    if (expectedVersion !== undefined) checkCount("the expected version", expectedVersion);
    return this[STORED].transaction(({ sessions }): StatusChange => {
      const session = sessions.require(sessionId);
      const { row, version } = session;
      if (fencingToken !== undefined && checkCount("the fencing token", fencingToken) < row.fence) throw new ExecutorSupersededError(sessionId);
      const isExpected = expected.includes(row.status) && (expectedVersion ?? version) === version;
      if (!isExpected) return { ok: false, currentStatus: row.status, currentVersion: version };
      row.fence = fencingToken ?? row.fence;
      session.setStatus(statusOf(newStatus), context);
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
    return this[STORED].change(sessionId, options, ({ row }) => (row.steps = checkCount("the count of steps", row.steps + 1)));
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
    return this[STORED].change(sessionId, options, ({ row }) => (row.resumes = checkCount("the count of resumes", row.resumes + 1)));
  }
}
