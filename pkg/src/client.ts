/**
 * The client: holds the state of a `SyncedState` live, in a browser or anywhere else with WebSockets.
 *
 * @module
 */
import { call, core, isAlive, passTexts, release } from "./bridge/client-core.js";
import { isBlocked, isLoss } from "./bridge/engine.js";
import { PatchwireError, type PatchwireErrorCode } from "./errors.js";
import type { Abort, ClientSocket, ConnectOptions, StateSnapshot, Subscribe, SyncStats, SyncStatus } from "./sync/client.js";
import { guard } from "./sync/guard.js";
import { Link, resolve } from "./sync/link.js";
import { CLIENT_EFFECT } from "./bridge/boundary.js";
import { bounds } from "./bridge/limits.js";
import { requireFunction, requireKnown, requireOneOf } from "./bridge/options.js";
import type { Immutable, JSONPatchOperation, Limits, ValueAt } from "./types.js";
import { PlainCopy, type ViewEdit } from "./state/edits.js";
import { memberOf, namesIn } from "./state/pointer.js";
import type { ClientHandle } from "./wasm/client.js";

export { ready } from "./bridge/client-core.js";
export { PatchwireError, type PatchwireErrorCode } from "./errors.js";
export type { Abort, ClientSocket, ConnectOptions, ReceivedPatch, StateSnapshot, Subscribe, SyncStats, SyncStatus, Url } from "./sync/client.js";
export type { Immutable, JSONPatchOperation, Limits, ValueAt } from "./types.js";

const OPTIONS = [
  "url", "snapshot", "onPatch", "onError", "shouldReconnect", "notify", "lazy", "WebSocket", "limits",
] as const satisfies readonly (keyof ConnectOptions)[];

/** What may mean that the network has changed, or that the machine has slept. */
const CHANGES = ["online", "offline", "pageshow", "visibilitychange", "resume"];

/** A page that isn't visible isn't drawn: listeners that are told once a frame are told after so many milliseconds there. */
const UNDRAWN = 100;

/** How long a client waits, in milliseconds, whose core failed twice in a row. */
const REST = 1_000;

/** What the core wants done (src/wasm/client.rs). */
type Effect =
  | [kind: typeof CLIENT_EFFECT.CONNECT, connection: number]
  | [kind: typeof CLIENT_EFFECT.SEND, frame: string]
  | [kind: typeof CLIENT_EFFECT.DISCONNECT, connection: number]
  | [kind: typeof CLIENT_EFFECT.SNAPSHOT, state: unknown]
  | [kind: typeof CLIENT_EFFECT.EDITS, edits: ViewEdit[], patch?: JSONPatchOperation[]]
  | [kind: typeof CLIENT_EFFECT.STATUS, status: SyncStatus]
  | [kind: typeof CLIENT_EFFECT.REFUSAL, code: PatchwireErrorCode, message: string];

/**
 * Connects to a `SyncedState` and stays connected until {@link SyncedClient.close}. In a page the url may be relative:
 * `"/session/demo"`.
 *
 * A module that a page runs may also be run by a server that renders the page. Where there is no page, a client with a
 * relative url, or without a WebSocket, waits: its status is `connecting` for good, and it costs nothing. With the option `snapshot` it
 * has a state all the same (docs/react.md).
 *
 * @throws TypeError if the url isn't a valid URL, if its protocol isn't ws, wss, http or https, or if a page has no WebSocket.
 *   PatchwireError `NOT_JSON` if there is no url, or an option isn't one of those that there are; `VALIDATION_FAILED` for an unknown
 *   option, for one that isn't the function that it should be, and for a snapshot that is none; `LIMIT_EXCEEDED` if that is over a limit.
 * @example
 * ```ts
 * import { connect } from "patchwire/client";
 *
 * const client = connect<{ notes: { text: string }[] }>({ url: "wss://example.com/session/demo", onError: console.error });
 * client.subscribe("/notes", (notes) => console.log(notes)); // [ { text: 'plan' } ]
 * ```
 */
export function connect<T>(options: ConnectOptions): SyncedClient<T> {
  return new SyncedClient<T>(options);
}

/**
 * A state that follows the server's. Made by {@link connect}. If the core fails, the client connects again and asks for
 * everything; until that has come, it shows what it last had.
 *
 * @example
 * ```ts
 * import { connect } from "patchwire/client";
 * const client = connect<{ notes: { text: string }[] }>({ url: "wss://example.com/session/demo" });
 * const title = () => client.getState()?.notes[0]?.text ?? `(${client.status})`;
 * console.log(title()); // (connecting)
 * client.subscribe("/notes", () => console.log(title())); // plan
 * ```
 */
export class SyncedClient<T> {
  readonly #options: ConnectOptions;
  /** None where there is no WebSocket. */
  readonly #link: Link | undefined;
  readonly #bounds: Float64Array;
  /** None where a client waits, and where the core is blocked. */
  #handle: ClientHandle | undefined;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #copy: PlainCopy | undefined;
  readonly #first: unknown;
  #status: SyncStatus = "connecting";
  #revision = 0;
  #session: string | undefined;
  /** Those that it belonged to before: they never come back. */
  readonly #past = new Set<string>();
  #stats: SyncStats = { frames: 0, bytes: 0, snapshots: 0, resyncs: 0 };
  /** What earlier cores had counted. */
  #counted = this.#stats;
  /** How often a core failed in this client's hands. */
  #losses = 0;
  #wakeAt: number | undefined;
  /** Whether it has something that listeners are told of when it is complete, or stays away. */
  #hasNews = false;
  /** Bytes of the frame that was received last. */
  #frameBytes = 0;
  #scheduled = false;
  /** Starts it, where it hasn't been started and is to be. */
  #starter: (() => void) | undefined;

  /** {@link connect} makes clients. */
  constructor(options: ConnectOptions) {
    this.#options = options;
    const url = typeof options?.url === "function" ? null : resolve(options?.url);
    requireKnown("option", options, OPTIONS);
    for (const name of ["onPatch", "onError", "shouldReconnect", "WebSocket"] as const) requireFunction(name, options[name]);
    requireOneOf("notify", options.notify ?? "change", ["change", "frame"]);
    requireOneOf("lazy", options.lazy ?? false, [false, true]);
    const WebSocket = options.WebSocket ?? (globalThis.WebSocket as (new (url: string) => ClientSocket) | undefined);
    if (WebSocket !== undefined) this.#link = this.#linkTo(WebSocket);
    this.#bounds = bounds(options.limits);
    const text = snapshotText(options.snapshot);
    if (text !== undefined) {
      this.#copy = new PlainCopy(JSON.parse(text));
      this.#first = this.#copy.publish();
      this.#revision = options.snapshot!.revision;
      this.#session = options.snapshot!.session;
    }
    if (WebSocket === undefined) {
      const why = "there is no WebSocket here: pass one as `WebSocket`";
      if (globalThis.location !== undefined) throw new TypeError(why);
      if (url !== undefined) queueMicrotask(() => guard(() => options.onError?.(new PatchwireError("CLOSED", why))));
    } else if (url !== undefined) {
      this.#starter = () => this.#start(text);
      if (options.lazy !== true) this.#begin();
    }
  }

  /**
   * The state as far as it is known: plain, frozen, and `===` in every part that hasn't changed; `undefined` until the
   * first one has arrived. O(containers changed since the last call).
   *
   * @example
   * ```ts
   * import { connect } from "patchwire/client";
   * const client = connect<{ notes: { text: string }[] }>({ url: "wss://example.com/session/demo" });
   * console.log(client.getState()); // undefined
   * await new Promise<void>((arrived) => client.subscribe(arrived));
   * console.log(client.getState()?.notes); // [ { text: 'plan' } ]
   * ```
   */
  getState = (): Immutable<T> | undefined => this.#copy?.publish() as Immutable<T> | undefined;

  /**
   * The state of the option `snapshot`, if there is one: what a server rendered, and what a page renders first that takes over from it.
   * It may be passed on by itself.
   *
   * @example
   * ```ts
   * import { connect } from "patchwire/client";
   * const snapshot = { session: "a session", revision: 7, state: { notes: [{ text: "plan" }] } };
   * const client = connect<{ notes: { text: string }[] }>({ url: "/session/demo", snapshot });
   * console.log(client.getInitialState()?.notes, client.revision); // [ { text: 'plan' } ] 7
   * console.log(client.getInitialState() === client.getState()); // true
   * ```
   */
  getInitialState = (): Immutable<T> | undefined => this.#first as Immutable<T> | undefined;

  /**
   * How close to the server's state it is; listeners are told when it changes.
   *
   * @example
   * ```ts
   * import { connect } from "patchwire/client";
   * const client = connect({ url: "wss://example.com/session/demo" });
   * console.log(client.status); // connecting
   * client.subscribe(() => {
   *   if (client.status === "live") console.log("nothing is missing"); // nothing is missing
   * });
   * ```
   */
  get status(): SyncStatus {
    return this.#status;
  }

  /**
   * The number of the last commit in the state; 0 while there is none.
   *
   * @example
   * ```ts
   * import { connect } from "patchwire/client";
   * const client = connect({ url: "wss://example.com/session/demo" });
   * console.log(client.revision); // 0
   * client.subscribe("", () => console.log(client.revision)); // 1
   * ```
   */
  get revision(): number {
    return this.#revision;
  }

  /**
   * The session that the state belongs to: revisions of two sessions can't be compared. Undefined while there is no state. It is another
   * one where the server's state was deleted, or put back to an earlier time.
   *
   * @example
   * ```ts
   * import { connect } from "patchwire/client";
   * const snapshot = { session: "a session", revision: 7, state: { notes: [] } };
   * const client = connect({ url: "/session/demo", snapshot });
   * console.log(client.session, client.revision); // a session 7
   * ```
   */
  get session(): string | undefined {
    return this.#session;
  }

  /**
   * Waits until the state has a commit, such as the one that an action made: for an optimistic view that is to stay until the real one is
   * there. What the action answered says which (`SyncedState.session` and `revision`).
   *
   * @param options.session the session of the revision; without it, the one that the state has then. Where the state goes on as another
   *   session than that, which never has the commit, the waiting has an end as well.
   * @param options.signal gives up: `AbortSignal.timeout(5_000)`.
   * @throws PatchwireError `CLOSED` where the client is closed, or is closed before; `NOT_JSON` for what is no revision; the signal's reason.
   * @example
   * ```ts
   * import { connect } from "patchwire/client";
   * const client = connect<{ notes: { text: string }[] }>({ url: "wss://example.com/session/demo" });
   * await client.whenRevision(1);
   * console.log(client.getState()?.notes[0]?.text); // plan
   * ```
   */
  whenRevision(revision: number, { session, signal }: { session?: string | undefined; signal?: Abort | undefined } = {}): Promise<void> {
    const isOne = Number.isSafeInteger(revision) && revision >= 0;
    if (!isOne) return Promise.reject(new PatchwireError("NOT_JSON", "a revision is a whole number from 0 on, such as SyncedState.revision"));
    const first = this.#session;
    const isThere = (): boolean => {
      const now = this.#session;
      if (now === undefined) return false;
      const wanted = session ?? first ?? now;
      return now === wanted ? this.#revision >= revision : now !== first || this.#past.has(wanted);
    };
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (isThere()) end(resolve);
        else if (this.#status === "closed") end(() => reject(new PatchwireError("CLOSED", "the client was closed before the revision was there")));
      };
      const abort = (): void => end(() => reject(signal!.reason as Error));
      const end = (settle: () => void): void => {
        unsubscribe();
        signal?.removeEventListener("abort", abort);
        settle();
      };
      const unsubscribe = this.subscribe(look);
      signal?.addEventListener("abort", abort);
      if (signal?.aborted === true) abort();
      else look();
    });
  }

  /**
   * What happened so far, as a copy: frames and bytes received, snapshots, resynchronisations.
   *
   * @example
   * ```ts
   * import { connect } from "patchwire/client";
   * const client = connect({ url: "wss://example.com/session/demo" });
   * console.log(client.stats); // { frames: 0, bytes: 0, snapshots: 0, resyncs: 0 }
   * client.subscribe("", () => console.log(client.stats.snapshots, client.stats.resyncs)); // 1 0
   * ```
   */
  get stats(): SyncStats {
    return { ...this.#stats };
  }

  /**
   * The value at a JSON Pointer of the state; `undefined` where there is nothing, or no state yet. It is part of what
   * {@link SyncedClient.getState} returns, and has the type that the state has there; where types don't say, give one: `get<number>(…)`.
   * O(containers changed since the last call + length of the pointer).
   *
   * @throws PatchwireError `INVALID_POINTER`.
   * @example
   * ```ts
   * import { connect } from "patchwire/client";
   * const client = connect<{ notes: { text: string }[] }>({ url: "wss://example.com/session/demo" });
   * client.subscribe("", () => console.log(client.get("/notes/0/text"), client.get("/notes/7"))); // plan undefined
   * ```
   */
  get<P extends string, V extends ValueAt<T, P>>(pointer: P): Immutable<V> | undefined;
  get<V>(pointer: string): Immutable<V> | undefined;
  get(pointer: string): unknown {
    return namesIn(pointer).reduce(memberOf, this.getState());
  }

  /**
   * Calls the listener when the state or the status has changed, once for what arrived together, which may leave all as
   * it was. With a JSON Pointer only when the value there is another one (`!==`), with that value; `undefined` where
   * there is nothing. What a listener throws is reported as an uncaught error, and keeps nobody else from hearing.
   *
   * It may be passed on by itself, as {@link SyncedClient.getState} may: to React's `useSyncExternalStore`, for example
   * (docs/react.md).
   *
   * @returns what ends it.
   * @throws PatchwireError `INVALID_POINTER`.
   * @example
   * ```ts
   * import { connect } from "patchwire/client";
   * const client = connect<{ notes: { text: string }[] }>({ url: "wss://example.com/session/demo" });
   * const end = client.subscribe<string>("/notes/0/text", (text) => {
   *   console.log(text); // plan
   *   end();
   * });
   * ```
   */
  subscribe: Subscribe<T> = (first: string | (() => void), second?: (value: never) => void): (() => void) => {
    if (typeof (typeof first === "string" ? second : first) !== "function") throw new TypeError("a listener is a function");
    const listener = typeof first === "string" ? this.#at(first, second!) : () => first();
    this.#listeners.add(listener);
    this.#begin();
    return () => void this.#listeners.delete(listener);
  };

  /**
   * Connects anew, at once: with another token, or because the user asked for it. A client that is closed stays closed.
   *
   * @example
   * ```ts
   * import { connect } from "patchwire/client";
   * let token = "of yesterday";
   * const client = connect({ url: () => `wss://example.com/session/demo?token=${token}` });
   * token = "of today";
   * client.reconnect();
   * await client.whenRevision(1);
   * console.log(client.status); // live
   * ```
   */
  reconnect(): void {
    if (this.#handle === undefined) this.#begin();
    else this.#carryOut(this.#ask((handle) => handle.reconnect(now())));
  }

  /**
   * Disconnects for good. The state stays readable.
   *
   * @example
   * ```ts
   * import { connect } from "patchwire/client";
   * const client = connect<{ count: number }>({ url: "wss://example.com/session/demo" });
   * client.subscribe("", () => {
   *   client.close();
   *   console.log(client.status, client.getState()?.count); // closed 0
   * });
   * ```
   */
  close(): void {
    this.#starter = undefined;
    if (this.#handle !== undefined) this.#carryOut(this.#ask((handle) => handle.stop()));
    this.#say("closed");
  }

  #hurry = (): void => {
    if (globalThis.document?.visibilityState !== "hidden") this.#carryOut(this.#ask((handle) => handle.hurry(now())));
  };

  #begin(): void {
    const start = this.#starter;
    this.#starter = undefined;
    start?.();
  }

  #start(text: string | undefined): void {
    try {
      const handle = this.#made();
      if (text !== undefined) this.#give(handle, text);
      this.#handle = handle;
    } catch (error) {
      if (!isBlocked(error)) throw error;
      this.#say("closed");
      // Later: who is told may want to use what `connect` returns.
      queueMicrotask(() => guard(() => this.#refuse(error as PatchwireError)));
      return;
    }
    for (const change of CHANGES) globalThis.addEventListener?.(change, this.#hurry);
    this.#carryOut(this.#ask((handle) => handle.start(now())));
  }

  #made(): ClientHandle {
    const seed = Math.floor(Math.random() * 2 ** 52);
    return call(() => new (core().ClientHandle)(this.#bounds, this.#options.onPatch !== undefined, seed));
  }

  /** Gives the core the snapshot's state, to which patches will come. */
  #give(handle: ClientHandle, text: string): void {
    const { session, revision } = this.#options.snapshot!;
    try {
      const [arena, length] = passTexts(text);
      if (call(() => handle.begin_with(session, revision, arena, length!))) return;
      call(() => handle.free());
    } catch (error) {
      // The next core asks for everything.
      if (isLoss(error)) return;
      throw error;
    }
    throw new PatchwireError("LIMIT_EXCEEDED", "the option snapshot is over one of the option limits");
  }

  #refuse(error: PatchwireError): void {
    if (this.#options.onError === undefined) throw error;
    this.#options.onError(error);
  }

  #say(status: SyncStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    if (status === "closed") this.#release();
    this.#notify();
  }

  /** Nothing comes any more, and what is shown is JavaScript's: the core's state needn't be kept. */
  #release(): void {
    for (const change of CHANGES) globalThis.removeEventListener?.(change, this.#hurry);
    clearTimeout(this.#timer);
    if (this.#handle !== undefined) release(this.#handle);
    this.#handle = this.#wakeAt = undefined;
  }

  /**
   * What the core wants done. If it fails, another one is asked, to which nothing of this is known. If that fails as well, yet another one
   * begins a little later: something may be wrong with the question.
   */
  #ask(question: (handle: ClientHandle) => string, isAgain = false): Effect[] {
    try {
      return this.#askOnce(question);
    } catch (error) {
      if (!isLoss(error)) throw error;
      this.#losses++;
      guard(() => this.#options.onError?.(error as PatchwireError));
      if (!isAgain) return this.#ask(question, true);
      this.#wakeAt = now() + REST;
      return [];
    }
  }

  #askOnce(question: (handle: ClientHandle) => string): Effect[] {
    if (!isAlive(this.#handle!)) this.#beginAgain();
    const handle = this.#handle!;
    return call(() => {
      const effects = JSON.parse(question(handle)) as Effect[];
      if (effects.some(([kind]) => kind === CLIENT_EFFECT.SNAPSHOT || kind === CLIENT_EFFECT.EDITS)) this.#revision = handle.revision();
      if (effects.some(([kind]) => kind === CLIENT_EFFECT.SNAPSHOT)) this.#belongsTo(handle.session());
      const [frames, bytes, snapshots, resyncs] = handle.stats() as unknown as [number, number, number, number];
      const counted = this.#counted;
      this.#frameBytes = counted.bytes + bytes - this.#stats.bytes;
      this.#stats = {
        frames: counted.frames + frames,
        bytes: counted.bytes + bytes,
        snapshots: counted.snapshots + snapshots,
        resyncs: counted.resyncs + resyncs,
      };
      this.#wakeAt = handle.wake_at();
      return effects;
    });
  }

  #belongsTo(session: string | undefined): void {
    if (this.#session !== undefined && this.#session !== session) this.#past.add(this.#session);
    this.#session = session;
  }

  #beginAgain(): void {
    this.#link!.close();
    const handle = this.#made();
    this.#counted = this.#stats;
    if (this.#status !== "closed") {
      call(() => handle.start_after(this.#losses, now()));
      this.#say(this.#copy === undefined ? "connecting" : "reconnecting");
    }
    this.#handle = handle;
  }

  #at(pointer: string, listener: (value: never) => void): () => void {
    const names = namesIn(pointer);
    const find = (): unknown => names.reduce(memberOf, this.getState());
    let value = find();
    return () => {
      const next = find();
      if (next === value) return;
      value = next;
      listener(next as never);
    };
  }

  #carryOut(effects: Effect[]): void {
    for (const effect of effects) {
      switch (effect[0]) {
        case CLIENT_EFFECT.CONNECT:
          this.#link!.open(effect[1]);
          break;
        case CLIENT_EFFECT.SEND:
          this.#link!.send(effect[1]);
          break;
        case CLIENT_EFFECT.DISCONNECT:
          this.#link!.close();
          break;
        case CLIENT_EFFECT.SNAPSHOT:
          this.#copy = new PlainCopy(effect[1], this.#copy);
          this.#hasNews = true;
          break;
        case CLIENT_EFFECT.EDITS:
          this.#copy!.edit(effect[1], this.#frameBytes);
          if (effect[2] !== undefined) this.#tellPatch(effect[2]);
          this.#hasNews = true;
          break;
        case CLIENT_EFFECT.STATUS:
          this.#say(effect[1]);
          break;
        case CLIENT_EFFECT.REFUSAL:
          guard(() => this.#options.onError?.(new PatchwireError(effect[1], effect[2])));
      }
    }
    // What somebody lacked comes in many frames, and isn't the state before the last of them.
    if (this.#hasNews && (this.#status === "live" || this.#link?.isThere !== true)) this.#notify();
    this.#setTimer();
  }

  #tellPatch(patches: JSONPatchOperation[]): void {
    const received = { revision: this.#revision, patches, bytes: this.#frameBytes };
    guard(() => this.#options.onPatch!(received));
  }

  #linkTo(WebSocket: new (url: string) => ClientSocket): Link {
    return new Link(this.#options.url, WebSocket, {
      opened: (connection) => this.#carryOut(this.#ask((handle) => handle.opened(connection, now()))),
      received: (connection, frame) => this.#received(connection, frame),
      closed: (connection, code, reason) => this.#closed(connection, code, reason),
      asks: (connection, isThere) => {
        this.#ask((handle) => (handle.asks_url(connection, isThere, now()), "[]"));
        this.#setTimer();
      },
      failed: (reason, cause) => guard(() => this.#options.onError?.(new PatchwireError("CLOSED", reason, {}, { cause }))),
      waits: () => {
        this.#ask((handle) => handle.stop());
        this.#setTimer();
      },
    });
  }

  #received(connection: number, frame: string): void {
    const effects = this.#ask((handle) => {
      const [arena, length] = passTexts(frame);
      return handle.received(connection, arena, length!, now());
    });
    this.#carryOut(effects);
  }

  #closed(connection: number, code: number, reason: string): void {
    const before = this.#status;
    this.#carryOut(this.#ask((handle) => handle.closed(connection, code, now())));
    // The core knows which codes are final.
    if (this.#status !== "closed") guard(() => this.#options.shouldReconnect?.(code, reason) === false && this.#carryOut(this.#ask((handle) => handle.stop())));
    if (this.#status !== "closed" || before === "closed") return;
    guard(() => this.#options.onError?.(new PatchwireError("CLOSED", reason || `the server closed the connection for good (${code})`)));
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    const at = this.#wakeAt;
    if (at === undefined) return;
    this.#timer = setTimeout(() => this.#carryOut(this.#ask((handle) => handle.tick(now()))), Math.max(0, at - now()));
  }

  /** What arrives in one turn of the event loop, or between two frames that are drawn, is one change to listeners. */
  #notify(): void {
    this.#hasNews = false;
    if (this.#scheduled) return;
    this.#scheduled = true;
    if (this.#options.notify === "frame") beforeFrame(this.#tell);
    else queueMicrotask(this.#tell);
  }

  #tell = (): void => {
    this.#scheduled = false;
    // One that another one ended isn't called any more.
    for (const listener of [...this.#listeners]) if (this.#listeners.has(listener)) guard(listener);
  };
}

/** Calls it before the page is drawn, or a little later where it isn't. */
function beforeFrame(tell: () => void): void {
  const then = (): void => {
    clearTimeout(timer);
    if (frame !== undefined) cancelAnimationFrame(frame);
    tell();
  };
  const frame = globalThis.requestAnimationFrame?.(then);
  const timer = setTimeout(then, UNDRAWN);
}

function now(): number {
  return performance.now();
}

/** The text of a snapshot's state. */
function snapshotText(snapshot: StateSnapshot | undefined): string | undefined {
  if (snapshot === undefined) return undefined;
  const { session, revision, state } = Object(snapshot) as Partial<StateSnapshot>;
  let text: unknown;
  try {
    text = JSON.stringify(state);
  } catch {
    // What has no text is refused below.
  }
  if (typeof text === "string" && typeof session === "string" && Number.isSafeInteger(revision) && revision! >= 0) return text;
  throw new PatchwireError("VALIDATION_FAILED", "the option snapshot is what a GET of the state answers: { session, revision, state }");
}
