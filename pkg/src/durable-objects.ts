/**
 * State for Durable Objects: each change is committed to the object's SQLite and streamed to whoever listens.
 *
 * @module
 */
import { Connections, EventStream, SocketSink, type ConnectionEvent, type HibernatableSocket } from "./connections.js";
import { call, core, passTexts } from "./core.js";
import { StateDocument } from "./document.js";
import { PatchwireError } from "./errors.js";
import { guard } from "./guard.js";
import { Tables, type DurableStorage, type Row } from "./tables.js";
import { StateTracker } from "./tracker.js";
import type { Draft, Immutable, JSONPatchOperation, Limits, WriteCursor } from "./types.js";
import type { StoreHandle } from "./wasm/patchwire.js";

export { PatchwireError, type PatchwireErrorCode } from "./errors.js";
export type { DurableStorage, HibernatableSocket };

/** What of a Durable Object's context is used; `this.ctx` has it. */
export interface DurableContext {
  storage: DurableStorage;
  acceptWebSocket(socket: HibernatableSocket, tags?: string[]): void;
  getWebSockets(tag?: string): HibernatableSocket[];
  getWebSocketAutoResponse(): unknown;
  setWebSocketAutoResponse(pair?: unknown): void;
}

/** Something that logs and metrics should know. */
export type SyncedEvent = ConnectionEvent | { type: "commit"; revision: number; bytes: number; rows: number };

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
  /** The numbers of this object's sockets. */
  sockets: WeakMap<HibernatableSocket, number>;
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
 * @example
 * ```typescript
 * import { DurableObject } from "cloudflare:workers";
 * import { SyncedState } from "patchwire/durable-objects";
 *
 * export class Session extends DurableObject {
 *   state = new SyncedState(this.ctx, { initial: { notes: [] as string[] } });
 *   fetch(request: Request) { return this.state.fetch(request); }
 *   webSocketMessage(socket: WebSocket, message: string | ArrayBuffer) { this.state.webSocketMessage(socket, message); }
 *   webSocketClose(socket: WebSocket) { this.state.webSocketClose(socket); }
 *   addNote(text: string) { this.state.update((draft) => { draft.notes.push(text); }); }
 * }
 * ```
 */
export class SyncedState<T> {
  readonly #ctx: DurableContext;
  readonly #options: SyncedStateOptions<T>;
  readonly #tables: Tables;
  #opened: Opened<T> | undefined;

  /** Costs nothing: storage is read when the state is first used. */
  constructor(ctx: DurableContext, options: SyncedStateOptions<T>) {
    this.#ctx = ctx;
    this.#options = options;
    this.#tables = new Tables(ctx.storage);
  }

  /** The number of the last commit: each change raises it by one. */
  get revision(): number {
    return this.#open().store.revision();
  }

  /** The state: plain, frozen, and `===` in every part that hasn't changed. */
  getState(): Immutable<T> {
    return this.#open().tracker.getState();
  }

  /**
   * Runs a recipe on a draft, commits what it did and broadcasts it; nothing of either if it changed nothing.
   *
   * @throws what the recipe throws, what {@link StateTracker.update} throws, and what storage throws.
   */
  update(recipe: (draft: Draft<T>) => void): Immutable<T> {
    return this.#change((tracker) => tracker.update(recipe));
  }

  /** Adds to the end of the string at a JSON Pointer. Only the addition is written and sent. */
  append(pointer: string, text: string): void {
    this.#change((tracker) => tracker.append(pointer, text));
  }

  /** Adds to the number at a JSON Pointer. */
  increment(pointer: string, by = 1): void {
    this.#change((tracker) => tracker.increment(pointer, by));
  }

  /** Applies a patch of either dialect. All or nothing. */
  apply(patch: readonly JSONPatchOperation[] | string): Immutable<T> {
    return this.#change((tracker) => tracker.apply(patch));
  }

  /**
   * Answers a request: a WebSocket upgrade, an event stream (`Accept: text/event-stream`), a snapshot
   * `{ session, revision, state }`, or with `?since=revision` `{ session, revision, frames }`: what came after it.
   * `?dialect=extended` sends strings' growth and increments as such to readers of the last two.
   */
  fetch(request: Request): Response {
    if (request.headers.get("Upgrade")?.toLowerCase() === "websocket") return this.#connect();
    if (request.method !== "GET") return new Response(null, { status: 405, headers: { Allow: "GET" } });
    if (request.headers.get("Accept")?.includes("text/event-stream")) return this.#stream(request);
    return this.#answer(new URL(request.url).searchParams);
  }

  /** To be called from the object's method of the same name. */
  webSocketMessage(socket: HibernatableSocket, message: string | ArrayBuffer): void {
    const { connections, sockets } = this.#open();
    const connection = sockets.get(socket);
    if (connection === undefined) return;
    connections.receive(connection, typeof message === "string" ? message : new TextDecoder().decode(message));
  }

  /** To be called from the object's method of the same name. */
  webSocketClose(socket: HibernatableSocket, ..._: unknown[]): void {
    const connection = this.#opened?.sockets.get(socket);
    if (connection !== undefined) this.#opened!.connections.closed(connection);
    new SocketSink(socket).close(1000, "");
  }

  /** To be called from the object's method of the same name. */
  webSocketError(socket: HibernatableSocket, ..._: unknown[]): void {
    this.webSocketClose(socket);
  }

  #change<R>(run: (tracker: StateTracker<T>) => R): R {
    const opened = this.#open();
    const result = run(opened.tracker);
    const commit = this.#commit(opened);
    if (commit !== undefined) this.#tell(commit);
    return result;
  }

  #tell(event: SyncedEvent): void {
    guard(() => this.#options.onEvent?.(event));
  }

  #commit({ store, tracker, changes, connections }: Opened<T>): SyncedEvent | undefined {
    let [patch, standard, bytes, rows] = ["[]", "", 0, [] as Row[]];
    try {
      patch = changes.patchText({ dialect: "extended" });
      if (patch === "[]") return undefined;
      if (connections.server.wants_standard()) standard = changes.patchText();
      const document = tracker.document();
      const [arena, length] = passTexts(patch);
      bytes = length!;
      rows = call(() => store.plan(arena, length!, document.handle));
      document.free();
      this.#tables.write(rows);
    } catch (error) {
      // The tracker is ahead of storage: what is next asked for is read from there.
      this.#forget();
      throw error;
    }
    store.accept();
    changes.advance();
    connections.committed(patch, standard);
    return { type: "commit", revision: store.revision(), bytes, rows: rows.length };
  }

  #open(): Opened<T> {
    if (this.#opened !== undefined) return this.#opened;
    const { initial, limits } = this.#options;
    const store = this.#tables.open(() => new StateTracker(initial, limits ? { limits } : {}).document(), limits);
    const document = new StateDocument(store.take_document());
    const tracker = new StateTracker<T>(document, { arrayDeltaMode: "precise", ...(limits && { limits }) });
    document.free();
    const connections = new Connections(store, limits, () => tracker.document(), (event) => this.#tell(event));
    const sockets = new WeakMap<HibernatableSocket, number>();
    this.#opened = { store, tracker, changes: tracker.cursor(), connections, sockets };
    for (const socket of this.#ctx.getWebSockets(TAG)) {
      sockets.set(socket, connections.restore(new SocketSink(socket), String(socket.deserializeAttachment() ?? "")));
    }
    // Answered while the object sleeps: a ping wakes nobody.
    if (this.#ctx.getWebSocketAutoResponse() === null) {
      const { ServerHandle } = core();
      this.#ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(ServerHandle.ping(), ServerHandle.pong()));
    }
    return this.#opened;
  }

  #forget(): void {
    const opened = this.#opened;
    this.#opened = undefined;
    opened?.connections.free();
    opened?.store.free();
  }

  #connect(): Response {
    const { connections, sockets } = this.#open();
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server, [TAG]);
    sockets.set(server, connections.open(new SocketSink(server)));
    return new Response(null, { status: 101, webSocket: client } as ResponseInit);
  }

  #stream(request: Request): Response {
    const opened = this.#open();
    const extended = new URL(request.url).searchParams.get("dialect") === "extended";
    const stream = new EventStream(() => {
      if (this.#opened === opened) opened.connections.closed(connection);
    });
    const connection = opened.connections.resume(stream, request.headers.get("Last-Event-ID") ?? "", extended);
    return new Response(stream.body, { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" } });
  }

  #answer(query: URLSearchParams): Response {
    const { store, tracker, connections } = this.#open();
    const document = tracker.document();
    try {
      const since = query.get("since");
      const extended = query.get("dialect") === "extended";
      const session = query.get("session") ?? undefined;
      const content =
        since === null
          ? `"state":${document.handle.text()}`
          : `"frames":${call(() => connections.server.frames_since(session, since === "" ? NaN : Number(since), extended, document.handle))}`;
      const body = `{"session":${JSON.stringify(store.session())},"revision":${store.revision()},${content}}`;
      return new Response(body, { headers: { "Content-Type": "application/json", "Cache-Control": "no-store" } });
    } catch (error) {
      if (!(error instanceof PatchwireError)) throw error;
      return Response.json({ error: { code: error.code, message: error.message } }, { status: 400 });
    } finally {
      document.free();
    }
  }
}
