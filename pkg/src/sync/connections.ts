import { EFFECT } from "../bridge/boundary.js";
import { call, isAlive, passTexts } from "../bridge/core.js";
import type { SessionHandle } from "../wasm/patchwire.js";
import type { Sink } from "./sinks.js";

/** What the server's end tells besides frames. */
export type ConnectionEvent =
  | { type: "resync"; reason: string; connections: number }
  | { type: "refusal"; code: string; message: string; connections: number };

/** What the core wants done (src/wasm/session.rs). */
export type Effect =
  | [kind: typeof EFFECT.SEND, to: Uint32Array, frame: string]
  | [kind: typeof EFFECT.CLOSE, connection: number, code: number, reason: string]
  | [kind: typeof EFFECT.ATTACH, to: Uint32Array, text: string]
  | [kind: typeof EFFECT.RESYNC, to: Uint32Array, reason: string]
  | [kind: typeof EFFECT.REFUSAL, to: Uint32Array, code: string, message: string];

/** Moves bytes between sinks and the server's end of the protocol, which is the session's. */
export class Connections {
  private readonly sinks = new Map<number, Sink>();

  constructor(
    private readonly session: SessionHandle,
    private readonly onEvent: (event: ConnectionEvent) => void,
  ) {}

  open(sink: Sink): number {
    const connection = call(() => this.session.open());
    this.sinks.set(connection, sink);
    return connection;
  }

  /** Gives a connection that outlived the memory its place back. */
  restore(sink: Sink): number {
    const connection = this.open(sink);
    this.carryOut(call(() => this.session.restore(connection, sink.attached())));
    return connection;
  }

  /** Begins an event stream, where an earlier one ended if the attachment says where that was. */
  resume(sink: Sink, attachment: string, extended: boolean): number {
    const connection = this.open(sink);
    this.carryOut(call(() => this.session.resume(connection, attachment, extended)));
    return connection;
  }

  receive(connection: number, frame: string): void {
    const isOversized = frame.length > call(() => this.session.frame_limit);
    if (isOversized) return this.carryOut(call(() => this.session.oversized(connection)));
    const [arena, length] = passTexts(frame);
    this.carryOut(call(() => this.session.receive(connection, arena, length!)));
  }

  closed(connection: number): void {
    this.sinks.delete(connection);
    if (isAlive(this.session)) call(() => this.session.closed(connection));
  }

  carryOut(effects: Effect[]): void {
    for (const effect of effects) {
      switch (effect[0]) {
        case EFFECT.SEND:
          for (const connection of effect[1]) this.send(connection, effect[2]);
          break;
        case EFFECT.CLOSE:
          this.sinks.get(effect[1])?.close(effect[2], effect[3]);
          this.sinks.delete(effect[1]);
          break;
        case EFFECT.ATTACH:
          for (const connection of effect[1]) this.sinks.get(connection)?.attach(effect[2]);
          break;
        case EFFECT.RESYNC:
          this.onEvent({ type: "resync", reason: effect[2], connections: effect[1].length });
          break;
        case EFFECT.REFUSAL:
          this.onEvent({ type: "refusal", code: effect[2], message: effect[3], connections: effect[1].length });
      }
    }
  }

  private send(connection: number, frame: string): void {
    try {
      this.sinks.get(connection)?.send(frame);
    } catch {
      // It is closing, or its reader is too slow: it comes back and asks for what it lacks.
      this.closed(connection);
    }
  }
}
