import { PatchwireError } from "../errors.js";
import { checkList, checkObject, checkOneOf } from "../bridge/checks.js";
import { jsonOf } from "../json/json.js";
import type { HashedTable } from "../tables/hashed-table.js";
import type { Shape } from "../tables/rows.js";
import type { Session } from "./sessions.js";
import type { Message } from "./types.js";

/**
 * Messages by their position. What is truncated ends an era: a message of a later one has another text, though it may have
 * the position of one that a checkpoint counts.
 */
export const MESSAGES = {
  name: "messages",
  key: { session: "INTEGER", position: "INTEGER", part: "INTEGER" },
  columns: { era: "INTEGER", text: "TEXT" },
} as const satisfies Shape;

const ROLES = ["system", "user", "assistant", "tool"] as const;

/** Messages as texts, which are refused where they aren't messages. */
export function textsOf(messages: readonly Message[]): string[] {
  return checkList("messages", messages).map((message, i) => {
    checkOneOf("a message's role", checkObject("a message", message)["role"], ROLES);
    return jsonOf(message, ["messages", i]);
  });
}

/** The messages of sessions. */
export class Messages {
  constructor(private readonly table: HashedTable<typeof MESSAGES>) {}

  append({ row }: Session, texts: readonly string[]): void {
    for (const text of texts) this.table.addText({ session: row.number, position: row.messages++, era: row.era }, text);
  }

  /** The messages from one position on, up to another. */
  read(session: Session, from: number, below: number): Message[] {
    return this.texts(session, from, below).map((text) => JSON.parse(text) as Message);
  }

  truncate({ row }: Session, count: number): void {
    if (count >= row.messages) return;
    this.table.delete({ prefix: [row.number], from: count });
    row.messages = count;
    row.era++;
  }

  /** Makes the texts those of all messages; what they begin with alike stays. */
  replace(session: Session, texts: readonly string[]): void {
    const before = this.texts(session, 0, session.row.messages);
    const first = before.findIndex((text, i) => text !== texts[i]);
    const kept = first === -1 ? before.length : first;
    this.truncate(session, kept);
    this.append(session, texts.slice(kept));
  }

  /** The era of a message, for a checkpoint that ends with it; 0 where it ends with none. */
  era({ row }: Session, count: number): number {
    if (count === 0) return 0;
    const key = [row.number, count - 1];
    const [found] = this.table.rows({ prefix: key }, { limit: 1 });
    if (found === undefined) throw this.table.missing(key);
    return found.era;
  }

  /** Refuses to go on where the messages that a checkpoint counted are others by now. */
  requireEra(session: Session, count: number, era: number): void {
    if (!this.isOfEra(session, count, era)) {
      throw new PatchwireError("STALE_STATE", "messages of the checkpoint were truncated: go back to an earlier one, as getLatestCheckpoint gives");
    }
  }

  /** Whether the messages that a checkpoint counted are there. */
  isOfEra(session: Session, count: number, era: number): boolean {
    return count <= session.row.messages && this.era(session, count) === era;
  }

  /** Copies the first messages of one session into another. */
  copy(from: Session, to: Session, count: number): void {
    for (const { row, text } of this.table.numbered([from.number], 0, count)) {
      this.table.addText({ session: to.number, position: row.position, era: 0 }, text);
    }
    to.row.messages = count;
  }

  delete({ number }: Session): void {
    this.table.delete({ prefix: [number] });
  }

  private texts({ number }: Session, from: number, below: number): string[] {
    return this.table.numbered([number], from, below).map(({ text }) => text);
  }
}
