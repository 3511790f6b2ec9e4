import { generateCheckpointId, parseCheckpointId } from "../compat/helix/checkpoints.js";
import { sessionStatusToAgentStatus, type SessionStatus } from "../compat/helix/status.js";
import { PatchwireError } from "../errors.js";
import { checkCount, checkObject, refusal } from "../bridge/checks.js";
import type { Children } from "./children.js";
import { keepCustom, keptCustom, type KeptCustom } from "./custom.js";
import type { HashedTable } from "../tables/hashed-table.js";
import type { Messages } from "./messages.js";
import { keyOf, nameOf, type RowOf, type Shape } from "../tables/rows.js";
import type { Details, Session } from "./sessions.js";
import type { Checkpoint, CheckpointMeta, CreateCheckpointParams, PaginatedCheckpoints, SubSessionRef } from "./types.js";

/**
 * A checkpoint's numbers, by the time that its id has. Of messages it has their count, and the era of the last one. `place`
 * counts the checkpoints of a session, so that none can be lost unnoticed.
 */
export const CHECKPOINTS = {
  name: "checkpoints",
  key: { session: "INTEGER", time: "INTEGER" },
  columns: { id: "TEXT", status: "TEXT", steps: "INTEGER", messages: "INTEGER", era: "INTEGER", sequence: "INTEGER", place: "INTEGER" },
} as const satisfies Shape;

type CheckpointRow = RowOf<typeof CHECKPOINTS>;

/** The rest of a checkpoint, as JSON. */
export const CHECKPOINT_TEXTS = {
  name: "checkpoint_texts",
  key: { session: "INTEGER", time: "INTEGER", part: "INTEGER" },
  columns: { text: "TEXT" },
} as const satisfies Shape;

/** What a checkpoint has of a session. */
export interface Kept extends KeptCustom {
  details: Details;
  children: SubSessionRef[];
}

/** The checkpoints of sessions. */
export class Checkpoints {
  constructor(
    private readonly table: HashedTable<typeof CHECKPOINTS>,
    private readonly texts: HashedTable<typeof CHECKPOINT_TEXTS>,
    private readonly messages: Messages,
    private readonly children: Children,
  ) {}

  create(session: Session, params: CreateCheckpointParams): string {
    const { number, row } = session;
    const { stepCount = row.steps, streamSequence = 0, messageCount = row.messages } = checkObject("the checkpoint's parameters", params, "are an object");
    checkCount("the count of messages", messageCount, 0, row.messages);
    checkCount("the sequence", streamSequence);
    checkCount("the count of steps", stepCount);
    // The clock of a Durable Object stands still while it runs, and may go back.
    const [latest] = this.table.rows({ prefix: [number] }, { backwards: true, limit: 1 });
    const time = Math.max(Date.now(), (latest?.time ?? 0) + 1);
    const id = generateCheckpointId(session.id, stepCount, time);
    const era = this.messages.era(session, messageCount);
    const place = row.checkpoints++;
    this.table.put({ session: number, time, id: keyOf(id), status: row.status, steps: stepCount, messages: messageCount, era, sequence: streamSequence, place });
    const kept: Kept = { details: session.details, children: this.children.read(session), ...keepCustom(session.custom) };
    this.texts.putText({ session: number, time }, JSON.stringify(kept));
    return id;
  }

  /** The last one that can be gone back to. O(those after it). */
  latest(session: Session): CheckpointRow | undefined {
    for (let limit = 1; ; limit *= 8) {
      const rows = this.page(session, limit);
      const found = rows.find(({ messages, era }) => this.messages.isOfEra(session, messages, era));
      if (found !== undefined || rows.length < limit) return found;
    }
  }

  /** The one of an id that {@link sessionOf} has read. */
  find(session: Session, id: string): CheckpointRow | undefined {
    const { timestamp } = parseCheckpointId(id)!;
    const row = this.table.row([session.number, timestamp]);
    if (row === undefined) this.requireNone(session, timestamp);
    return row?.id === keyOf(id) ? row : undefined;
  }

  /** One that can be gone to: the messages that it counts are there. */
  require(session: Session, id: string): CheckpointRow {
    const row = this.find(session, id);
    if (row === undefined) throw new PatchwireError("NOT_FOUND", "there is no such checkpoint");
    this.messages.requireEra(session, row.messages, row.era);
    return row;
  }

  read(session: Session, row: CheckpointRow | undefined): Checkpoint | null {
    if (row === undefined) return null;
    const { details, children, ...custom } = this.kept(session, row);
    const customState = keptCustom(session.custom, custom);
    const [id, stepCount, timestamp, messageCount] = [nameOf(row.id), row.steps, row.time, row.messages];
    this.messages.requireEra(session, messageCount, row.era);
    const state = {
      runId: "", ...details, sessionId: session.id, status: statusOf(row), stepCount, customState,
      subSessionRefs: children, messages: this.messages.read(session, 0, messageCount),
    };
    return { id, sessionId: session.id, stepCount, timestamp, state, messageCount, streamSequence: row.sequence };
  }

  /** The latest first. */
  list(session: Session, { offset, limit }: { offset: number; limit: number }): PaginatedCheckpoints {
    const { row } = session;
    const items = this.page(session, offset + limit).slice(offset).map((row): CheckpointMeta => {
      return { id: nameOf(row.id), sessionId: session.id, stepCount: row.steps, timestamp: row.time, status: statusOf(row) };
    });
    return { items, total: row.checkpoints, hasMore: offset + items.length < row.checkpoints };
  }

  /** What is kept of the session as it was. */
  kept(session: Session, { time }: CheckpointRow): Kept {
    return JSON.parse(this.texts.text([session.number, time])) as Kept;
  }

  /** Makes the members of a session, which may be another one, those that were kept; its messages and its custom state aren't yet. */
  goTo(session: Session, row: CheckpointRow, { details, children }: Kept): void {
    session.details = details;
    session.row.status = row.status as SessionStatus;
    session.row.steps = row.steps;
    this.children.replace(session, children);
  }

  delete({ number }: Session): void {
    this.table.delete({ prefix: [number] });
    this.texts.delete({ prefix: [number] });
  }

  /** The latest ones, none of which may be missing. */
  private page({ number, row }: Session, limit: number): CheckpointRow[] {
    const rows = this.table.rows({ prefix: [number] }, { backwards: true, limit });
    const isWhole = rows.length === Math.min(limit, row.checkpoints) && rows.every(({ place }, i) => place === row.checkpoints - 1 - i);
    if (!isWhole) throw this.table.missing([number]);
    return rows;
  }

  /** Refuses to say that there is no checkpoint of a time where the ones before and after it aren't neighbours: one is missing. */
  private requireNone({ number, row }: Session, time: number): void {
    const prefix = [number];
    const [before] = this.table.rows({ prefix, below: time }, { backwards: true, limit: 1 });
    const [after] = this.table.rows({ prefix, from: time }, { limit: 1 });
    if ((before?.place ?? -1) + 1 !== (after?.place ?? row.checkpoints)) throw this.table.missing([number]);
  }
}

const statusOf = (row: CheckpointRow): CheckpointMeta["status"] => sessionStatusToAgentStatus(row.status as SessionStatus);

/** The session that a checkpoint's id names. */
export function sessionOf(checkpointId: string): string {
  const parsed = typeof checkpointId === "string" ? parseCheckpointId(checkpointId) : null;
  if (parsed === null) throw refusal("a checkpoint's id is cpv1-{session}-s{step}-t{milliseconds}-{six hexadecimal digits}");
  return parsed.sessionId;
}
