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
