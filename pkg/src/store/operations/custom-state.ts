import type { HttpRequest, HttpResponse } from "../../sync/http.js";
import { ANSWER } from "../../sync/options.js";
import type { HibernatableSocket } from "../../sync/sinks.js";
import type { SyncedState } from "../../sync/synced-state.js";
import type { StepWrites, StepWritesInput } from "../../types.js";
import { mergeCustom } from "../custom.js";
import { STORED } from "../stored-sessions.js";
import type { Promotion, WriteOptions } from "../types.js";
import { SessionOperations } from "./sessions.js";

/** What is done with a session's custom state, and for its clients. */
export class CustomStateOperations extends SessionOperations {
  /**
   * A session's custom state: what is changed there is the session's change. It goes with its session, and `destroy` is refused.
   *
   * @throws PatchwireError `NOT_FOUND`.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { count: 0 } });
   * store.synced<{ count: number }>("s-1").increment("/count", 2);
   * const { customState, version } = (await store.loadState("s-1"))!;
   * console.log(customState, version); // { count: 2 } 2
   * ```
   */
  synced<T>(sessionId: string): SyncedState<T> {
    return this[STORED].read(({ sessions }) => sessions.require(sessionId).custom) as SyncedState<T>;
  }

  /**
   * Merges step writes into the custom state, as {@link mergeWrites} does; what doesn't fit is told in a warning.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { notes: ["a"] } });
   * const { warnings } = await store.mergeCustomState("s-1", { ops: [{ kind: "append", key: "notes", items: ["b"] }] });
   * console.log((await store.loadState("s-1"))?.customState, warnings); // { notes: [ 'a', 'b' ] } []
   * ```
   */
  async mergeCustomState(sessionId: string, writes: StepWrites | StepWritesInput, options: WriteOptions = {}): Promise<Omit<Promotion, "refused">> {
    return this[STORED].change(sessionId, options, ({ custom }) => mergeCustom(custom, writes));
  }

  /**
   * Answers a request for a session's custom state, as {@link SyncedState.fetch} does; with 404 where there is no such session.
   *
   * @throws what {@link SyncedState.fetch} throws.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage()); // sockets need a Durable Object's context
   * await store.createSession("s-1", { customState: { count: 0 } });
   * const { state } = (await store.fetch("s-1", new Request("https://agent/s-1")).json()) as { state: unknown };
   * console.log(state); // { count: 0 }
   * ```
   */
  fetch(sessionId: string, request: HttpRequest): HttpResponse {
    const session = this[STORED].read(({ sessions }) => sessions.find(sessionId));
    // Another store may have opened the state, with other options.
    if (session !== undefined) return session.custom[ANSWER](request, this[STORED].options.view);
    return Response.json({ error: { code: "NOT_FOUND", message: "there is no such session" } }, { status: 404 });
  }

  /** To be called from the object's method of the same name: what a client sent to one of the custom states. */
  webSocketMessage(socket: HibernatableSocket, message: string | ArrayBuffer): void {
    this[STORED].states.of(socket)?.webSocketMessage(socket, message);
  }

  /** To be called from the object's method of the same name. */
  webSocketClose(socket: HibernatableSocket, ...rest: unknown[]): void {
    this[STORED].states.of(socket)?.webSocketClose(socket, ...rest);
  }

  /** To be called from the object's method of the same name. */
  webSocketError(socket: HibernatableSocket, ...rest: unknown[]): void {
    this[STORED].states.of(socket)?.webSocketError(socket, ...rest);
  }
}
