// The object that the tests run: a session as an application would write it, with a record of its events.
import { DurableObject } from "cloudflare:workers";
import { SyncedState, type SyncedEvent } from "patchwire/durable-objects";

export interface State {
  notes: { text: string }[];
  count: number;
  answer: string;
}

export class Session extends DurableObject {
  events: SyncedEvent[] = [];
  state = new SyncedState<State>(this.ctx, {
    initial: { notes: [], count: 0, answer: "" },
    onEvent: (event) => this.events.push(event),
    limits: { frame: 4 << 20 },
  });

  fetch(request: Request): Response {
    return this.state.fetch(request);
  }

  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.state.webSocketMessage(socket, message);
  }

  webSocketClose(socket: WebSocket, ...rest: [code: number, reason: string, wasClean: boolean]): void {
    this.state.webSocketClose(socket, ...rest);
  }

  webSocketError(socket: WebSocket, error: unknown): void {
    this.state.webSocketError(socket, error);
  }
}

export default { fetch: () => new Response("the tests talk to the objects") };
