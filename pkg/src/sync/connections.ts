import { call, core, isAlive, passTexts, release } from "../bridge/core.js";
import type { StateDocument } from "../values/document.js";
import { bounds } from "../bridge/limits.js";
import type { Limits } from "../types.js";
import type { ServerHandle, StoreHandle } from "../wasm/patchwire.js";

/** A WebSocket as Durable Objects have them. */
export interface HibernatableSocket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  serializeAttachment(value: unknown): void;
  deserializeAttachment(): unknown;
}

/** Where frames go: a socket or an event stream. */
export interface Sink {
  /** Throws if it can't. */
  send(frame: string): void;
  /** Keeps the text with the connection. */
  attach(text: string): void;
  /** The text that was kept last; empty where none was. */
  attached(): string;
  close(code: number, reason: string): void;
}

/** What the server's end tells besides frames. */
export type ConnectionEvent =
  | { type: "resync"; reason: string; connections: number }
  | { type: "refusal"; code: string; message: string; connections: number };

/** What the core wants done (src/wasm/server.rs). */
export type Effect =
  | [kind: 0, to: Uint32Array, frame: string]
  | [kind: 1, connection: number, code: number, reason: string]
  | [kind: 2, to: Uint32Array, text: string]
  | [kind: 3, to: Uint32Array, reason: string]
  | [kind: 4, to: Uint32Array, code: string, message: string];

/** Moves bytes between sinks and the server's end of the protocol, which is the core's. */
export class Connections {
  readonly server: ServerHandle;
  private readonly sinks = new Map<number, Sink>();

  constructor(
    store: StoreHandle,
    limits: Limits | undefined,
    private readonly document: () => StateDocument,
    private readonly onEvent: (event: ConnectionEvent) => void,
  ) {
    this.server = call(() => new (core().ServerHandle)(store, bounds(limits)));
  }

  open(sink: Sink): number {
    const connection = call(() => this.server.open());
    this.sinks.set(connection, sink);
    return connection;
  }

  /** Gives a connection that outlived the memory its place back. */
  restore(sink: Sink): number {
    const connection = this.open(sink);
    this.withDocument((document) => call(() => this.server.restore(connection, sink.attached(), document.handle)));
    return connection;
  }

  /** Begins an event stream, where an earlier one ended if the attachment says where that was. */
  resume(sink: Sink, attachment: string, extended: boolean): number {
    const connection = this.open(sink);
    this.withDocument((document) => call(() => this.server.resume(connection, attachment, extended, document.handle)));
    return connection;
  }

  receive(connection: number, frame: string): void {
    const isOversized = frame.length > call(() => this.server.frame_limit);
    if (isOversized) return this.carryOut(call(() => this.server.oversized(connection)));
    this.withDocument((document) => {
      const [arena, length] = passTexts(frame);
      return call(() => this.server.receive(connection, arena, length!, document.handle));
    });
  }

  /** What is to be done so that everybody hears of a commit. */
  committed(patch: string, standard: string): Effect[] {
    const document = this.document();
    try {
      const [arena, split, length] = passTexts(patch, standard);
      return call(() => this.server.committed(arena, split!, length!, document.handle));
    } finally {
      document.free();
    }
  }

  closed(connection: number): void {
    this.sinks.delete(connection);
    if (isAlive(this.server)) call(() => this.server.closed(connection));
  }

  /** Lets go of everything in memory. Sockets and streams stay open: they are what {@link restore} is for. */
  free(): void {
    this.sinks.clear();
    release(this.server);
  }

  private withDocument(run: (document: StateDocument) => Effect[]): void {
    const document = this.document();
    try {
      this.carryOut(run(document));
    } finally {
      document.free();
    }
  }

  carryOut(effects: Effect[]): void {
    for (const effect of effects) {
      switch (effect[0]) {
        case 0:
          for (const connection of effect[1]) this.send(connection, effect[2]);
          break;
        case 1:
          this.sinks.get(effect[1])?.close(effect[2], effect[3]);
          this.sinks.delete(effect[1]);
          break;
        case 2:
          for (const connection of effect[1]) this.sinks.get(connection)?.attach(effect[2]);
          break;
        case 3:
          this.onEvent({ type: "resync", reason: effect[2], connections: effect[1].length });
          break;
        case 4:
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

export class SocketSink implements Sink {
  constructor(private readonly socket: HibernatableSocket) {}

  send(frame: string): void {
    this.socket.send(frame);
  }

  attach(text: string): void {
    this.socket.serializeAttachment(text);
  }

  attached(): string {
    return String(this.socket.deserializeAttachment() ?? "");
  }

  close(code: number, reason: string): void {
    try {
      this.socket.close(code, reason);
    } catch {
      // It was closed already.
    }
  }
}

/** A reader that is this many bytes behind is cut off. */
const MOST_BUFFERED = 16 << 20;

/** Server-sent events. What would be attached to a socket is the event's id here, and comes back as `Last-Event-ID`. */
export class EventStream implements Sink {
  /** A `ReadableStream`, whose name not every user's TypeScript knows. */
  readonly body: object;
  private controller!: ReadableStreamDefaultController<Uint8Array>;
  private readonly encoder = new TextEncoder();
  private id = "";
  hasEnded = false;

  constructor(private readonly onEnd: (stream: EventStream) => void) {
    const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => void (this.controller = controller);
    this.body = new ReadableStream({ start, cancel: () => this.end() }, new ByteLengthQueuingStrategy({ highWaterMark: MOST_BUFFERED }));
  }

  send(frame: string): void {
    if (this.controller.desiredSize! <= 0) {
      this.close();
      throw new Error("the reader is too slow");
    }
    this.write(`data: ${frame}\n\n`);
  }

  attach(text: string): void {
    this.id = text;
    this.write(`id: ${text}\n\n`);
  }

  attached(): string {
    return this.id;
  }

  close(): void {
    try {
      this.controller.close();
    } catch {
      // It was closed already.
    }
    this.end();
  }

  private end(): void {
    this.hasEnded = true;
    this.onEnd(this);
  }

  private write(text: string): void {
    this.controller.enqueue(this.encoder.encode(text));
  }
}
