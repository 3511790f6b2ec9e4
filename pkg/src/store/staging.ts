import { PatchwireError } from "../errors.js";
import { checkCount, checkId, checkObject, jsonOf } from "./checks.js";
import { keyOf, pieces, textOf, type Row, type Shape, type Table } from "./rows.js";
import type { Session } from "./sessions.js";
import type { StagedChanges } from "./types.js";

/** What calls of tools have staged. `place` orders them, `revision` is that of the custom state when they began. */
export const STAGING: Shape = {
  name: "staging",
  key: { session: "INTEGER", step: "TEXT", call: "TEXT", part: "INTEGER" },
  columns: { place: "INTEGER", revision: "INTEGER", text: "TEXT" },
};

/** Before the places of calls that were staged without one. */
const UNPLACED = 1_000_000_000;

/** What a call staged, and what it began from. */
export interface Staged {
  changes: StagedChanges;
  revision: number;
}

/** What is staged in sessions, by step and call. */
export class Staging {
  constructor(private readonly table: Table) {}

  stage({ number, custom }: Session, stepId: string, changes: StagedChanges, revision = custom.revision): void {
    const { writes, toolCallId, index } = checkObject("the changes", changes) as unknown as StagedChanges;
    if (!Array.isArray(checkObject("the staged writes", writes)["ops"])) throw new PatchwireError("INVALID_PATCH", "step writes have a list of ops");
    const step = keyOf(checkId("the step's id", stepId));
    const place = index === undefined ? this.next(number, step, toolCallId) : checkCount("a call's index", index, 0, UNPLACED - 1);
    const call = toolCallId === undefined ? `#${place}` : keyOf(checkId("the tool call's id", toolCallId));
    const text = jsonOf(changes);
    this.table.delete({ prefix: [number, step, call] });
    let part = 0;
    for (const piece of pieces(text)) this.table.put({ session: number, step, call, part: part++, place, revision, text: piece });
  }

  /** In the order of the calls; empty where nothing is staged. */
  read({ number }: Session, stepId: string): Staged[] {
    const calls = new Map<unknown, Row[]>();
    for (const row of this.table.rows({ prefix: [number, keyOf(checkId("the step's id", stepId))] })) {
      const { call } = row;
      if (row["part"] === 0) calls.set(call, [row]);
      else calls.get(call)!.push(row);
    }
    return [...calls.values()]
      .sort(([a], [b]) => Number(a!["place"]) - Number(b!["place"]))
      .map((rows) => ({ changes: JSON.parse(textOf(rows)) as StagedChanges, revision: Number(rows[0]!["revision"]) }));
  }

  discard({ number }: Session, stepId: string, toolCallId?: string): void {
    const prefix = [number, keyOf(checkId("the step's id", stepId))];
    this.table.delete({ prefix: toolCallId === undefined ? prefix : [...prefix, keyOf(checkId("the tool call's id", toolCallId))] });
  }

  delete({ number }: Session): void {
    this.table.delete({ prefix: [number] });
  }

  /** The place of a call that was staged without one: that which it had, or after all others. */
  private next(number: number, step: string, toolCallId: string | undefined): number {
    const rows = this.table.rows({ prefix: [number, step] });
    const known = toolCallId === undefined ? undefined : rows.find(({ call }) => call === keyOf(toolCallId));
    return Number(known?.["place"] ?? rows.reduce((next, { place }) => Math.max(next, Number(place) + 1), UNPLACED));
  }
}
