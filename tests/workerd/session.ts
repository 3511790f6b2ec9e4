// What the tests talk to sessions with.
import { env, runInDurableObject } from "cloudflare:test";
import { vi } from "vitest";
import type { ClientSocket } from "patchwire/client";
import type { Bare, Session, State } from "./worker.ts";

declare global {
  namespace Cloudflare {
    interface Env {
      SESSION: DurableObjectNamespace<Session>;
      BARE: DurableObjectNamespace<Bare>;
    }
  }
}

export type Stub = DurableObjectStub<Session>;
export type Frame = Record<string, any>;

/** A session of its own for each test. */
export function newSession(): Stub {
  return env.SESSION.get(env.SESSION.newUniqueId());
}

export function within<R>(stub: Stub, run: (session: Session, ctx: DurableObjectState) => R): Promise<Awaited<R>> {
  return runInDurableObject(stub, run as never) as Promise<Awaited<R>>;
}

/** What is written to storage, by its own counter of rows and the lengths of what it is given. */
export interface Written {
  rows: number;
  bytes: number;
}

/** What operations write through `exec`: rows and bytes each, and in the worst of them. */
export function costs(sql: SqlStorage, count: number, run: (i: number) => void): Written & { worst: Written } {
  const { exec } = sql;
  const length = (value: unknown): number => (typeof value === "string" ? value.length : value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? value.byteLength : 8);
  const [sum, worst] = [{ rows: 0, bytes: 0 }, { rows: 0, bytes: 0 }];
  for (let i = 0; i < count; i++) {
    const cursors: { rowsWritten: number }[] = [];
    let bytes = 0;
    sql.exec = ((query: string, ...parameters: never[]) => {
      const cursor = exec.call(sql, query, ...parameters);
      cursors.push(cursor);
      if (!query.startsWith("SELECT")) bytes += parameters.reduce((sum, value) => sum + length(value), 0);
      return cursor;
    }) as typeof exec;
    run(i);
    const rows = cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
    [sum.rows, sum.bytes] = [sum.rows + rows, sum.bytes + bytes];
    [worst.rows, worst.bytes] = [Math.max(worst.rows, rows), Math.max(worst.bytes, bytes)];
  }
  sql.exec = exec;
  return { rows: sum.rows / count, bytes: sum.bytes / count, worst };
}

/** Runs it in an object of its own that has no state. */
export function inBare(run: (ctx: DurableObjectState) => unknown): Promise<void> {
  return runInDurableObject(env.BARE.get(env.BARE.newUniqueId()), async (_, ctx) => void (await run(ctx)));
}

export function update(stub: Stub, recipe: (draft: State) => void): Promise<void> {
  return within(stub, ({ state }) => void state.update(recipe));
}

export const addNote = (stub: Stub, text: string): Promise<void> => update(stub, (draft) => void draft.notes.push({ text }));

export const stateOf = (stub: Stub): Promise<{ revision: number; state: State }> =>
  within(stub, ({ state }) => ({ revision: state.revision, state: structuredClone(state.getState()) as State }));

export const hello = (session: string | null, revision: number | null, dialect = "extended"): object => ({ type: "hello", version: 1, session, revision, dialect });

/** To the object's state, or to what answered the request. */
async function upgrade(stub: Stub | Promise<Response>): Promise<WebSocket> {
  const { webSocket, status } = await ("fetch" in stub ? stub.fetch("http://session/", { headers: { Upgrade: "websocket" } }) : stub);
  if (webSocket === null) throw new Error(`no socket, status ${status}`);
  webSocket.accept();
  return webSocket;
}

/** A bare connection: says what it is told to, and keeps what it hears. */
export class Wire {
  readonly frames: Frame[] = [];
  closed: { code: number; reason: string } | undefined;

  static async open(stub: Stub | Promise<Response>, ...first: unknown[]): Promise<Wire> {
    const wire = new Wire(await upgrade(stub));
    first.forEach((frame) => wire.say(frame));
    return wire;
  }

  /** Opens, says hello with nothing, and waits until it is live. */
  static async live(stub: Stub): Promise<Wire> {
    const wire = await Wire.open(stub, hello(null, null));
    await wire.until((frame) => frame.type === "status");
    return wire;
  }

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener("message", ({ data }) => void this.frames.push(JSON.parse(String(data))));
    socket.addEventListener("close", ({ code, reason }) => void (this.closed = { code, reason }));
  }

  say(frame: unknown): void {
    this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  bytes(bytes: Uint8Array): void {
    this.socket.send(bytes);
  }

  close(): void {
    this.socket.close(1000);
  }

  /** The first frame that fits, once it is there. */
  until(fits: (frame: Frame) => boolean): Promise<Frame> {
    return vi.waitUntil(() => this.frames.find(fits), { timeout: 5_000, interval: 2 });
  }

  revision = (revision: number): Promise<Frame> => this.until((frame) => frame.type === "chunk" && frame.revision >= revision);
  chunks = (type: string): Frame[] => this.frames.filter((frame) => frame.chunk?.type === type);
}

/** The WebSocket that `connect` is given: it reaches the session from inside the worker. `tamper` may change what arrives. */
export function socketTo(stub: Stub, tamper: (frame: string) => string | undefined = (frame) => frame, path = ""): new (url: string) => ClientSocket {
  return class {
    readonly #socket: Promise<WebSocket>;
    readonly #events = new EventTarget();

    constructor() {
      this.#socket = upgrade(path === "" ? stub : stub.fetch(`http://session/${path}`, { headers: { Upgrade: "websocket" } }));
      this.#socket.then(
        (socket) => {
          socket.addEventListener("message", ({ data }) => {
            const frame = tamper(String(data));
            if (frame !== undefined) this.#events.dispatchEvent(Object.assign(new Event("message"), { data: frame }));
          });
          socket.addEventListener("close", ({ code, reason }) => this.#events.dispatchEvent(Object.assign(new Event("close"), { code, reason })));
          this.#events.dispatchEvent(new Event("open"));
        },
        () => this.#events.dispatchEvent(Object.assign(new Event("close"), { code: 1006 })),
      );
    }

    addEventListener(type: string, listener: (event: never) => void): void {
      this.#events.addEventListener(type, listener as (event: Event) => void);
    }

    send(text: string): void {
      void this.#socket.then((socket) => socket.send(text));
    }

    close(): void {
      void this.#socket.then((socket) => socket.close(1000));
    }
  };
}
