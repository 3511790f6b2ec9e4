import { PatchwireError } from "../errors.js";
import { checkCount, checkId, checkObject, checkOneOf, checkText } from "../bridge/checks.js";
import { jsonOf } from "../json/json.js";
import { pagesOf, type Directory } from "../tables/directory.js";
import { damageOf, type HashedTable } from "../tables/hashed-table.js";
import { keyOf, nameOf, type Shape } from "../tables/rows.js";
import type { Session } from "./sessions.js";
import type { RunMetadata, RunRecord, RunStatus, RunStatusUpdate } from "./types.js";

/** The runs of a session in their order, and of which session and which of its runs the run of an id is. */
export const RUNS = { name: "runs", key: { session: "INTEGER", run: "INTEGER", part: "INTEGER" }, columns: { text: "TEXT" } } as const satisfies Shape;
export const RUN_PAGES = pagesOf("run_pages", "TEXT");
export type RunIds = Directory<string, [session: string, run: number]>;

const STATUSES: readonly RunStatus[] = [
  "running", "completed", "failed", "interrupted", "suspended_client_tool", "suspended_awaiting_children", "suspended_step_partial",
];

/** The runs of sessions. */
export class Runs {
  constructor(
    private readonly table: HashedTable<typeof RUNS>,
    private readonly ids: RunIds,
  ) {}

  create(session: Session, runId: string, metadata: RunMetadata): void {
    const id = keyOf(checkId("the run's id", runId));
    const { turn, startSequence } = checkObject("the run's metadata", metadata);
    checkCount("the turn", turn, 1);
    if (startSequence !== undefined) checkCount("the sequence", startSequence);
    if (this.ids.find(id) !== undefined) throw new PatchwireError("CONFLICT", "there is a run with this id");
    const run = session.row.runs++;
    const record: RunRecord = { runId, sessionId: session.id, turn, status: "running", stepCount: 0, startedAt: Date.now() };
    this.write(session, run, startSequence === undefined ? record : { ...record, startSequence });
    this.ids.set(id, [keyOf(session.id), run]);
  }

  /** The session that a run is of. */
  sessionOf(runId: string): string {
    return nameOf(this.find(runId)[0]);
  }

  update(session: Session, runId: string, status: RunStatus, updates: RunStatusUpdate): void {
    const [, run] = this.find(runId);
    const { stepCount, completedAt, error } = checkObject("the run's updates", updates, "are an object");
    checkOneOf("a run's status", status, STATUSES);
    if (stepCount !== undefined) checkCount("the count of steps", stepCount);
    if (completedAt !== undefined) checkCount("the time", completedAt);
    if (error !== undefined) checkText("a run's error", error);
    const record = JSON.parse(this.table.text([session.number, run])) as RunRecord;
    this.write(session, run, {
      ...record, status, ...(stepCount !== undefined && { stepCount }), ...(completedAt !== undefined && { completedAt }), ...(error !== undefined && { error }),
    });
  }

  /** Makes anew what is damaged of the ids, from the runs of all sessions; says what it was. */
  repair(sessions: () => readonly Session[]): PatchwireError | undefined {
    const damage = damageOf(() => this.ids.entries());
    if (damage === undefined) return undefined;
    const idsOf = (session: Session): [string, [string, number]][] => this.read(session).map(({ runId }, run) => [keyOf(runId), [keyOf(session.id), run]]);
    this.ids.replace(sessions().flatMap(idsOf));
    return damage;
  }

  /** The runs from one on. */
  read({ number, row }: Session, from = 0): RunRecord[] {
    return this.table.numbered([number], from, row.runs).map(({ text }) => JSON.parse(text) as RunRecord);
  }

  delete(session: Session): void {
    for (const { runId } of this.read(session)) this.ids.remove(keyOf(runId));
    this.table.delete({ prefix: [session.number] });
  }

  private write({ number }: Session, run: number, record: RunRecord): void {
    this.table.putText({ session: number, run }, jsonOf(record));
  }

  private find(runId: string): [session: string, run: number] {
    const found = this.ids.find(keyOf(checkId("the run's id", runId)));
    if (found === undefined) throw new PatchwireError("NOT_FOUND", "there is no such run");
    return found;
  }
}
