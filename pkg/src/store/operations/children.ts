import { STORED } from "../stored-sessions.js";
import type { SubSessionRef, WriteOptions } from "../types.js";
import { MessageOperations } from "./messages.js";

/** What a session knows of its children. */
export class ChildOperations extends MessageOperations {
  /**
   * Notes that children of the session are running. A child has a session of its own: nothing that it changes is the
   * parent's, which gets what the child answers. One that is noted again is begun again.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.addSubSessionRefs("s-1", [{ subSessionId: "s-2", agentType: "worker", parentToolCallId: "call-1", startedAt: 1 }]);
   * console.log((await store.getSubSessionRefs("s-1"))[0]?.status); // running
   * ```
   */
  async addSubSessionRefs(sessionId: string, refs: readonly Omit<SubSessionRef, "status" | "completedAt">[], options: WriteOptions = {}): Promise<void> {
    this[STORED].change(sessionId, options, (session, { children }) => children.add(session, refs));
  }

  /**
   * Notes what became of a child.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.addSubSessionRefs("s-1", [{ subSessionId: "s-2", agentType: "worker", parentToolCallId: "call-1", startedAt: 1 }]);
   * await store.updateSubSessionRef("s-1", { subSessionId: "s-2", status: "completed", completedAt: 2 });
   * console.log((await store.getSubSessionRefs("s-1"))[0]?.status); // completed
   * ```
   */
  async updateSubSessionRef(
    sessionId: string,
    update: { subSessionId: string; status: SubSessionRef["status"]; completedAt?: number },
    options: WriteOptions = {},
  ): Promise<void> {
    this[STORED].change(sessionId, options, (session, { children }) => children.update(session, update));
  }

  /**
   * The session's children, in the order in which they were added.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * console.log(await store.getSubSessionRefs("s-1")); // []
   * ```
   */
  async getSubSessionRefs(sessionId: string): Promise<SubSessionRef[]> {
    return this[STORED].read(({ sessions, children }) => children.read(sessions.require(sessionId)));
  }
}
