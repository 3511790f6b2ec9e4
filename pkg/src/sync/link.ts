import { refusal } from "../bridge/checks.js";
import type { ClientSocket, ConnectOptions, Url } from "./client-options.js";

/** What happens to a client's connection, by the number that the client gave it. */
interface LinkEvents {
  opened(connection: number): void;
  received(connection: number, frame: string): void;
  closed(connection: number, code: number, reason: string): void;
  /** The url of a connection is being asked for. */
  asks(connection: number): void;
  /** The url of a connection that was asked for is there. */
  asked(connection: number): void;
  /** No connection can be made: `closed` follows. */
  failed(reason: string, cause: unknown): void;
  /** The url that was given has no page that it is relative to. */
  waits(): void;
}

/** A client's connection: one at a time, to a url that may have to be asked for first. */
export class Link {
  #socket: ClientSocket | undefined;
  /** Another one for each attempt, so that what comes late of an earlier one is ignored. */
  #attempt: object | undefined;
  #connection = 0;

  constructor(
    private readonly url: ConnectOptions["url"],
    private readonly WebSocket: new (url: string) => ClientSocket,
    private readonly events: LinkEvents,
  ) {}

  /** Whether there is a connection, which may still be opening. */
  get isThere(): boolean {
    return this.#attempt !== undefined;
  }

  open(connection: number): void {
    this.close();
    this.#connection = connection;
    const attempt = (this.#attempt = {});
    if (typeof this.url !== "function") this.#connect(resolve(this.url)!, connection, attempt);
    else void this.#ask(this.url, connection, attempt);
  }

  send(frame: string): void {
    const attempt = this.#attempt;
    const connection = this.#connection;
    try {
      this.#socket?.send(frame);
    } catch {
      // It is of no use any more. Later, because whoever sends is in the middle of something.
      queueMicrotask(() => {
        if (this.#attempt !== attempt) return;
        this.close();
        this.events.closed(connection, 1006, "");
      });
    }
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = this.#attempt = undefined;
    try {
      socket?.close();
    } catch {
      // It was never open.
    }
  }

  async #ask(url: () => Url | Promise<Url>, connection: number, attempt: object): Promise<void> {
    // Later: who is asked may want to use what `connect` returns.
    await null;
    try {
      if (this.#attempt === attempt) this.events.asks(connection);
      const resolved = resolve(await url());
      if (this.#attempt !== attempt) return;
      this.events.asked(connection);
      if (resolved === undefined) this.events.waits();
      else this.#connect(resolved, connection, attempt);
    } catch (cause) {
      if (this.#attempt !== attempt) return;
      this.events.failed("the option url gave none", cause);
      if (this.#attempt === attempt) this.#end(connection, 1006, "");
    }
  }

  #connect(url: string, connection: number, attempt: object): void {
    const { events } = this;
    let socket: ClientSocket;
    try {
      socket = new this.WebSocket(url);
    } catch (cause) {
      // A page may forbid it: that is no reason to stop trying, or to break who called.
      queueMicrotask(() => {
        if (this.#attempt !== attempt) return;
        events.failed("no WebSocket could be made", cause);
        if (this.#attempt === attempt) this.#end(connection, 1006, "");
      });
      return;
    }
    this.#socket = socket;
    socket.addEventListener("open", () => {
      if (this.#attempt === attempt) events.opened(connection);
    });
    socket.addEventListener("message", ({ data }) => {
      if (this.#attempt === attempt) events.received(connection, String(data));
    });
    socket.addEventListener("close", ({ code, reason = "" }) => {
      if (this.#attempt === attempt) this.#end(connection, code, reason);
    });
    // A close follows; without a listener some platforms treat it as unhandled.
    socket.addEventListener("error", () => {});
  }

  #end(connection: number, code: number, reason: string): void {
    this.#socket = this.#attempt = undefined;
    this.events.closed(connection, code, reason);
  }
}

/** The url of the WebSocket; `undefined` where a relative one has no page that it is relative to. */
export function resolve(url: Url | undefined): string | undefined {
  const text = typeof url === "string" ? url : url?.href;
  if (typeof text !== "string" || text === "") throw refusal("where to connect to is the option url: connect({ url })");
  // A page may say what its urls are relative to, as `fetch` takes them; a document without a url has that of its parent.
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  // What begins with a scheme is absolute (RFC 3986 §4.2).
  if (base === undefined && !/^[a-z][a-z\d+.-]*:/i.test(text)) return undefined;
  const resolved = new URL(text, base);
  resolved.protocol = resolved.protocol.replace("http", "ws");
  if (!/^wss?:$/.test(resolved.protocol)) throw new TypeError("a url to connect to begins with ws:, wss:, http: or https:, such as ws://localhost:8787/session");
  resolved.hash = "";
  return resolved.href;
}
