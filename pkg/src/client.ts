/**
 * The client: holds the state of a `SyncedState` live, in a browser or anywhere else with WebSockets.
 *
 * @module
 */
import { checkFlag, checkFunction, checkKnown, checkOneOf, refusal } from "./bridge/checks.js";
import { PatchwireError } from "./errors.js";
import { PlainCopy } from "./state/edits.js";
import { memberOf, namesIn } from "./json/pointer.js";
import type { Abort, ClientSocket, ConnectOptions, StateSnapshot, Subscribe, SyncStats, SyncStatus } from "./sync/client-options.js";
import { Changes } from "./sync/changes.js";
import { guard } from "./sync/guard.js";
import { resolve } from "./sync/link.js";
import type { StateTracker } from "./tracker/tracker.js";
import { Protocol, sessionOf, type ProtocolEvents } from "./sync/protocol.js";
import type { Draft, Immutable, RecipeResult, ValueAt } from "./types.js";

export { ready } from "./bridge/client-core.js";
export { PatchwireError, type PatchwireErrorCode } from "./errors.js";
export type { Abort, ClientSocket, ConnectOptions, ReceivedPatch, StateSnapshot, Subscribe, SyncStats, SyncStatus, Url } from "./sync/client-options.js";
export type { Immutable, JSONPatchOperation, Limits, ValueAt } from "./types.js";

const OPTIONS = [
  "url", "snapshot", "onPatch", "onError", "shouldReconnect", "notify", "lazy", "StateTracker", "WebSocket", "limits",
] as const satisfies readonly (keyof ConnectOptions)[];

/** A page that isn't visible isn't drawn: listeners that are told once a frame are told after so many milliseconds there. */
const UNDRAWN = 100;

/** A lazy client to whose state nobody subscribes stays connected for so many milliseconds: components are often made anew. */
const LINGERING = 1_000;

/**
 * Connects to a `SyncedState` and stays connected until {@link SyncedClient.close}. In a page the url may be relative:
 * `"/session/demo"`.
 *
 * A module that a page runs may also be run by a server that renders the page. Where there is no page, a client with a
 * relative url, or without a WebSocket, waits: its status is `connecting` for good, and it costs nothing. With the option `snapshot` it
 * has a state all the same (docs/react.md).
 *
 * @throws TypeError if the url isn't a valid URL, if its protocol isn't ws, wss, http or https, or if a page has no WebSocket.
 *   PatchwireError `VALIDATION_FAILED` if there is no url, for an unknown option, for one that isn't the function, the number or the
 *   name that it should be, and for a snapshot that is none; `LIMIT_EXCEEDED` if that is over a limit.
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
  readonly #protocol: Protocol;
  readonly #listeners = new Set<() => void>();
  #copy: PlainCopy | undefined;
  /** What it wants changed, if it may. */
  readonly #changes: Changes | undefined;
  readonly #first: unknown;
  /** Whether it has something that listeners are told of when it is complete, or stays away. */
  #hasNews = false;
  #scheduled = false;
  /** Connects it, where it isn't connected because nobody has subscribed. */
  #starter: (() => void) | undefined;
  #leaving: ReturnType<typeof setTimeout> | undefined;

  /** {@link connect} makes clients. */
  constructor(options: ConnectOptions) {
    this.#options = options;
    const url = typeof options?.url === "function" ? null : resolve(options?.url);
    checkKnown("option", options, OPTIONS);
    for (const name of ["onPatch", "onError", "shouldReconnect", "StateTracker", "WebSocket"] as const) checkFunction(`the option ${name}`, options[name]);
    checkOneOf("the option notify", options.notify ?? "change", ["change", "frame"]);
    checkFlag("the option lazy", options.lazy ?? false);
    const WebSocket = options.WebSocket ?? (globalThis.WebSocket as (new (url: string) => ClientSocket) | undefined);
    const text = snapshotText(options.snapshot);
    const protocol = (this.#protocol = new Protocol(options, WebSocket, this.#events()));
    if (options.StateTracker !== undefined) this.#changes = this.#changesBy(options.StateTracker, protocol);
    if (text !== undefined) {
      this.#copy = new PlainCopy(JSON.parse(text));
      this.#first = this.#copy.publish();
    }
    if (WebSocket === undefined) {
      const why = "there is no WebSocket here: pass one as `WebSocket`";
      if (globalThis.location !== undefined) throw new TypeError(why);
      if (url !== undefined) queueMicrotask(() => guard(() => options.onError?.(new PatchwireError("CLOSED", why))));
    } else if (url !== undefined) {
      this.#starter = () => this.#protocol.start(text);
      if (options.lazy !== true) this.#begin();
    }
  }

  /**
   * The state as far as it is known, with what {@link SyncedClient.update} changes of it: plain, frozen, and `===` in every part that
   * hasn't changed; `undefined` until the first one has arrived. O(containers changed since the last call).
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
  getState = (): Immutable<T> | undefined => (this.#changes?.isPending === true ? this.#changes.state : this.#copy?.publish()) as Immutable<T> | undefined;

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
    return this.#protocol.status;
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
    return this.#protocol.revision;
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
    return this.#protocol.session;
  }

  /**
   * Waits until the state has a commit, such as the one that an action made: for an optimistic view that is to stay until the real one is
   * there. What the action answered says which (`SyncedState.session` and `revision`).
   *
   * @param options.session the session of the revision; without it, the one that the state has then. Where the state goes on as another
   *   session than that, which never has the commit, the waiting has an end as well.
   * @param options.signal gives up: `AbortSignal.timeout(5_000)`.
   * @throws PatchwireError `CLOSED` where the client is closed, or is closed before; `VALIDATION_FAILED` for what is no revision; the signal's reason.
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
    if (!isOne) return Promise.reject(refusal("a revision is a whole number from 0 on, such as SyncedState.revision"));
    const first = this.#protocol.session;
    const isThere = (): boolean => {
      const now = this.#protocol.session;
      if (now === undefined) return false;
      const wanted = session === undefined ? (first ?? now) : sessionOf(session);
      return now === wanted ? this.#protocol.revision >= revision : now !== first || this.#protocol.past.has(wanted);
    };
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (isThere()) end(resolve);
        else if (this.#protocol.status === "closed") end(() => reject(new PatchwireError("CLOSED", "the client was closed before the revision was there")));
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
   * Changes the server's state, where the server lets the client (the option `clientWrites` of its `SyncedState`). The change is shown at
   * once, by {@link SyncedClient.getState} and to listeners, who are told before this returns. The recipe runs again on each state that comes before the server has answered,
   * so that it is meant as it is written: `draft.todos.find((todo) => todo.id === id)` finds the item wherever it is by then. Where others
   * have changed the same, the server isn't asked to make what was meant for another state: the recipe is run again on what there is, and
   * sent again. A recipe that changes nothing by then is done.
   *
   * What is changed while there is no connection is sent when there is one. What had been sent when the connection ended may have been
   * made or not: it is refused with `CLOSED`, and taken back; the state that comes says which.
   *
   * @returns the revision that has the change, once the state is of that, or of a later one. Where it isn't made it is taken back, and
   *   the promise rejects; `onError` is told as well, so nobody has to wait for it.
   * @throws PatchwireError, at once: what the recipe throws, and what `StateTracker.update` throws; `NOT_FOUND` while there is no state;
   *   `CLOSED` once the client is closed; `VALIDATION_FAILED` where `connect` wasn't given `StateTracker`. Rejects with `FORBIDDEN_PATH`
   *   where the client may not change that, with the path; with `VALIDATION_FAILED` where the server doesn't accept the state that it would
   *   lead to, and with `LIMIT_EXCEEDED`; with `CONFLICT` where the server couldn't make it, or others kept changing the same; with `CLOSED`;
   *   and with what the recipe throws on a later state.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * import { connect } from "patchwire/client";
   * const client = connect<{ notes: { text: string }[] }>({ url: "wss://example.com/session/demo", StateTracker });
   * await client.whenRevision(1);
   * const revision = await client.update((draft) => { draft.notes.push({ text: "of mine" }); });
   * console.log(revision, client.getState()?.notes.at(-1)?.text); // 2 of mine
   * ```
   */
  update<R>(recipe: (draft: Draft<T>) => RecipeResult<R>): Promise<number> {
    if (this.#changes === undefined) throw refusal("a client that changes the state is given what it changes it with: connect({ url, StateTracker }), which patchwire exports");
    if (this.#protocol.status === "closed") throw new PatchwireError("CLOSED", "the client is closed");
    if (this.#copy === undefined) throw new PatchwireError("NOT_FOUND", "there is no state yet that could be changed: wait for whenRevision(0)");
    const changed = this.#changes.add(recipe);
    // `onError` is told.
    changed.catch(() => {});
    this.#begin();
    this.#leave();
    // At once: what somebody types would be put back to what it was, if it were shown a moment later (React's controlled inputs).
    this.#tell();
    return changed;
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
    return { ...this.#protocol.stats };
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
    if (typeof (typeof first === "string" ? second : first) !== "function") throw refusal("a listener is a function");
    if (typeof first !== "string" && second !== undefined) throw refusal('a listener comes after its pointer: subscribe("/notes", listener)');
    const listener = typeof first === "string" ? this.#at(first, second!) : () => first();
    this.#listeners.add(listener);
    clearTimeout(this.#leaving);
    this.#begin();
    return () => {
      if (this.#listeners.delete(listener)) this.#leave();
    };
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
    if (this.#starter === undefined) this.#protocol.reconnect();
    else this.#begin();
    this.#leave();
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
    clearTimeout(this.#leaving);
    this.#protocol.close();
  }

  #begin(): void {
    const start = this.#starter;
    this.#starter = undefined;
    start?.();
  }

  /** Disconnects a little later, if that is wanted and nobody listens by then. */
  #leave(): void {
    if (this.#options.lazy !== true || this.#listeners.size > 0 || this.status === "closed") return;
    clearTimeout(this.#leaving);
    this.#leaving = setTimeout(() => {
      if (this.#changes?.isPending === true) return this.#leave();
      this.#starter = () => this.#protocol.reconnect();
      this.#protocol.rest();
    }, LINGERING);
  }

  #events(): ProtocolEvents {
    return {
      snapshot: (state) => {
        this.#copy = new PlainCopy(state, this.#copy);
        this.#hasNews = true;
      },
      edits: (edits, bytes) => {
        this.#copy!.edit(edits, bytes);
        this.#hasNews = true;
      },
      patch: (patches, bytes) => guard(() => this.#options.onPatch!({ revision: this.revision, patches, bytes })),
      status: () => {
        if (this.#protocol.status === "closed") this.#changes?.end(new PatchwireError("CLOSED", "the client was closed before the server answered"));
        this.#notify();
      },
      written: (revision) => this.#changes?.written(revision),
      refused: (error) => this.#changes?.refused(error),
      settled: (isComplete) => {
        if (this.#hasNews && isComplete) this.#notify();
        if (isComplete) this.#changes?.flush();
      },
    };
  }

  #changesBy(Tracker: typeof StateTracker, protocol: Protocol): Changes {
    const copy = (): unknown => this.#copy?.publish();
    return new Changes(Tracker, this.#options.limits, {
      get state() {
        return copy();
      },
      get revision() {
        return protocol.revision;
      },
      get isLive() {
        return protocol.status === "live";
      },
      send: (patch, insists) => protocol.write(patch, insists),
      changed: () => this.#notify(),
      refused: (error) => guard(() => this.#options.onError?.(error as PatchwireError)),
    });
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
  throw refusal("the option snapshot is what a GET of the state answers: { session, revision, state }");
}
