import type { ClientSocket, ConnectOptions, SyncedClient } from "patchwire/client";
import { connect } from "patchwire/client";
import type { SyncedState, SyncedStateOptions } from "patchwire/durable-objects";
import { Socket, stateOf } from "./sockets.ts";

type Event = { type: "open" } | { type: "message"; data: string } | { type: "close"; code: number };

/** One connection, and what is on its way, in order. */
class Line implements ClientSocket {
  readonly toServer: string[] = [];
  readonly toClient: Event[] = [{ type: "open" }];
  readonly socket = new Socket((data) => this.toClient.push({ type: "message", data }));
  isOpen = true;
  private readonly listeners = new Map<string, (event: never) => void>();

  constructor(rights: readonly [view: string | null, writes?: string]) {
    // As an upgrade leaves it.
    this.socket.serializeAttachment(["", ...rights]);
    this.socket.close = () => void (this.toClient.push({ type: "close", code: 1012 }), (this.socket.isClosed = true));
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.listeners.set(type, listener);
  }

  send(text: string): void {
    this.toServer.push(text);
  }

  close(): void {
    this.isOpen = false;
  }

  arrive(): void {
    const event = this.toClient.shift()!;
    if (!this.isOpen) return;
    if (event.type === "close") this.isOpen = false;
    this.listeners.get(event.type)?.(event as never);
  }
}

/** A state and its clients. What they say to each other arrives when a test says so. */
export class Network<T> {
  readonly lines: Line[] = [];
  readonly state: SyncedState<T>;

  constructor(options: SyncedStateOptions<T>, private readonly sockets: Socket[] = []) {
    this.state = stateOf(options, sockets);
  }

  /** A client that may write by these rules. */
  client(options: Partial<ConnectOptions>, allow: readonly string[] | undefined, view: object | null = null): SyncedClient<T> {
    const { lines, sockets, state } = this;
    const rights = [view && JSON.stringify(view), ...(allow === undefined ? [] : [JSON.stringify(allow)])] as [string | null, string?];
    const WebSocket = class extends Line {
      constructor() {
        super(rights);
        lines.push(this);
        sockets.push(this.socket);
        // Whoever is open has a place when it comes; a new one gets it with the next session.
        state.unload();
      }
    };
    return connect<T>({ url: "ws://session/", WebSocket, ...options });
  }

  /** One thing arrives, by what `choose` says of so many; false where nothing is on its way. */
  step(choose: (count: number) => number): boolean {
    const ways = this.lines.flatMap((line) => [...(line.toServer.length > 0 && !line.socket.isClosed ? [() => this.say(line)] : []), ...(line.toClient.length > 0 ? [() => line.arrive()] : [])]);
    if (ways.length === 0) return false;
    ways[choose(ways.length) % ways.length]!();
    return true;
  }

  /** The connection breaks; what is on its way is lost. */
  break(line: Line): void {
    line.toServer.length = line.toClient.length = 0;
    line.socket.isClosed = true;
    this.state.webSocketClose(line.socket as never);
    this.sockets.splice(this.sockets.indexOf(line.socket), 1);
    line.toClient.push({ type: "close", code: 1006 });
  }

  private say(line: Line): void {
    this.state.webSocketMessage(line.socket as never, line.toServer.shift()!);
  }
}
