/**
 * State for Durable Objects: each change is committed to the object's SQLite and streamed to whoever listens.
 *
 * @module
 */
import { Audience, type SocketContext } from "./sync/audience.js";
import type { ConnectionEvent, Effect } from "./sync/connections.js";
import { EventStream, closeSocket, type HibernatableSocket } from "./sync/sinks.js";
import { call, hasObjects, isAlive, isLoss, plain, release } from "./bridge/core.js";
import { PatchwireError } from "./errors.js";
import { guard } from "./sync/guard.js";
import type { HttpRequest, HttpResponse } from "./sync/http.js";
import { migrated, StoredVersion, type Migration } from "./sync/migration.js";
import { checkRetention, type Repaired, type Retention } from "./sync/past.js";
import type { Plan } from "./sync/plan.js";
import type { DurableStorage, StateTables } from "./sync/tables.js";
import { checkCount } from "./store/checks.js";
import type { StoreStorage } from "./store/rows.js";
import { stateTables } from "./store/state-tables.js";
import { Meaning } from "./tracker/meaning.js";
import { parallel, type ParallelOptions, type ParallelResult, type ParallelTool } from "./tracker/parallel.js";
import { StateTracker } from "./tracker/tracker.js";
import { Transactions, type Witness } from "./sync/transactions.js";
import type { Draft, Immutable, JSONPatchOperation, Limits, RecipeResult } from "./types.js";
import { StateDocument } from "./values/document.js";
import { diff } from "./values/patches.js";
import type { SessionHandle } from "./wasm/patchwire.js";

export { PatchwireError, type PatchwireErrorCode } from "./errors.js";
export type { DurableStorage, HibernatableSocket, HttpRequest, HttpResponse, Repaired, Retention };
export type { Migration } from "./sync/migration.js";
export type { ParallelContext, ParallelOptions, ParallelResult, ParallelTool } from "./tracker/parallel.js";
export { CHECKPOINT_ID_PREFIX, CHECKPOINT_ID_VERSION, generateCheckpointId, parseCheckpointId, type ParsedCheckpointId } from "./compat/helix/checkpoints.js";
export type { InterruptContext, SessionStatus, SubSessionStatusValue } from "./compat/helix/status.js";
export {
  AgentAlreadyRunningError, AgentNotResumableError, ExecutorSupersededError, FencingTokenMismatchError, StaleStateError, StreamTruncatedError,
} from "./store/errors.js";
export { memoryStorage } from "./store/memory.js";
export { nodeStorage, type NodeDatabase, type NodeStatement } from "./store/node-sqlite.js";
export type { StorePlace } from "./store/opened.js";
export type { StoreStorage, TableStorage } from "./store/rows.js";
export { DurableStateStore, type DurableStateStoreOptions } from "./store/store.js";
export type { ToolCall } from "./store/tool-calls.js";
export type {
  AgentState, AgentStatus, AssistantMessage, Checkpoint, CheckpointMeta, CreateCheckpointParams, CreateSessionOptions, GetMessagesOptions,
  ListCheckpointsOptions, Message, PaginatedCheckpoints, PaginatedMessages, Promotion, RunMetadata, RunRecord, RunStatus, RunStatusUpdate, SessionFields,
  SessionState, SessionStateStore, StagedChanges, StatusChange, SubSessionRef, SuspendedChildWait, SystemMessage, ThinkingContent, ToolCallRequest,
  ToolResultMessage, UntypedSessionState, UserMessage, WriteOptions,
} from "./store/types.js";

/** What of a Durable Object's context is used; `this.ctx` has it. */
export interface DurableContext extends SocketContext {
  storage: StoreStorage;
}

/** Something that logs and metrics should know. `engine_lost`: the core failed, and the state is read from storage again. */
export type SyncedEvent = ConnectionEvent | { type: "commit"; revision: number; bytes: number; rows: number } | { type: "engine_lost" };

/** How a {@link SyncedState} begins, and what it accepts. */
export interface SyncedStateOptions<T> extends Migration<T> {
  /** The state of an object that has none yet. */
  initial: T;
  /**
   * Tells several states of one object from each other: each has tables, sockets and streams of its own. Up to 64
   * letters, digits, `-` and `_`, of which case doesn't matter. The state without a name is one of its own, too.
   */
  name?: string;
  /** How many earlier revisions {@link SyncedState.at} can read. Without it, those of the log and those that are pinned. */
  retention?: Retention;
  /** Told of commits, of clients that needed a snapshot in the place of what they had, and of what was refused. */
  onEvent?: (event: SyncedEvent) => void;
  /** Bounds on what is accepted. */
  limits?: Limits;
}

interface Live<T> {
  session: SessionHandle;
  /** The session's tracker, and what recipes are run with. */
  meaning: Meaning;
  tracker: StateTracker<T>;
}

/** What is done once it is certain that the commit of this revision stays. */
interface Telling {
  revision: number;
  /** What the connections of then are to be sent; those of later are given their places back, which tells them. */
  effects: Effect[];
  /** Whatever else. */
  then(): void;
}

const NAMES = /^[a-z0-9_-]{1,64}$/;

/** The names of each object's states. */
const taken = new WeakMap<DurableContext, Set<string>>();

const accept = (session: SessionHandle): void => session.accept();

/** Whether a session is the stored one as it is stored. A core that dies here has nothing to do with what was committed. */
function knows(known: SessionHandle, session: string | undefined, revision: number): boolean {
  try {
    return isAlive(known) && call(() => known.id() === session && known.revision() === revision);
  } catch (error) {
    if (!isLoss(error)) throw error;
    return false;
  }
}

/** What changes the session's state. */
function track<T>(session: SessionHandle, limits: Limits | undefined): Pick<Live<T>, "meaning" | "tracker"> {
  const meaning = Meaning.ofSession(session, limits ?? {});
  return { meaning, tracker: new StateTracker<T>(meaning as never) };
}

/** The name in lower case, because those of tables have no other; empty for the state that has none. */
function takeName(ctx: DurableContext, given: string | undefined): string {
  const name = given === undefined ? "" : String(given).toLowerCase();
  if (given !== undefined && !NAMES.test(name)) throw new PatchwireError("VALIDATION_FAILED", "the option name is up to 64 letters, digits, - and _");
  const names = taken.get(ctx) ?? new Set();
  if (names.has(name)) throw new PatchwireError("CONFLICT", "another state of this object has this name, or both have none: give each its own in the option name");
  taken.set(ctx, names.add(name));
  return name;
}

/**
 * One state of a Durable Object: kept in its SQLite, changed by recipes, and held live by every client that connects.
 *
 * A change is committed when the method that made it returns, and then broadcast. If the commit fails the method
 * throws, nobody is told anything, and the state is what was committed last.
 *
 * The core is shared by all objects of an isolate. If it fails, whoever made the call that it failed in gets
 * `ENGINE_LOST`, unless that could be done again or was committed already. Every object then goes on from storage, and
 * its connections where they were.
 *
 * In the examples below `ctx` is the Durable Object's, `this.ctx`.
 *
 * @example
 * ```ts
 * import { DurableObject } from "cloudflare:workers";
 * import { SyncedState } from "patchwire/durable-objects";
 *
 * export class Session extends DurableObject {
 *   state = new SyncedState(this.ctx, { initial: { notes: [] as string[] } });
 *   fetch(request: Request) { return this.state.fetch(request); }
 *   webSocketMessage(socket: WebSocket, message: string | ArrayBuffer) { this.state.webSocketMessage(socket, message); }
 *   webSocketClose(socket: WebSocket) { this.state.webSocketClose(socket); }
 *   webSocketError(socket: WebSocket) { this.state.webSocketError(socket); }
 *   addNote(text: string) { this.state.update((draft) => { draft.notes.push(text); }); }
 * }
 * ```
 */
export class SyncedState<T> {
  readonly #ctx: DurableContext;
  readonly #options: SyncedStateOptions<T>;
  readonly #tables: StateTables;
  readonly #audience: Audience;
  readonly #transactions: Transactions;
  readonly #version: StoredVersion;
  readonly #witness: Witness = { ended: (isOutermost) => this.#check(isOutermost), deleted: () => this.#forget() };
  #opened: Live<T> | undefined;
  /** What was committed in a transaction that is still open, and who is to be told of it. */
  #untold: Telling[] = [];

  /**
   * Costs nothing: storage is read when the state is first used. `initial` counts only where there is no state yet.
   *
   * @throws PatchwireError `CLOSED` in a page, which doesn't download what this needs; `CONFLICT` where another state of
   *   the object has the name, or neither has one; `VALIDATION_FAILED` for anything else than a name.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const notes = new SyncedState(ctx, { initial: ["a"], onEvent: (event) => console.log(event.type) });
   * const usage = new SyncedState(ctx, { name: "usage", initial: { tokens: 0 } });
   * notes.update((draft) => draft.push("b"));
   * console.log(notes.getState(), usage.getState(), notes.revision, usage.revision);
   * // commit
   * // [ 'a', 'b' ] { tokens: 0 } 1 0
   * ```
   */
  constructor(ctx: DurableContext, options: SyncedStateOptions<T>) {
    if (!hasObjects) throw new PatchwireError("CLOSED", "a SyncedState needs Workers or Node: pages connect to one, with patchwire/client");
    this.#options = { ...options, limits: plain(options.limits), retention: checkRetention(options.retention) };
    const name = takeName(ctx, options.name);
    this.#ctx = ctx;
    this.#version = new StoredVersion(ctx.storage, name);
    this.#audience = new Audience(ctx, name, (event) => this.#tell(event));
    this.#transactions = Transactions.of(ctx.storage);
    this.#tables = stateTables(ctx.storage, this.#transactions.quietly, name);
  }

  /**
   * The number of the last commit: each change raises it by one; 0 for the initial state.
   *
   * @throws what {@link getState} throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { count: 0 } });
   * state.increment("/count");
   * state.update((draft) => { draft.count = 1; });
   * console.log(state.revision); // 1
   * ```
   */
  get revision(): number {
    return this.#twice(({ session }) => call(() => session.revision()));
  }

  /**
   * The state: plain, frozen, and `===` in every part that hasn't changed. The first call reads storage; then
   * O(containers changed since the last call).
   *
   * @throws what storage throws; PatchwireError `NOT_JSON` where the initial state isn't JSON, `VALIDATION_FAILED` where
   *   the rows have a format of another version, `STREAM_TRUNCATED` where some are missing, `INVALID_JSON` and others
   *   where they are damaged.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { plan: ["search"], done: 0 } });
   * const before = state.getState();
   * state.increment("/done");
   * console.log(state.getState(), state.getState().plan === before.plan); // { plan: [ 'search' ], done: 1 } true
   * ```
   */
  getState(): Immutable<T> {
    return this.#twice(({ tracker }) => tracker.getState());
  }

  /**
   * Runs a recipe on a draft, commits what it did and broadcasts it; nothing of either if it changed nothing.
   *
   * @throws what the recipe throws, what {@link StateTracker.update} throws, and what storage throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { notes: ["a"] } });
   * state.update((draft) => { draft.notes.push("b"); });
   * console.log(state.getState()); // { notes: [ 'a', 'b' ] }
   * try {
   *   state.update((draft) => { draft.notes.push("c"); throw new Error("no"); });
   * } catch {
   *   console.log(state.revision, state.getState()); // 1 { notes: [ 'a', 'b' ] }
   * }
   * ```
   */
  update<R>(recipe: (draft: Draft<T>) => RecipeResult<R>): void {
    this.#change((tracker) => tracker.update(recipe));
  }

  /**
   * Adds to the end of the string at a JSON Pointer. Only the addition is written and sent.
   *
   * @throws what {@link StateTracker.append} throws, and what storage throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { answer: "" } });
   * for (const token of ["Hel", "lo"]) state.append("/answer", token);
   * console.log(state.getState(), state.revision); // { answer: 'Hello' } 2
   * ```
   */
  append(pointer: string, text: string): void {
    this.#change((tracker) => tracker.append(pointer, text));
  }

  /**
   * Adds to the number at a JSON Pointer. Only the difference is written and sent.
   *
   * @throws what {@link StateTracker.increment} throws, and what storage throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { tokens: 100 } });
   * state.increment("/tokens", 42);
   * console.log(state.getState()); // { tokens: 142 }
   * ```
   */
  increment(pointer: string, by = 1): void {
    this.#change((tracker) => tracker.increment(pointer, by));
  }

  /**
   * Applies a patch of either dialect, as operations or as JSON text. All or nothing.
   *
   * @throws what {@link StateTracker.apply} throws, and what storage throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { notes: ["a"] } });
   * state.apply([{ op: "add", path: "/notes/0", value: "b" }]);
   * console.log(state.getState()); // { notes: [ 'b', 'a' ] }
   * ```
   */
  apply(patch: readonly JSONPatchOperation[] | string): void {
    this.#change((tracker) => tracker.apply(patch));
  }

  /**
   * Runs tools at once on the state as it is, and commits what they did, merged in their order, when the last one has ended:
   * see the function `parallel` of `patchwire`, which does it with a tracker.
   *
   * @throws PatchwireError as {@link mergeWrites}, and what storage throws: then nothing has changed.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { notes: [] as string[], spent: 0 } });
   * const { results } = await state.parallel([
   *   async (tool) => { tool.update((draft) => { draft.notes.push("searched"); }); return 3; },
   *   async (tool) => { tool.increment("/spent", 5); return "written"; },
   * ]);
   * console.log(state.getState(), state.revision, results[0].status); // { notes: [ 'searched' ], spent: 5 } 1 fulfilled
   * ```
   */
  parallel<const R extends readonly unknown[]>(tools: { readonly [I in keyof R]: ParallelTool<T, R[I]> }, options?: ParallelOptions): Promise<ParallelResult<R>> {
    return parallel<T, R>(this, tools, options);
  }

  /**
   * The state at an earlier revision, as a document that reads of storage what is looked into. Those since the state was
   * last written as a whole (some hundred changes or more), those that the option `retention` keeps, and pinned ones can
   * be read. Two of them share what they have in common: `diff` reads what differs. Of a revision that isn't kept any
   * more nothing can be read, not by a document from before either.
   *
   * O(the changes between the last whole state before it and the revision).
   *
   * @throws PatchwireError `NOT_FOUND` where the revision isn't kept, or isn't made yet; `VALIDATION_FAILED` where it is no
   *   whole number; what {@link getState} throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { plan: ["search"], done: 0 }, retention: { revisions: 10_000 } });
   * state.update((draft) => { draft.plan.push("write"); });
   * state.increment("/done");
   * console.log(state.at(1).toJSON()); // { plan: [ 'search', 'write' ], done: 0 }
   * console.log(state.at(0).diff(state.at(1))); // [ { op: 'add', path: '/plan/-', value: 'write' } ]
   * ```
   */
  at(revision: number): StateDocument {
    return this.#twice(({ session }) => new StateDocument(call(() => session.at(revision))));
  }

  /**
   * Makes the state what it was at an earlier revision, as one change of what differs: a commit like any other, with a
   * revision of its own, which clients are told.
   *
   * @throws what {@link at} throws, and what storage throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { notes: ["a"], count: 0 } });
   * state.update((draft) => { draft.notes = []; });
   * state.increment("/count");
   * state.restore(0);
   * console.log(state.getState(), state.revision); // { notes: [ 'a' ], count: 0 } 3
   * ```
   */
  restore(revision: number): void {
    this.#with((opened) => {
      const { session, tracker } = opened;
      const [then, now] = [revision, call(() => session.revision())].map((revision) => call(() => session.at(revision)));
      tracker.apply(call(() => now!.diff(then!, undefined, true)));
      release(then!);
      release(now!);
      this.#commit(opened);
    });
  }

  /**
   * Keeps a revision, the present one unless another is given, for as long as it is pinned: {@link at} can read it until
   * it has been unpinned as often. A row is written; what the revision needs stays as it is in storage, and is no copy.
   *
   * @returns the revision.
   * @throws what {@link at} throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { draft: "" } });
   * state.append("/draft", "first");
   * const submitted = state.pin();
   * for (let i = 0; i < 1000; i++) state.append("/draft", ".");
   * console.log(state.at(submitted).get("/draft"), state.pins); // first [ 1 ]
   * ```
   */
  pin(revision = this.revision): number {
    if (revision !== this.revision) this.at(revision).free();
    this.#tables.pin(revision);
    return revision;
  }

  /**
   * Takes one pin of a revision away. What nobody needs then is deleted with the changes that follow, a few rows each.
   *
   * @throws PatchwireError `NOT_FOUND` where it isn't pinned; what {@link getState} throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { draft: "" } });
   * state.unpin(state.pin());
   * console.log(state.pins); // []
   * ```
   */
  unpin(revision: number): void {
    this.#twice(({ session }) => {
      if (!this.#tables.unpin(checkCount("the revision", revision))) throw new PatchwireError("NOT_FOUND", "the revision isn't pinned");
      call(() => session.review());
    });
  }

  /**
   * The revisions that are pinned, ascending.
   *
   * @throws what {@link getState} throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: 0 });
   * state.pin();
   * console.log(state.pins); // [ 0 ]
   * ```
   */
  get pins(): readonly number[] {
    return this.#twice(() => this.#tables.pins());
  }

  /**
   * Mends a state whose rows are damaged, which every other method refuses with an error that names the row. The newest
   * revision that is whole becomes the state, with a number that none of the lost ones had, and as another session, because
   * clients may have seen what is lost: they are sent it whole. What is kept of the revisions before it stays. O(state).
   *
   * @returns what was lost; `undefined` where nothing is damaged.
   * @throws where no revision is whole, what is damaged: then nothing has changed. {@link destroy} begins anew.
   * @example
   * ```ts
   * import { PatchwireError, SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { notes: ["a"] } });
   * try {
   *   state.getState();
   * } catch (error) {
   *   if (!(error instanceof PatchwireError && ["STREAM_TRUNCATED", "VALIDATION_FAILED"].includes(error.code))) throw error;
   *   const { restored, newest, damage } = state.repair()!;
   *   console.error(`${damage.message}: revisions ${restored + 1} to ${newest} are lost`);
   * }
   * console.log(state.repair()); // undefined
   * ```
   */
  repair(): Repaired | undefined {
    this.#forget();
    const repaired = this.#tables.repair();
    if (repaired !== undefined) {
      this.#untold = [];
      this.#once(repaired.revision, [], () => {});
    }
    return repaired;
  }

  /**
   * Answers a request: a WebSocket upgrade, an event stream (`Accept: text/event-stream`), a snapshot
   * `{ session, revision, state }`, or with `?since=revision&session=id` `{ session, revision, frames }`: what came after
   * it, which is a snapshot if the session, or none being given, doesn't say that the revision is one of this state's.
   * `?dialect=extended` sends strings' growth and increments as such to readers of event streams and of frames. Who may
   * read is for the caller to decide before.
   *
   * @throws what {@link getState} throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { answer: "" } });
   * state.append("/answer", "Hi");
   * const get = (query: string) => state.fetch(new Request(`https://session/${query}`));
   * const snapshot = await get("").json<{ session: string; revision: number; state: unknown }>();
   * console.log(snapshot.revision, snapshot.state); // 1 { answer: 'Hi' }
   * const { frames } = await get(`?since=0&session=${snapshot.session}&dialect=extended`).json<{ frames: { chunk: unknown }[] }>();
   * console.log(frames[0]!.chunk);
   * // { type: 'state_patch', patches: [ { op: 'str_ins', path: '/answer', pos: 0, str: 'Hi' } ] }
   * ```
   */
  fetch(request: HttpRequest): HttpResponse {
    const query = new URL(request.url).searchParams;
    if (request.headers.get("Upgrade")?.toLowerCase() === "websocket") return this.#twice(() => this.#connect());
    if (request.method !== "GET") return new Response(null, { status: 405, headers: { Allow: "GET" } });
    if (!request.headers.get("Accept")?.includes("text/event-stream")) return this.#twice((opened) => this.#answer(opened, query));
    return this.#twice(() => this.#stream(request.headers.get("Last-Event-ID") ?? "", query));
  }

  /**
   * To be called from the object's method of the same name, as {@link SyncedState}'s example does: what a client sent.
   * What isn't a frame of the protocol is answered with `fail`.
   */
  webSocketMessage(socket: HibernatableSocket, message: string | ArrayBuffer): void {
    const frame = typeof message === "string" ? message : new TextDecoder().decode(message);
    try {
      this.#twice(() => this.#audience.receive(socket, frame));
    } catch (error) {
      if (!isLoss(error)) throw error;
      // It waits for an answer: this one it understands.
      closeSocket(socket, 1011, "the core failed");
    }
  }

  /** To be called from the object's method of the same name, as {@link SyncedState}'s example does: nothing is sent any more. */
  webSocketClose(socket: HibernatableSocket, ..._: unknown[]): void {
    this.#left(socket);
    closeSocket(socket, 1000, "");
  }

  /** To be called from the object's method of the same name, as {@link SyncedState}'s example does. */
  webSocketError(socket: HibernatableSocket, ..._: unknown[]): void {
    this.webSocketClose(socket);
  }

  /**
   * Deletes the state with its tables. What is next asked for begins anew with the initial state, as another session:
   * connections are closed, and clients that come back notice.
   *
   * @throws what storage throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { count: 0 } });
   * state.increment("/count");
   * state.destroy();
   * console.log(state.getState(), state.revision); // { count: 0 } 0
   * ```
   */
  destroy(): void {
    this.#tables.drop();
    if (this.#options.version !== undefined) this.#version.delete();
    this.#forget();
    this.#untold = [];
    const dismiss = (): void => this.#audience.dismiss("the state was deleted");
    if (this.#transactions.isOpen) this.#once(-1, [], dismiss);
    else dismiss();
  }

  /**
   * Gives back what it holds in memory. What is next asked for is read from storage; connections stay where they are.
   *
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { count: 0 } });
   * state.increment("/count");
   * state.unload();
   * console.log(state.getState()); // { count: 1 }
   * ```
   */
  unload(): void {
    this.#forget();
  }

  #change(run: (tracker: StateTracker<T>) => void): void {
    this.#with((opened) => {
      run(opened.tracker);
      this.#commit(opened);
    });
  }

  /** If the core fails in it, what is next asked for is read from storage. */
  #with<R>(run: (opened: Live<T>) => R): R {
    try {
      return run(this.#open());
    } catch (error) {
      if (isLoss(error) || this.#tables.hasFailed) this.#forget();
      throw error;
    }
  }

  /** Runs what may be done again: if the core fails in it, another one is likely to do it. */
  #twice<R>(run: (opened: Live<T>) => R): R {
    try {
      return this.#with(run);
    } catch (error) {
      if (!isLoss(error)) throw error;
      return this.#with(run);
    }
  }

  #tell(event: SyncedEvent): void {
    guard(() => this.#options.onEvent?.(event));
  }

  #commit(opened: Live<T>): void {
    const { session, meaning } = opened;
    let plan: Plan;
    try {
      plan = meaning.commit(session);
      if (plan.revision === undefined) return;
      this.#tables.write(plan.rows);
    } catch (error) {
      // What was changed can't be kept: the state is what was committed last.
      this.#begin(opened);
      throw error;
    }
    const { revision, bytes, rows } = plan;
    let effects = plan.sent;
    try {
      call(accept, session, undefined);
      // What has been read of the state stands on the version before, which would stay in memory.
      if (rows.some(([statement]) => statement === "putRoot") && !meaning.isSeen) meaning.readAnew(session);
    } catch (error) {
      if (!isLoss(error)) throw error;
      this.#reopen();
      effects = [];
    }
    this.#once(revision, effects, () => this.#tell({ type: "commit", revision, bytes, rows: rows.length }));
  }

  /** Recipes go on from what was committed last; what they have read of it is given back. */
  #begin(opened: Live<T>): void {
    try {
      call(() => opened.session.refuse());
      opened.meaning.close();
      Object.assign(opened, track(opened.session, this.#options.limits));
    } catch {
      this.#forget();
    }
  }

  /** Tells now, or when the transaction has ended that is open. */
  #once(revision: number, effects: Effect[], then: () => void): void {
    this.#untold.push({ revision, effects, then });
    if (this.#transactions.isOpen) this.#transactions.witness(this.#witness);
    else this.#tellAll();
  }

  #tellAll(): void {
    const untold = this.#untold;
    this.#untold = [];
    try {
      if (this.#audience.isSeated) {
        for (const { effects } of untold) this.#audience.carryOut(effects);
      } else if (this.#opened !== undefined || untold.some(({ revision }) => revision > 0)) {
        this.#open();
        this.#audience.seat();
      }
    } catch {
      this.#reopen();
    }
    for (const { then } of untold) then();
  }

  /** A transaction has ended in which something was read or written: was it taken back? */
  #check(isOutermost: boolean): void {
    const { session, revision = -1 } = this.#tables.last();
    const opened = this.#opened;
    if (opened !== undefined && !knows(opened.session, session, revision)) this.#forget();
    this.#untold = this.#untold.filter((telling) => telling.revision <= revision);
    if (isOutermost) guard(() => this.#tellAll());
  }

  /** It is committed, whatever happens here; those who listen are told of it when their connections are restored. */
  #reopen(): void {
    this.#forget();
    try {
      this.#open();
    } catch {
      this.#forget();
    }
  }

  #open(): Live<T> {
    if (this.#opened !== undefined && (!isAlive(this.#opened.session) || this.#tables.hasFailed)) this.#forget();
    return this.#opened ?? this.#read();
  }

  /** Reads the state; one of an earlier version of the application becomes one of this version, or isn't read. */
  #read(): Live<T> {
    const { version } = this.#options;
    if (version === undefined) return this.#readStored();
    try {
      return this.#ctx.storage.transactionSync(() => {
        let isNew = false;
        const opened = this.#readStored(() => (isNew = true));
        const from = isNew ? version : this.#version.read();
        const next = migrated(opened.tracker.getState(), from, this.#options);
        opened.tracker.apply(diff(opened.tracker.getState(), next, { dialect: "extended" }));
        this.#commit(opened);
        if (isNew || from < version) this.#version.write(version);
        return opened;
      });
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  #readStored(isNew?: () => void): Live<T> {
    const { initial, limits, retention = {} } = this.#options;
    const { revisions = NaN, age = NaN, bytes = NaN } = retention;
    const make = (): StateDocument => {
      isNew?.();
      return new StateTracker(initial, limits ? { limits } : {}).document();
    };
    const session = this.#tables.open(make, limits);
    call(() => session.keep(revisions, age, bytes));
    const opened: Live<T> = (this.#opened = { session, ...track<T>(session, limits) });
    this.#audience.meet(session);
    this.#transactions.witness(this.#witness);
    if (!this.#transactions.isOpen) this.#audience.seat();
    return opened;
  }

  #forget(): void {
    const opened = this.#opened;
    if (opened === undefined) return;
    this.#opened = undefined;
    this.#audience.meet(undefined);
    this.#transactions.forget(this.#witness);
    const isLost = !isAlive(opened.session);
    opened.meaning.close();
    release(opened.session);
    if (isLost) this.#tell({ type: "engine_lost" });
  }

  /** A socket or a stream has ended. */
  #left(member: HibernatableSocket | EventStream): void {
    try {
      this.#audience.leave(member);
    } catch (error) {
      if (!isLoss(error)) throw error;
      this.#forget();
    }
  }

  #connect(): Response {
    return new Response(null, { status: 101, webSocket: this.#audience.connect() } as ResponseInit);
  }

  #stream(last: string, query: URLSearchParams): Response {
    const stream = new EventStream((stream) => this.#left(stream));
    const begin = (): void => {
      if (stream.hasEnded) return;
      this.#open();
      this.#audience.listen(stream, last, query.get("dialect") === "extended");
    };
    this.#once(0, [], begin);
    return new Response(stream.body as BodyInit, { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" } });
  }

  #answer({ session }: Live<T>, query: URLSearchParams): Response {
    try {
      const since = query.get("since");
      const known = query.get("session") ?? undefined;
      const isExtended = query.get("dialect") === "extended";
      const content =
        since === null
          ? `"state":${call(() => session.text())}`
          : `"frames":${call(() => session.frames_since(known, since === "" ? NaN : Number(since), isExtended))}`;
      const [id, revision] = call(() => [session.id(), session.revision()] as const);
      const body = `{"session":${JSON.stringify(id)},"revision":${revision},${content}}`;
      return new Response(body, { headers: { "Content-Type": "application/json", "Cache-Control": "no-store" } });
    } catch (error) {
      if (!(error instanceof PatchwireError) || isLoss(error) || this.#tables.hasFailed) throw error;
      return Response.json({ error: { code: error.code, message: error.message } }, { status: 400 });
    }
  }
}
