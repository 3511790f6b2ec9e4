/** A WebSocket as Durable Objects have them. */
export interface HibernatableSocket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  serializeAttachment(value: unknown): void;
  deserializeAttachment(): unknown;
  /** Bytes that were sent and haven't left yet. */
  readonly bufferedAmount?: number;
}

/** Where frames go: a socket or an event stream. */
export interface Sink {
  /** What may be seen there, as JSON text; all, where it is undefined. */
  readonly view: string | undefined;
  /** Where may be written from there, as JSON text; nowhere, where it is undefined. */
  readonly writes: string | undefined;
  /** Throws if it can't. */
  send(frame: string): void;
  /** Keeps the text with the connection, now or a little later. */
  attach(text: string, mayBeLater: boolean): void;
  /** The text that was kept last; empty where none was. */
  attached(): string;
  close(code: number, reason: string): void;
}

/** A reader that is this many bytes behind is cut off, beside what it was sent at once: a snapshot may be longer. */
const MOST_BUFFERED = 16 << 20;

/** How long a slow reader is waited for. */
class Patience {
  /** Bytes that were sent in this turn, and the most that were since nothing waited to be read. */
  private atOnce = 0;
  private most = 0;

  /** Whether so many bytes that wait are too many. */
  isOver(waiting: number): boolean {
    if (waiting <= 0) this.most = this.atOnce;
    return waiting > MOST_BUFFERED + this.most;
  }

  sent(bytes: number): void {
    if (this.atOnce === 0) queueMicrotask(() => (this.atOnce = 0));
    this.atOnce += bytes;
    this.most = Math.max(this.most, this.atOnce);
  }
}

/** Closes a socket that may have been closed already. */
export function closeSocket(socket: HibernatableSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // It was closed already.
  }
}

/** How long a socket may lack what is to be attached to it, in milliseconds: an object that a timer waits for isn't put to sleep. */
const LATER = 100;

/**
 * The sockets that lack what is to be attached to them. Attaching takes as long as sending, and of many commits only the
 * last counts. An object that loses its memory before then sends its sockets what they have once more, which clients know
 * by its revision.
 */
export class Unattached {
  private sinks: SocketSink[] = [];

  add(sink: SocketSink): void {
    if (this.sinks.push(sink) === 1) setTimeout(() => this.attach(), LATER);
  }

  attach(): void {
    const { sinks } = this;
    this.sinks = [];
    for (const sink of sinks) sink.attachNow();
  }
}

/** Whoever has this attached is closed, and comes back. */
const UNKNOWN = "unknown";

/** After so many characters a socket is asked how much waits, which takes as long as sending a short frame. */
const UNASKED = 1 << 20;

/** What is attached to a socket: the text, and what may be seen and where may be written, where that was said. */
type Attachment = string | readonly [text: string, view: string | null, writes?: string];

export class SocketSink implements Sink {
  private isDue = false;
  private readonly patience = new Patience();
  private unasked = 0;

  constructor(
    private readonly socket: HibernatableSocket,
    private readonly unattached: Unattached,
    readonly view: string | undefined,
    readonly writes: string | undefined,
    private text = "",
  ) {}

  /** One that outlived the memory. One that was opened when there were no views, and now there are, is closed. */
  static woken(socket: HibernatableSocket, unattached: Unattached, hasViews: boolean, hasWrites: boolean): SocketSink {
    let kept: unknown = undefined;
    try {
      kept = socket.deserializeAttachment() ?? "";
    } catch {
      // Nobody knows what it has.
    }
    if (typeof kept === "string") return new SocketSink(socket, unattached, undefined, undefined, hasViews ? UNKNOWN : kept);
    const [text, view, writes] = (Array.isArray(kept) ? kept : []) as unknown[];
    const rules = typeof writes === "string" ? writes : undefined;
    const seesAll = view === null && rules !== undefined && !hasViews;
    if (typeof text !== "string" || (typeof view !== "string" && !seesAll)) return new SocketSink(socket, unattached, undefined, undefined, UNKNOWN);
    return new SocketSink(socket, unattached, seesAll ? undefined : (view as string), hasWrites ? rules : undefined, text);
  }

  /** Keeps what may be seen and where may be written, before there is anything else to be attached. */
  begin(): void {
    if (this.view !== undefined || this.writes !== undefined) this.socket.serializeAttachment(this.attachment);
  }

  private get attachment(): Attachment {
    const { text, view, writes } = this;
    if (writes !== undefined) return [text, view ?? null, writes];
    return view === undefined ? text : [text, view];
  }

  send(frame: string): void {
    this.unasked += frame.length;
    if (this.unasked > UNASKED) {
      // Others than ours may not say.
      if (this.patience.isOver(this.socket.bufferedAmount ?? 0)) throw new Error("the reader is too slow");
      // A character has three bytes at most.
      this.patience.sent(this.unasked * 3);
      this.unasked = 0;
    }
    this.socket.send(frame);
  }

  /** What answers a hello is attached at once: it says that the client has asked for the state, and in which dialect. */
  attach(text: string, mayBeLater: boolean): void {
    this.text = text;
    if (!mayBeLater) return this.attachNow();
    if (!this.isDue) this.unattached.add(this);
    this.isDue = true;
  }

  attachNow(): void {
    this.isDue = false;
    try {
      this.socket.serializeAttachment(this.attachment);
    } catch {
      // It was closed, and needs nothing any more.
    }
  }

  attached(): string {
    return this.text;
  }

  close(code: number, reason: string): void {
    closeSocket(this.socket, code, reason);
  }
}

/** Server-sent events. What would be attached to a socket is the event's id here, and comes back as `Last-Event-ID`. */
export class EventStream implements Sink {
  /** A `ReadableStream`, whose name not every user's TypeScript knows. */
  readonly body: object;
  /** Its reader can't say anything. */
  readonly writes = undefined;
  private controller!: ReadableStreamDefaultController<Uint8Array>;
  private readonly encoder = new TextEncoder();
  private id = "";
  hasEnded = false;
  private readonly patience = new Patience();

  constructor(
    readonly view: string | undefined,
    private readonly onEnd: (stream: EventStream) => void,
  ) {
    const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => void (this.controller = controller);
    this.body = new ReadableStream({ start, cancel: () => this.end() }, new ByteLengthQueuingStrategy({ highWaterMark: MOST_BUFFERED }));
  }

  send(frame: string): void {
    if (this.patience.isOver(MOST_BUFFERED - this.controller.desiredSize!)) {
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
    const bytes = this.encoder.encode(text);
    this.patience.sent(bytes.length);
    this.controller.enqueue(bytes);
  }
}
