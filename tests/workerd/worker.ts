// The object that the tests run: a session as an application would write it, with a record of its events.
import { DurableObject } from "cloudflare:workers";
import { DurableStateStore, SyncedState, type SyncedEvent } from "patchwire/durable-objects";

export interface State {
  notes: { text: string }[];
  count: number;
  answer: string;
}

export interface Board {
  cards: { title: string; cost?: number }[];
  keys?: { api: string };
}

export interface Plan {
  draft: string;
  todos: { text: string; done: boolean }[];
  answer: string;
}

export class Session extends DurableObject {
  events: SyncedEvent[] = [];
  state = new SyncedState<State>(this.ctx, {
    initial: { notes: [], count: 0, answer: "" },
    onEvent: (event) => this.events.push(event),
    limits: { frame: 4 << 20 },
    clientWrites: (request: Request) => new URL(request.url).searchParams.has("writes") && { allow: ["*"] },
  });

  /** A second state of the same object; most tests don't use it. */
  usage = new SyncedState(this.ctx, { name: "usage", initial: { tokens: 0 } });
  /** A third one, of which not everybody sees all. */
  board = new SyncedState<Board>(this.ctx, {
    name: "board",
    initial: { cards: [], keys: { api: "secret 0" } },
    view: (request: Request) => {
      const { searchParams } = new URL(request.url);
      return searchParams.has("all") ? {} : { exclude: ["/keys", "/cards/*/cost", ...searchParams.getAll("hide")] };
    },
  });
  /** A fourth one, which pages may change. */
  plan = new SyncedState<Plan>(this.ctx, {
    name: "plan",
    initial: { draft: "", todos: [], answer: "", secret: "hidden" } as Plan,
    view: () => ({ exclude: ["/secret"] }),
    clientWrites: (request: Request) => new URL(request.url).searchParams.has("owner") && { allow: ["/draft:update", "/todos", "/secret"] },
    validate: ({ draft }) => draft.length < 100 || draft.length > 200_000,
  });
  #states = [this.state, this.usage, this.board, this.plan];

  fetch(request: Request): Response {
    const { pathname } = new URL(request.url);
    return pathname === "/usage" ? this.usage.fetch(request) : pathname === "/board" ? this.board.fetch(request) : pathname === "/plan" ? this.plan.fetch(request) : this.state.fetch(request);
  }

  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#states.forEach((state) => state.webSocketMessage(socket, message));
  }

  webSocketClose(socket: WebSocket, ...rest: [code: number, reason: string, wasClean: boolean]): void {
    this.#states.forEach((state) => state.webSocketClose(socket, ...rest));
  }

  webSocketError(socket: WebSocket, error: unknown): void {
    this.#states.forEach((state) => state.webSocketError(socket, error));
  }
}

/** An object with the sessions of agents, each of which clients watch at a path of its own. */
export class Agent extends DurableObject {
  store = new DurableStateStore(this.ctx);

  fetch(request: Request): Response {
    return this.store.fetch(new URL(request.url).pathname.slice(1), request);
  }

  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.store.webSocketMessage(socket, message);
  }

  webSocketClose(socket: WebSocket, ...rest: [code: number, reason: string, wasClean: boolean]): void {
    this.store.webSocketClose(socket, ...rest);
  }

  webSocketError(socket: WebSocket, error: unknown): void {
    this.store.webSocketError(socket, error);
  }
}

/** An object without a state, for the examples to have theirs in. */
export class Bare extends DurableObject {}

export default { fetch: () => new Response("the tests talk to the objects") };
