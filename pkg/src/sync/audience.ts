import { PROTOCOL } from "../bridge/boundary.js";
import type { SessionHandle } from "../wasm/patchwire.js";
import type { Effect, Write } from "../tables/plan.js";
import { Connections, type ConnectionEvent } from "./connections.js";
import { closeSocket, EventStream, SocketSink, Unattached, type HibernatableSocket } from "./sinks.js";

/** The tag of a state's sockets, so that those of other makers, and of other states in the same object, are left alone. */
export const tagOf = (name: string): string => (name === "" ? "patchwire" : `patchwire:${name}`);

/** Whether a tag is that of some state. */
export const isTagOfOurs = (tag: string): boolean => tag === "patchwire" || tag.startsWith("patchwire:");

/** What of a Durable Object's context is used for its sockets. */
export interface SocketContext {
  /** False where there is nothing behind it: then it isn't given any. */
  readonly takesSockets?: boolean;
  acceptWebSocket(socket: HibernatableSocket, tags?: string[]): void;
  getWebSockets(tag?: string): HibernatableSocket[];
  getTags?(socket: HibernatableSocket): string[] | undefined;
  getWebSocketAutoResponse(): unknown;
  setWebSocketAutoResponse(pair?: unknown): void;
}

/** The sockets of a context, if there is one: without, there are event streams and snapshots. */
export function socketsOf(context: () => SocketContext | undefined): SocketContext {
  return {
    get takesSockets() {
      return context() !== undefined;
    },
    acceptWebSocket: (socket, tags) => context()?.acceptWebSocket(socket, tags),
    getWebSockets: (tag) => context()?.getWebSockets(tag) ?? [],
    getTags: (socket) => context()?.getTags?.(socket),
    getWebSocketAutoResponse: () => context()?.getWebSocketAutoResponse() ?? "",
    setWebSocketAutoResponse: (pair) => context()?.setWebSocketAutoResponse(pair),
  };
}

declare const WebSocketPair: new () => { 0: HibernatableSocket; 1: HibernatableSocket };
declare const WebSocketRequestResponsePair: new (request: string, response: string) => object;

/** Who listens to a state: sockets and event streams. They outlive the core's memory, and are given places in each session that is opened. */
export class Audience {
  private readonly tag: string;
  private readonly streams = new Set<EventStream>();
  private readonly unattached = new Unattached();
  private connections: Connections | undefined = undefined;
  /** Everybody's number in the session; none before they have places in it. */
  private numbers: Map<HibernatableSocket | EventStream, number> | undefined = undefined;

  constructor(
    private readonly context: SocketContext,
    name: string,
    private readonly hasViews: boolean,
    private readonly hasWrites: boolean,
    private readonly onEvent: (event: ConnectionEvent) => void,
  ) {
    this.tag = tagOf(name);
  }

  /** A session was opened, or none is open any more. */
  meet(session: SessionHandle | undefined): void {
    this.unattached.attach();
    this.connections = session && new Connections(session, this.onEvent);
    this.numbers = undefined;
  }

  /** Whether everybody has a place in the session that is open. */
  get isSeated(): boolean {
    return this.numbers !== undefined;
  }

  /** Gives everybody a place, which sends them what they lack. Who is told of that may have the session forgotten: the next one has places for all. */
  seat(): void {
    const { connections } = this;
    if (connections === undefined || this.isSeated) return;
    const numbers = (this.numbers = new Map());
    for (const member of [...this.context.getWebSockets(this.tag), ...this.streams]) {
      numbers.set(member, connections.restore(member instanceof EventStream ? member : SocketSink.woken(member, this.unattached, this.hasViews, this.hasWrites)));
      if (this.connections !== connections) return;
    }
    // Answered while the object sleeps: a ping wakes nobody.
    if (typeof WebSocketRequestResponsePair === "function" && this.context.getWebSocketAutoResponse() === null) {
      this.context.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PROTOCOL.PING, PROTOCOL.PONG));
    }
  }

  /** Whether a socket is one of the state's. Where the context doesn't say, it is. */
  has(socket: HibernatableSocket): boolean {
    try {
      return this.context.getTags?.(socket)?.includes(this.tag) !== false;
    } catch {
      // It was never accepted, so that it could have tags.
      return false;
    }
  }

  carryOut(effects: Effect[]): void {
    this.connections?.carryOut(effects);
  }

  /** Whether there can be sockets: not in Node, nor of storage alone. */
  get takesSockets(): boolean {
    return typeof WebSocketPair === "function" && this.context.takesSockets !== false;
  }

  /** A client's end of a new socket, what it may see, and where it may write. */
  connect(view: string | undefined, writes: string | undefined): HibernatableSocket {
    const { 0: client, 1: server } = new WebSocketPair();
    // The platform refuses it where it has too many.
    this.context.acceptWebSocket(server, [this.tag]);
    const sink = new SocketSink(server, this.unattached, view, writes);
    sink.begin();
    if (this.connections !== undefined) this.numbers?.set(server, this.connections.open(sink));
    return client;
  }

  /** A reader of an event stream goes on from what was last attached to an earlier one. */
  listen(stream: EventStream, attachment: string, extended: boolean): void {
    if (stream.hasEnded || this.connections === undefined) return;
    this.numbers?.set(stream, this.connections.resume(stream, attachment, extended));
    if (!stream.hasEnded) this.streams.add(stream);
  }

  /** Answers a frame, unless it is a change that is to be made, which is handed out. */
  receive(socket: HibernatableSocket, frame: string): Write | undefined {
    const connection = this.numbers?.get(socket);
    return connection === undefined ? undefined : this.connections?.receive(connection, frame);
  }

  /** A socket or a stream has ended. */
  leave(member: HibernatableSocket | EventStream): void {
    const connection = this.numbers?.get(member);
    this.numbers?.delete(member);
    if (member instanceof EventStream) this.streams.delete(member);
    if (connection !== undefined) this.connections?.closed(connection);
  }

  /** Closes everything, because the state is no more, or can't be read. */
  dismiss(code: number, reason: string): void {
    for (const socket of this.context.getWebSockets(this.tag)) closeSocket(socket, code, reason);
    for (const stream of this.streams) stream.close();
  }
}
