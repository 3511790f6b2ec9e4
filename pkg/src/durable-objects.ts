/**
 * State for Durable Objects: each change is committed to the object's SQLite and streamed to whoever listens.
 *
 * @module
 */
import { Connections, EventStream, SocketSink, type ConnectionEvent, type HibernatableSocket } from "./sync/connections.js";
import { call, core, hasObjects, isAlive, isLoss, passTexts, plain, release } from "./bridge/core.js";
import { StateDocument } from "./values/document.js";
import { PatchwireError } from "./errors.js";
import { guard } from "./sync/guard.js";
import type { HttpRequest, HttpResponse } from "./sync/http.js";
import { Tables, type DurableStorage, type Row } from "./sync/tables.js";
import { StateTracker } from "./tracker/tracker.js";
import type { Draft, Immutable, JSONPatchOperation, Limits, RecipeResult, WriteCursor } from "./types.js";
import type { StoreHandle } from "./wasm/patchwire.js";

export { PatchwireError, type PatchwireErrorCode } from "./errors.js";
export type { DurableStorage, HibernatableSocket, HttpRequest, HttpResponse };

/** What of a Durable Object's context is used; `this.ctx` has it. */
export interface DurableContext {
  storage: DurableStorage;
  acceptWebSocket(socket: HibernatableSocket, tags?: string[]): void;
  getWebSockets(tag?: string): HibernatableSocket[];
  getWebSocketAutoResponse(): unknown;
  setWebSocketAutoResponse(pair?: unknown): void;
}

/** Something that logs and metrics should know. `engine_lost`: the core failed, and the state is read from storage again. */
export type SyncedEvent = ConnectionEvent | { type: "commit"; revision: number; bytes: number; rows: number } | { type: "engine_lost" };

/** How a {@link SyncedState} begins, and what it accepts. */
export interface SyncedStateOptions<T> {
  /** The state of an object that has none yet. */
  initial: T;
  /** Told of commits, of clients that needed a snapshot in the place of what they had, and of what was refused. */
  onEvent?: (event: SyncedEvent) => void;
  /** Bounds on what is accepted. */
  limits?: Limits;
}

interface Opened<T> {
  store: StoreHandle;
  tracker: StateTracker<T>;
  /** What was changed since the last commit. */
  changes: WriteCursor;
  connections: Connections;
  /** The numbers of this object's sockets and event streams. */
  numbers: WeakMap<HibernatableSocket | EventStream, number>;
}

declare const WebSocketPair: new () => { 0: HibernatableSocket; 1: HibernatableSocket };
declare const WebSocketRequestResponsePair: new (request: string, response: string) => object;

/** So that sockets of other makers in the same object are left alone. */
const TAG = "patchwire";

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
  readonly #tables: Tables;
  /** Event streams outlive the core's memory, as sockets do. */
  readonly #streams = new Set<EventStream>();
  #opened: Opened<T> | undefined;

  /**
   * Costs nothing: storage is read when the state is first used. `initial` counts only where there is no state yet.
   *
   * @throws PatchwireError `CLOSED` in a page, which doesn't download what this needs.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * new SyncedState(ctx, { initial: { notes: ["a"] } }).update((draft) => draft.notes.push("b"));
   * const state = new SyncedState(ctx, { initial: { notes: ["new"] }, onEvent: (event) => console.log(event.type) });
   * console.log(state.getState()); // { notes: [ 'a', 'b' ] }
   * state.update((draft) => draft.notes.pop());
   * console.log(state.revision);
   * // commit
   * // 2
   * ```
   */
  constructor(ctx: DurableContext, options: SyncedStateOptions<T>) {
    if (!hasObjects) throw new PatchwireError("CLOSED", "a SyncedState needs Workers or Node: pages connect to one, with patchwire/client");
    this.#ctx = ctx;
    this.#options = { ...options, limits: plain(options.limits) };
    this.#tables = new Tables(ctx.storage);
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
    return this.#twice(({ store }) => call(() => store.revision()));
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
   * Answers a request: a WebSocket upgrade, an event stream (`Accept: text/event-stream`), a snapshot
   * `{ session, revision, state }`, or with `?since=revision` `{ session, revision, frames }`: what came after it.
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
   * const snapshot = await get("").json<{ revision: number; state: unknown }>();
   * console.log(snapshot.revision, snapshot.state); // 1 { answer: 'Hi' }
   * const { frames } = await get("?since=0&dialect=extended").json<{ frames: { chunk: unknown }[] }>();
   * console.log(frames[0]!.chunk);
   * // { type: 'state_patch', patches: [ { op: 'str_ins', path: '/answer', pos: 0, str: 'Hi' } ] }
   * ```
   */
  fetch(request: HttpRequest): HttpResponse {
    const query = new URL(request.url).searchParams;
    if (request.headers.get("Upgrade")?.toLowerCase() === "websocket") return this.#twice((opened) => this.#connect(opened));
    if (request.method !== "GET") return new Response(null, { status: 405, headers: { Allow: "GET" } });
    if (!request.headers.get("Accept")?.includes("text/event-stream")) return this.#twice((opened) => this.#answer(opened, query));
    return this.#twice((opened) => this.#stream(opened, request.headers.get("Last-Event-ID") ?? "", query));
  }

  /**
   * To be called from the object's method of the same name, as {@link SyncedState}'s example does: what a client sent.
   * What isn't a frame of the protocol is answered with `fail`.
   */
  webSocketMessage(socket: HibernatableSocket, message: string | ArrayBuffer): void {
    const frame = typeof message === "string" ? message : new TextDecoder().decode(message);
    try {
      this.#twice(({ connections, numbers }) => {
        const connection = numbers.get(socket);
        if (connection !== undefined) connections.receive(connection, frame);
      });
    } catch (error) {
      if (!isLoss(error)) throw error;
      // It waits for an answer: this one it understands.
      new SocketSink(socket).close(1011, "the core failed");
    }
  }

  /** To be called from the object's method of the same name, as {@link SyncedState}'s example does: nothing is sent any more. */
  webSocketClose(socket: HibernatableSocket, ..._: unknown[]): void {
    this.#left(socket);
    new SocketSink(socket).close(1000, "");
  }

  /** To be called from the object's method of the same name, as {@link SyncedState}'s example does. */
  webSocketError(socket: HibernatableSocket, ..._: unknown[]): void {
    this.webSocketClose(socket);
  }

  #change(run: (tracker: StateTracker<T>) => void): void {
    this.#with((opened) => {
      run(opened.tracker);
      const commit = this.#commit(opened);
      if (commit !== undefined) this.#tell(commit);
    });
  }

  /** If the core fails in it, what is next asked for is read from storage. */
  #with<R>(run: (opened: Opened<T>) => R): R {
    try {
      return run(this.#open());
    } catch (error) {
      if (isLoss(error)) this.#forget();
      throw error;
    }
  }

  /** The same for what may be done again: with another core it is likely to work. */
  #twice<R>(run: (opened: Opened<T>) => R): R {
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

  #commit({ store, tracker, changes, connections }: Opened<T>): SyncedEvent | undefined {
    let [patch, standard, revision, bytes, rows] = ["[]", "", 0, 0, [] as Row[]];
    try {
      patch = changes.patchText({ dialect: "extended" });
      if (patch === "[]") return undefined;
      if (call(() => connections.server.wants_standard())) standard = changes.patchText();
      const document = tracker.document();
      const [arena, length] = passTexts(patch);
      bytes = length!;
      rows = call(() => store.plan(arena, length!, document.handle));
      document.free();
      revision = call(() => store.revision()) + 1;
      this.#tables.write(rows);
    } catch (error) {
      // The tracker is ahead of storage: what is next asked for is read from there.
      this.#forget();
      throw error;
    }
    try {
      call(() => store.accept());
      changes.advance();
      connections.committed(patch, standard);
    } catch (error) {
      if (!isLoss(error)) throw error;
      this.#reopen();
    }
    return { type: "commit", revision, bytes, rows: rows.length };
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

  #open(): Opened<T> {
    if (this.#opened !== undefined && !isAlive(this.#opened.store)) this.#forget();
    return this.#opened ?? this.#read();
  }

  #read(): Opened<T> {
    const { initial, limits } = this.#options;
    const store = this.#tables.open(() => new StateTracker(initial, limits ? { limits } : {}).document(), limits);
    const document = new StateDocument(call(() => store.take_document()));
    const tracker = new StateTracker<T>(document, { arrayDeltaMode: "precise", ...(limits && { limits }) });
    document.free();
    const connections = new Connections(store, limits, () => tracker.document(), (event) => this.#tell(event));
    const numbers: Opened<T>["numbers"] = new WeakMap();
    const opened = (this.#opened = { store, tracker, changes: tracker.cursor(), connections, numbers });
    for (const socket of this.#ctx.getWebSockets(TAG)) numbers.set(socket, connections.restore(new SocketSink(socket)));
    for (const stream of this.#streams) numbers.set(stream, connections.restore(stream));
    // Answered while the object sleeps: a ping wakes nobody.
    if (this.#ctx.getWebSocketAutoResponse() === null) {
      const [ping, pong] = call(() => [core().ServerHandle.ping(), core().ServerHandle.pong()] as const);
      this.#ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(ping, pong));
    }
    return opened;
  }

  #forget(): void {
    const opened = this.#opened;
    if (opened === undefined) return;
    this.#opened = undefined;
    const isLost = !isAlive(opened.store);
    opened.connections.free();
    release(opened.store);
    if (isLost) this.#tell({ type: "engine_lost" });
  }

  /** A socket or a stream has ended. */
  #left(sink: HibernatableSocket | EventStream): void {
    const connection = this.#opened?.numbers.get(sink);
    try {
      if (connection !== undefined) this.#opened!.connections.closed(connection);
    } catch (error) {
      if (!isLoss(error)) throw error;
      this.#forget();
    }
  }

  #connect({ connections, numbers }: Opened<T>): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    numbers.set(server, connections.open(new SocketSink(server)));
    this.#ctx.acceptWebSocket(server, [TAG]);
    return new Response(null, { status: 101, webSocket: client } as ResponseInit);
  }

  #stream({ connections, numbers }: Opened<T>, last: string, query: URLSearchParams): Response {
    const stream = new EventStream((stream) => {
      this.#streams.delete(stream);
      this.#left(stream);
    });
    numbers.set(stream, connections.resume(stream, last, query.get("dialect") === "extended"));
    if (!stream.hasEnded) this.#streams.add(stream);
    return new Response(stream.body as BodyInit, { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" } });
  }

  #answer({ store, tracker, connections }: Opened<T>, query: URLSearchParams): Response {
    const document = tracker.document();
    try {
      const since = query.get("since");
      const extended = query.get("dialect") === "extended";
      const known = query.get("session") ?? undefined;
      const content =
        since === null
          ? `"state":${call(() => document.handle.text())}`
          : `"frames":${call(() => connections.server.frames_since(known, since === "" ? NaN : Number(since), extended, document.handle))}`;
      const [session, revision] = call(() => [store.session(), store.revision()] as const);
      const body = `{"session":${JSON.stringify(session)},"revision":${revision},${content}}`;
      return new Response(body, { headers: { "Content-Type": "application/json", "Cache-Control": "no-store" } });
    } catch (error) {
      if (!(error instanceof PatchwireError) || isLoss(error)) throw error;
      return Response.json({ error: { code: error.code, message: error.message } }, { status: 400 });
    } finally {
      document.free();
    }
  }
}
