import { CLIENT_EFFECT } from "../bridge/boundary.js";
import { call, core, isAlive, passTexts, release } from "../bridge/client-core.js";
import { isBlocked, isLoss } from "../bridge/engine.js";
import { bounds } from "../bridge/limits.js";
import { PatchwireError, type PatchwireErrorCode } from "../errors.js";
import type { PlainEdit } from "../state/edits.js";
import type { JSONPatchOperation } from "../types.js";
import type { ClientHandle } from "../wasm/client.js";
import type { ClientSocket, ConnectOptions, SyncStats, SyncStatus } from "./client-options.js";
import { guard } from "./guard.js";
import { Link } from "./link.js";

/** What may mean that the network has changed, or that the machine has slept. */
const CHANGES = ["online", "offline", "pageshow", "visibilitychange", "resume"];

/** How long a client waits, in milliseconds, whose core failed twice in a row. */
const REST = 1_000;

/** How many earlier sessions of its state a client remembers. */
const PAST = 16;

/** What the core wants done (src/wasm/client.rs). */
type Effect =
  | [kind: typeof CLIENT_EFFECT.CONNECT, connection: number]
  | [kind: typeof CLIENT_EFFECT.SEND, frame: string]
  | [kind: typeof CLIENT_EFFECT.DISCONNECT, connection: number]
  | [kind: typeof CLIENT_EFFECT.SNAPSHOT, state: unknown]
  | [kind: typeof CLIENT_EFFECT.EDITS, edits: PlainEdit[], patch?: JSONPatchOperation[]]
  | [kind: typeof CLIENT_EFFECT.STATUS, status: SyncStatus]
  | [kind: typeof CLIENT_EFFECT.FAIL, code: PatchwireErrorCode, message: string]
  | [kind: typeof CLIENT_EFFECT.WRITTEN, revision: number]
  | [kind: typeof CLIENT_EFFECT.REFUSED, code: PatchwireErrorCode, message: string, path?: string];

/** What a protocol tells of the state that it keeps. */
export interface ProtocolEvents {
  snapshot(state: unknown): void;
  /** `bytes` is how long the frame was. */
  edits(edits: PlainEdit[], bytes: number): void;
  /** The patch that those edits were, for who wants to be told of patches: after all that came with it, such as that it was this client's. */
  patch(patch: JSONPatchOperation[], bytes: number): void;
  status(): void;
  /** What was sent is in the state, in the commit of this revision. */
  written(revision: number): void;
  /** What was sent isn't made; or, with `CLOSED`, nobody knows. */
  refused(error: PatchwireError): void;
  /** All that came together was told; `isComplete` says that nothing of it is still to come. */
  settled(isComplete: boolean): void;
}

/** The session of an id, which has a view's number after a `~` where not all of the state is shown (`session_seen_by` in src/sync/server/mod.rs). */
export const sessionOf = (id: string): string => id.replace(/~[\da-f]{16}$/, "");

/**
 * A client's end of the protocol: it asks the core what to do (src/sync/client/), carries that out, and wakes it in time. If the core
 * fails, it begins again with another one, which asks the server for everything.
 */
export class Protocol {
  status: SyncStatus = "connecting";
  /** The last commit in the state; 0 while there is none. */
  revision = 0;
  /** The session of the state, and those that it belonged to before, which never come back. */
  session: string | undefined;
  readonly past = new Set<string>();
  stats: SyncStats = { frames: 0, bytes: 0, snapshots: 0, resyncs: 0 };
  /** What earlier cores had counted. */
  #counted = this.stats;
  /** How often a core failed in this client's hands. */
  #losses = 0;
  readonly #bounds: Float64Array;
  /** None where a client waits, and where the core is blocked. */
  #handle: ClientHandle | undefined;
  /** None where there is no WebSocket. */
  readonly #link: Link | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wakeAt: number | undefined;
  /** Bytes of the frame that was received last. */
  #frameBytes = 0;

  constructor(
    private readonly options: ConnectOptions,
    WebSocket: (new (url: string) => ClientSocket) | undefined,
    private readonly events: ProtocolEvents,
  ) {
    this.#bounds = bounds(options.limits);
    if (WebSocket !== undefined) this.#link = this.#linkTo(WebSocket);
    if (options.snapshot === undefined) return;
    this.revision = options.snapshot.revision;
    this.session = sessionOf(options.snapshot.session);
  }

  /** Connects; `text` is that of the state of the option `snapshot`. */
  start(text: string | undefined): void {
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

  /** Connects anew, at once, if it has been started. */
  reconnect(): void {
    if (this.#handle !== undefined) this.#carryOut(this.#ask((handle) => handle.reconnect(now())));
  }

  /** Disconnects until it is to connect anew. */
  rest(): void {
    if (this.#handle !== undefined) this.#carryOut(this.#ask((handle) => handle.rest(now())));
  }

  /** Sends a change of the state that it has; false where it can't now. */
  write(patch: string, insists: boolean): boolean {
    const effects = this.#ask((handle) => {
      const [arena, length] = passTexts(patch);
      return handle.write(arena, length, insists);
    });
    this.#carryOut(effects);
    return effects.length > 0;
  }

  /** Disconnects for good. */
  close(): void {
    if (this.#handle !== undefined) this.#carryOut(this.#ask((handle) => handle.stop()));
    this.#say("closed");
  }

  #hurry = (): void => {
    if (globalThis.document?.visibilityState !== "hidden") this.#carryOut(this.#ask((handle) => handle.hurry(now())));
  };

  #made(): ClientHandle {
    const seed = Math.floor(Math.random() * 2 ** 52);
    return call(() => new (core().ClientHandle)(this.#bounds, this.options.onPatch !== undefined, seed));
  }

  /** Gives the core the snapshot's state, to which patches will come. */
  #give(handle: ClientHandle, text: string): void {
    const { session, revision } = this.options.snapshot!;
    try {
      const [arena, length] = passTexts(text);
      if (call(() => handle.begin_with(session, revision, arena, length))) return;
      call(() => handle.free());
    } catch (error) {
      // The next core asks for everything.
      if (isLoss(error)) return;
      throw error;
    }
    throw new PatchwireError("LIMIT_EXCEEDED", "the option snapshot is over one of the option limits");
  }

  #refuse(error: PatchwireError): void {
    if (this.options.onError === undefined) throw error;
    this.options.onError(error);
  }

  #say(status: SyncStatus): void {
    if (this.status === status) return;
    this.status = status;
    if (status === "closed") this.#release();
    this.events.status();
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
    // It was closed, and this comes late.
    if (this.#handle === undefined) return [];
    try {
      return this.#askOnce(question);
    } catch (error) {
      if (!isLoss(error)) throw error;
      this.#losses++;
      // Before anybody is told, who may close the client.
      if (isAgain) this.#wakeAt = now() + REST;
      guard(() => this.options.onError?.(error as PatchwireError));
      return isAgain ? [] : this.#ask(question, true);
    }
  }

  #askOnce(question: (handle: ClientHandle) => string): Effect[] {
    if (!isAlive(this.#handle!)) this.#beginAgain();
    const handle = this.#handle!;
    return call(() => {
      const effects = JSON.parse(question(handle)) as Effect[];
      if (effects.some(([kind]) => kind === CLIENT_EFFECT.SNAPSHOT || kind === CLIENT_EFFECT.EDITS)) this.revision = handle.revision();
      if (effects.some(([kind]) => kind === CLIENT_EFFECT.SNAPSHOT)) this.#belongsTo(handle.session());
      const [frames, bytes, snapshots, resyncs] = handle.stats() as unknown as [number, number, number, number];
      const counted = this.#counted;
      this.#frameBytes = counted.bytes + bytes - this.stats.bytes;
      this.stats = {
        frames: counted.frames + frames,
        bytes: counted.bytes + bytes,
        snapshots: counted.snapshots + snapshots,
        resyncs: counted.resyncs + resyncs,
      };
      this.#wakeAt = handle.wake_at();
      return effects;
    });
  }

  #belongsTo(id: string | undefined): void {
    const session = id && sessionOf(id);
    if (this.session !== undefined && this.session !== session) this.past.add(this.session);
    if (this.past.size > PAST) this.past.delete(this.past.values().next().value!);
    this.session = session;
  }

  #beginAgain(): void {
    this.#link!.close();
    const handle = this.#made();
    this.#counted = this.stats;
    if (this.status !== "closed") {
      call(() => handle.start_after(this.#losses, now()));
      this.#say(this.session === undefined ? "connecting" : "reconnecting");
    }
    this.#handle = handle;
    this.events.refused(new PatchwireError("CLOSED", "the core failed before the server answered: the change may have been made, or not"));
  }

  #carryOut(effects: Effect[]): void {
    const { events } = this;
    const refusals: PatchwireError[] = [];
    const patches: JSONPatchOperation[][] = [];
    // What is written while this is told asks the core anew.
    const bytes = this.#frameBytes;
    for (const effect of effects) {
      switch (effect[0]) {
        case CLIENT_EFFECT.CONNECT:
          // Who was told of a patch may have closed the client.
          if (this.status !== "closed") this.#link!.open(effect[1]);
          break;
        case CLIENT_EFFECT.SEND:
          this.#link!.send(effect[1]);
          break;
        case CLIENT_EFFECT.DISCONNECT:
          this.#link!.close();
          break;
        case CLIENT_EFFECT.SNAPSHOT:
          events.snapshot(effect[1]);
          break;
        case CLIENT_EFFECT.EDITS:
          events.edits(effect[1], bytes);
          if (effect[2] !== undefined) patches.push(effect[2]);
          break;
        case CLIENT_EFFECT.STATUS:
          this.#say(effect[1]);
          break;
        case CLIENT_EFFECT.WRITTEN:
          events.written(effect[1]);
          break;
        case CLIENT_EFFECT.REFUSED:
          events.refused(new PatchwireError(effect[1], effect[2], effect[3] === undefined ? {} : { path: effect[3] }));
          break;
        case CLIENT_EFFECT.FAIL:
          refusals.push(new PatchwireError(effect[1], effect[2]));
      }
    }
    for (const patch of patches) events.patch(patch, bytes);
    // What somebody lacked comes in many frames, and isn't the state before the last of them.
    events.settled(this.status === "live" || this.#link?.isThere !== true);
    this.#setTimer();
    // At last: who is told may close the client, or have it connect anew.
    for (const refusal of refusals) guard(() => this.options.onError?.(refusal));
  }

  #linkTo(WebSocket: new (url: string) => ClientSocket): Link {
    return new Link(this.options.url, WebSocket, {
      opened: (connection) => this.#carryOut(this.#ask((handle) => handle.opened(connection, now()))),
      received: (connection, frame) => this.#received(connection, frame),
      closed: (connection, code, reason) => this.#closed(connection, code, reason),
      asks: (connection) => {
        this.#ask((handle) => (handle.asks_url(connection, now()), "[]"));
        this.#setTimer();
      },
      asked: (connection) => {
        this.#ask((handle) => (handle.has_url(connection, now()), "[]"));
        this.#setTimer();
      },
      failed: (reason, cause) => guard(() => this.options.onError?.(new PatchwireError("CLOSED", reason, {}, { cause }))),
      waits: () => {
        this.#ask((handle) => handle.stop());
        this.#setTimer();
      },
    });
  }

  #received(connection: number, frame: string): void {
    const effects = this.#ask((handle) => {
      const [arena, length] = passTexts(frame);
      return handle.received(connection, arena, length, now());
    });
    this.#carryOut(effects);
  }

  #closed(connection: number, code: number, reason: string): void {
    const effects = this.#ask((handle) => handle.closed(connection, code, now()));
    // The core knows which codes are final. Who is told something may close the client, too.
    let isFinal = effects.some((effect) => effect[0] === CLIENT_EFFECT.STATUS && effect[1] === "closed");
    this.#carryOut(effects);
    if (this.status !== "closed") guard(() => (isFinal = this.options.shouldReconnect?.(code, reason) === false && this.status !== "closed"));
    if (!isFinal) return;
    if (this.status !== "closed") this.#carryOut(this.#ask((handle) => handle.stop()));
    guard(() => this.options.onError?.(new PatchwireError("CLOSED", reason || `the server closed the connection for good (${code})`)));
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    const at = this.#wakeAt;
    if (at === undefined) return;
    this.#timer = setTimeout(() => this.#carryOut(this.#ask((handle) => handle.tick(now()))), Math.max(0, at - now()));
  }
}

function now(): number {
  return performance.now();
}
