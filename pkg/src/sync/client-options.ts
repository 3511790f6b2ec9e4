import type { PatchwireError } from "../errors.js";
import type { StateTracker } from "../tracker/tracker.js";
import type { Immutable, JSONPatchOperation, Limits, ValueAt } from "../types.js";

/** `live`: the state is the server's, but for what is on its way. Otherwise it is what was last known. */
export type SyncStatus = "connecting" | "live" | "reconnecting" | "closed";

/** What happened so far. */
export interface SyncStats {
  /** Frames received. */
  frames: number;
  /** Their bytes. */
  bytes: number;
  /** Whole states received. */
  snapshots: number;
  /** How often something was missing and had to be asked for. */
  resyncs: number;
}

/** A patch that arrived and was applied. */
export interface ReceivedPatch {
  /** The commit that it was. */
  revision: number;
  /** Its operations, of the extended dialect. */
  patches: JSONPatchOperation[];
  /** Bytes of the frame. */
  bytes: number;
}

/** The part of a WebSocket that is used. */
export interface ClientSocket {
  send(text: string): void;
  close(): void;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "close", listener: (event: { code: number; reason?: string }) => void): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
}

/** A state as it was at a revision of a session: what a `GET` of a `SyncedState` answers. */
export interface StateSnapshot {
  session: string;
  revision: number;
  state: unknown;
}

/** `ws:`, `wss:`, `http:` or `https:`, as text or as a `URL`; in a browser it may be relative to the page. */
export type Url = string | { readonly href: string };

/** Where to connect, and who wants to know what. */
export interface ConnectOptions {
  /**
   * A url, or a function that is asked for one before each attempt to connect, to have a token in it that hasn't expired. Where that throws
   * or rejects, `onError` is told `CLOSED` with the `cause`, and it is asked again after a pause; so it is where it takes longer than a minute,
   * without a `cause`.
   */
  url: Url | (() => Url | Promise<Url>);
  /**
   * What is known of the state already, because a server rendered a page of it, for example: what a `GET` of the state answered. It is
   * what the client has from the beginning, and the server is asked only for what has changed since.
   */
  snapshot?: StateSnapshot | undefined;
  /** Told of each patch, for developer tools. Patches in a snapshot's place aren't. */
  onPatch?: ((patch: ReceivedPatch) => void) | undefined;
  /**
   * Told when the server refuses something, or sends more than the limits allow (`LIMIT_EXCEEDED`), after which the status is
   * `closed`; of `CLOSED` with the server's reason where it closed the connection for good; of `ENGINE_LOST`; and of
   * `ENGINE_BLOCKED`, which is an uncaught error where nobody wants to be told, and after which the status is `closed`.
   * Told `CLOSED` where the client waits for want of a WebSocket, or can't make one (`cause`), and `NOT_FOUND` where no state has answered
   * after four attempts, or ten seconds after a connection opened; attempts go on. Nothing else tells a url that leads elsewhere, or an object
   * that doesn't pass `webSocketMessage` on. A stream that the server ended (`Session::end` of the
   * crate) is no error: the status is `closed`.
   */
  onError?: ((error: PatchwireError) => void) | undefined;
  /**
   * Whether to connect again after the connection was closed with this code (1006 where there was none) and reason. Without it that
   * is so for all codes but 1002, 1008 and 1009, with which it is never asked.
   */
  shouldReconnect?: ((code: number, reason: string) => boolean) | undefined;
  /**
   * When listeners are told: of each change, which is the default, or `"frame"`: once before the page is drawn, of all changes since
   * then. In a page that isn't visible that is ten times a second.
   */
  notify?: "change" | "frame" | undefined;
  /**
   * Is connected while somebody subscribes to it, and a second longer: a server that renders a page subscribes to nothing, and a
   * component that goes needn't close its client.
   */
  lazy?: boolean | undefined;
  /**
   * What `update` makes changes with: the class of that name, from `patchwire`. Without it the client only reads, and a page needn't
   * download what it would change states with.
   *
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * import { connect } from "patchwire/client";
   * const client = connect<{ draft: string }>({ url: "/session/demo", StateTracker });
   * ```
   */
  StateTracker?: typeof StateTracker | undefined;
  /** The constructor to use where the platform has no `WebSocket` of its own, such as that of the package `ws`. */
  WebSocket?: (new (url: string) => ClientSocket) | undefined;
  /** Bounds on what is accepted. */
  limits?: Limits | undefined;
}

/** Gives a waiting up: an `AbortSignal`, which not every platform's types know. */
export interface Abort {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** See `SyncedClient.subscribe`. */
export interface Subscribe<T = unknown> {
  (listener: () => void): () => void;
  <P extends string, V extends ValueAt<T, P>>(pointer: P, listener: (value: Immutable<V> | undefined) => void): () => void;
  <V>(pointer: string, listener: (value: Immutable<V> | undefined) => void): () => void;
}
