import { EFFECT, PROTOCOL } from "../bridge/boundary.js";
import { call, isAlive, passTexts } from "../bridge/core.js";
import type { SessionHandle } from "../wasm/patchwire.js";
import type { Connected, Effect, Write } from "../tables/plan.js";
import type { Sink } from "./sinks.js";

/** What the server's end tells besides frames. */
export type ConnectionEvent =
  | { type: "resync"; reason: string; connections: number }
  | { type: "refusal"; code: string; message: string; connections: number };

/** Moves bytes between sinks and the server's end of the protocol, which is the session's. */
export class Connections {
  private readonly sinks = new Map<number, Sink>();
  /** Whom the last frame went to, and their sinks by their numbers. The core gives the same list, `===`, until other connections are meant. */
  private told: Connected | undefined = undefined;
  private listening: (readonly [connection: number, sink: Sink])[] = [];

  constructor(
    private readonly session: SessionHandle,
    private readonly onEvent: (event: ConnectionEvent) => void,
  ) {}

  open(sink: Sink): number {
    const connection = call(() => this.session.open(sink.view, sink.writes));
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

  /** Answers a frame, unless it is a change that is to be made, which is handed out. */
  receive(connection: number, frame: string): Write | undefined {
    const most = this.sinks.get(connection)?.writes === undefined ? PROTOCOL.MOST_FROM_CLIENT : PROTOCOL.MOST_WRITTEN;
    // What is longer is refused, and needn't be there for that.
    const [arena, length] = passTexts(frame.slice(0, most + 1));
    const effects = call(() => this.session.receive(connection, arena, length)) as Effect[];
    this.carryOut(effects, true);
    return effects.find((effect) => effect[0] === EFFECT.WRITE);
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
          for (const [, sink] of this.sinksOf(effect[1])) sink.attach(effect[2], !isAnswer);
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
      const [connection, sink] = sinks[i]!;
      try {
        sink.send(frame);
      } catch {
        // It is closing, or its reader is too slow. It lacks this frame: it has to come back and ask for it.
        this.closed(connection);
        sink.close(1011, "a frame couldn't be sent");
      }
    }
  }

  private sinksOf(to: Connected): typeof this.listening {
    if (this.told !== to) {
      this.told = to;
      this.listening = [];
      for (const connection of to) {
        const sink = this.sinks.get(connection);
        if (sink !== undefined) this.listening.push([connection, sink]);
      }
    }
    return this.listening;
  }

  private forget(connection: number): void {
    this.sinks.delete(connection);
    this.told = undefined;
  }
}
