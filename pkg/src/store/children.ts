import { PatchwireError } from "../errors.js";
import { checkCount, checkId, checkList, checkObject, checkOneOf } from "../bridge/checks.js";
import { jsonOf } from "../json/json.js";
import type { HashedTable } from "../tables/hashed-table.js";
import { keyOf, type Shape } from "../tables/rows.js";
import type { Session } from "./sessions.js";
import type { SubSessionRef } from "./types.js";

/** The children of a session. */
export const CHILDREN = { name: "children", key: { session: "INTEGER", child: "TEXT" }, columns: { place: "INTEGER", text: "TEXT" } } as const satisfies Shape;

/** What a child is when it begins; nothing else of a reference is kept, so that it fits into a row. */
function checkRef(given: Omit<SubSessionRef, "status" | "completedAt">): Omit<SubSessionRef, "status"> {
  const { subSessionId, agentType, parentToolCallId, startedAt } = checkObject("a reference", given);
  checkId("a child's session id", subSessionId);
  checkId("a child's agent type", agentType);
  checkId("a tool call's id", parentToolCallId);
  checkCount("the time", startedAt);
  return { subSessionId, agentType, parentToolCallId, startedAt };
}

function checkOutcome({ status, completedAt }: { status: unknown; completedAt?: unknown }): void {
  checkOneOf("a child's status", status, ["running", "completed", "failed"]);
  if (completedAt !== undefined) checkCount("the time", completedAt);
}

/** What sessions know of their children. */
export class Children {
  constructor(private readonly table: HashedTable<typeof CHILDREN>) {}

  /** One that is known already is begun again. */
  add({ row }: Session, refs: readonly Omit<SubSessionRef, "status" | "completedAt">[]): void {
    for (const given of checkList("the references", refs)) {
      const ref = checkRef(given);
      const known = this.table.row([row.number, keyOf(ref.subSessionId)]);
      this.write(row.number, known?.place ?? row.children++, { ...ref, status: "running" });
    }
  }

  /** Adds those that aren't known yet, as they are. */
  addNew(session: Session, refs: readonly SubSessionRef[] = []): void {
    const known = new Set(this.read(session).map(({ subSessionId }) => subSessionId));
    for (const given of checkList("the references", refs)) {
      const ref = checkRef(given);
      const { status, completedAt } = given;
      checkOutcome({ status, completedAt });
      if (known.has(ref.subSessionId)) continue;
      known.add(ref.subSessionId);
      this.write(session.number, session.row.children++, { ...ref, status, ...(completedAt !== undefined && { completedAt }) });
    }
  }

  update(session: Session, update: { subSessionId: string; status: SubSessionRef["status"]; completedAt?: number }): void {
    const { subSessionId, status, completedAt } = checkObject("the update", update);
    checkOutcome({ status, completedAt });
    const known = this.table.row([session.number, keyOf(checkId("a child's session id", subSessionId))]);
    if (known === undefined) {
      // It may be the one that is lost.
      this.read(session);
      throw new PatchwireError("NOT_FOUND", "the session has no such child");
    }
    const ref = JSON.parse(known.text) as SubSessionRef;
    this.write(session.number, known.place, { ...ref, status, ...(completedAt !== undefined && { completedAt }) });
  }

  /** In the order in which they were added. */
  read({ number, row }: Session): SubSessionRef[] {
    const rows = this.table.rows({ prefix: [number] }).sort((a, b) => a.place - b.place);
    if (rows.length !== row.children || rows.some(({ place }, i) => place !== i)) throw this.table.missing([number]);
    return rows.map(({ text }) => JSON.parse(String(text)) as SubSessionRef);
  }

  /** Makes these the session's children. */
  replace(session: Session, refs: readonly SubSessionRef[]): void {
    this.delete(session);
    session.row.children = 0;
    for (const ref of refs) this.write(session.number, session.row.children++, ref);
  }

  delete({ number }: Session): void {
    this.table.delete({ prefix: [number] });
  }

  private write(session: number, place: number, ref: SubSessionRef): void {
    this.table.put({ session, child: keyOf(ref.subSessionId), place, text: jsonOf(ref) });
  }
}
