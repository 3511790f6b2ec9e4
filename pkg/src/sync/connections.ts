import { EFFECT } from "../bridge/boundary.js";
import { call, isAlive, passTexts } from "../bridge/core.js";
import type { SessionHandle } from "../wasm/patchwire.js";
import type { Sink } from "./sinks.js";

/** What the server's end tells besides frames. */
export type ConnectionEvent =
  | { type: "resync"; reason: string; connections: number }
  | { type: "refusal"; code: string; message: string; connections: number };

/** Connections, by their numbers. */
type Connected = ArrayLike<number> & Iterable<number>;

/** What the core wants done (src/wasm/session.rs). */
export type Effect =
  | [kind: typeof EFFECT.SEND, to: Connected, frame: string]
  | [kind: typeof EFFECT.CLOSE, connection: number, code: number, reason: string]
  | [kind: typeof EFFECT.ATTACH, to: Connected, text: string]
  | [kind: typeof EFFECT.RESYNC, to: Connected, reason: string]
  | [kind: typeof EFFECT.REFUSAL, to: Connected, code: string, message: string];

/** Moves bytes between sinks and the server's end of the protocol, which is the session's. */
export class Connections {
  private readonly sinks = new Map<number, Sink>();
  /** Whom the last frame went to, and their sinks. The core gives the same list, `===`, until other connections are meant. */
  private told: Connected | undefined = undefined;
  private listening: Sink[] = [];

  constructor(
    private readonly session: SessionHandle,
    private readonly onEvent: (event: ConnectionEvent) => void,
  ) {}

  open(sink: Sink): number {
    const connection = call(() => this.session.open());
    this.sinks.set(connection, sink);
    this.told = undefined;
    return connection;
  }

  /** Gives a connection that outlived the memory its place back. */
  restore(sink: Sink): number {
    const connection = this.open(sink);
    this.carryOut(call(() => this.session.restore(connection, sink.attached())), true);
    return connection;
  }

  /** Begins an event stream, where an earlier one ended if the attachment says where that was. */
  resume(sink: Sink, attachment: string, extended: boolean): number {
    const connection = this.open(sink);
    this.carryOut(call(() => this.session.resume(connection, attachment, extended)), true);
    return connection;
  }

  receive(connection: number, frame: string): void {
    const isOversized = frame.length > call(() => this.session.frame_limit);
    if (isOversized) return this.carryOut(call(() => this.session.oversized(connection)), true);
    const [arena, length] = passTexts(frame);
    this.carryOut(call(() => this.session.receive(connection, arena, length)), true);
  }

  closed(connection: number): void {
    this.forget(connection);
    if (isAlive(this.session)) call(() => this.session.closed(connection));
  }

  /** `isAnswer` says that a client has asked for it, and not a commit. */
  carryOut(effects: Effect[], isAnswer = false): void {
    for (const effect of effects) {
      switch (effect[0]) {
        case EFFECT.SEND:
          this.send(effect[1], effect[2]);
          break;
        case EFFECT.CLOSE:
          this.sinks.get(effect[1])?.close(effect[2], effect[3]);
          this.forget(effect[1]);
          break;
        case EFFECT.ATTACH:
          for (const sink of this.sinksOf(effect[1])) sink.attach(effect[2], !isAnswer);
          break;
        case EFFECT.RESYNC:
          this.onEvent({ type: "resync", reason: effect[2], connections: effect[1].length });
          break;
        case EFFECT.REFUSAL:
          this.onEvent({ type: "refusal", code: effect[2], message: effect[3], connections: effect[1].length });
      }
    }
  }

  private send(to: Connected, frame: string): void {
    const sinks = this.sinksOf(to);
    for (let i = 0; i < sinks.length; i++) {
      try {
        sinks[i]!.send(frame);
      } catch {
        // It is closing, or its reader is too slow. It lacks this frame: it has to come back and ask for it.
        this.lost(sinks[i]!);
      }
    }
  }

  private sinksOf(to: Connected): Sink[] {
    if (this.told !== to) {
      this.told = to;
      this.listening = [];
      for (const connection of to) {
        const sink = this.sinks.get(connection);
        if (sink !== undefined) this.listening.push(sink);
      }
    }
    return this.listening;
  }

  private lost(sink: Sink): void {
    for (const [connection, other] of this.sinks) if (other === sink) this.closed(connection);
    sink.close(1011, "a frame couldn't be sent");
  }

  private forget(connection: number): void {
    this.sinks.delete(connection);
    this.told = undefined;
  }
}
