import { checkCount, checkFlag, checkPage } from "../../bridge/checks.js";
import { textsOf } from "../messages.js";
import { STORED } from "../stored-sessions.js";
import type { GetMessagesOptions, Message, PaginatedMessages, WriteOptions } from "../types.js";
import { CustomStateOperations } from "./custom-state.js";

/** What is done with a session's messages. */
export class MessageOperations extends CustomStateOperations {
  /**
   * Adds messages at the end. O(their size).
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.appendMessages("s-1", [{ role: "user", content: "Hello" }, { role: "assistant", content: "Hi" }]);
   * console.log(await store.getMessageCount("s-1")); // 2
   * ```
   */
  async appendMessages(sessionId: string, messages: readonly Message[], options: WriteOptions = {}): Promise<void> {
    const texts = textsOf(messages);
    this[STORED].change(sessionId, options, (session, { messages }) => messages.append(session, texts));
  }

  /**
   * A page of the session's messages. O(their size).
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.appendMessages("s-1", [{ role: "assistant", content: "Hi", thinking: { content: "A greeting" } }, { role: "user", content: "Go" }]);
   * const { messages, total, hasMore } = await store.getMessages("s-1", { limit: 1, includeThinking: false });
   * console.log(messages, total, hasMore); // [ { role: 'assistant', content: 'Hi' } ] 2 true
   * ```
   */
  async getMessages(sessionId: string, options: GetMessagesOptions = {}): Promise<PaginatedMessages> {
    const { offset, limit } = checkPage(options, "includeThinking");
    const includeThinking = checkFlag("the option includeThinking", options.includeThinking ?? true);
    return this[STORED].read((rooms) => {
      const session = rooms.sessions.require(sessionId);
      const total = session.row.messages;
      const messages = rooms.messages.read(session, offset, Math.min(offset + limit, total));
      if (!includeThinking) for (const message of messages) if (message.role === "assistant") delete message.thinking;
      return { messages, total, offset, limit, hasMore: offset + messages.length < total };
    });
  }

  /**
   * How many messages the session has. O(1).
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * console.log(await store.getMessageCount("s-1")); // 0
   * ```
   */
  async getMessageCount(sessionId: string): Promise<number> {
    return this[STORED].read(({ sessions }) => sessions.require(sessionId).row.messages);
  }

  /**
   * Deletes all messages but the first ones. Checkpoints that count one that is deleted can't be gone back to any more.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.appendMessages("s-1", [{ role: "user", content: "a" }, { role: "user", content: "b" }]);
   * await store.truncateMessages("s-1", 1);
   * console.log((await store.getMessages("s-1")).messages); // [ { role: 'user', content: 'a' } ]
   * ```
   */
  async truncateMessages(sessionId: string, messageCount: number, options: WriteOptions = {}): Promise<void> {
    checkCount("the count of messages", messageCount);
    this[STORED].change(sessionId, options, (session, { messages }) => messages.truncate(session, messageCount));
  }
}
