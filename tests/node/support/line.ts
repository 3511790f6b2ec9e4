import type { ClientSocket } from "patchwire/client";

type Listener = (event: any) => void;

/** The server's ends of a client's connections, each of which opens at once. */
export class Line implements ClientSocket {
  static all: Line[] = [];
  readonly sent: string[] = [];
  private readonly listeners: Record<string, Listener[]> = {};

  constructor(readonly url = "") {
    Line.all.push(this);
    queueMicrotask(() => this.tell("open", {}));
  }

  addEventListener(type: string, listener: Listener): void {
    (this.listeners[type] ??= []).push(listener);
  }

  tell(type: string, event: object): void {
    this.listeners[type]?.forEach((listener) => listener(event));
  }

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {}

  say(...frames: object[]): void {
    for (const frame of frames) this.tell("message", { data: JSON.stringify(frame) });
  }
}

/** What a server says to a client that it sends everything. */
export const snapshot = (state: unknown, revision = 1, session = "s"): object[] => [
  { type: "chunk", sequence: revision, revision, chunk: { type: "state_snapshot", session, part: 1, parts: 1, state } },
  { type: "status", sequence: revision, revision, session, status: "active" },
];
