import { PatchwireError } from "../errors.js";
import { checkCount, checkId, checkObject } from "../bridge/checks.js";
import { jsonOf } from "../json/json.js";
import type { HashedTable } from "../tables/hashed-table.js";
import { keyOf, type Shape, type Value } from "../tables/rows.js";
import type { Session } from "./sessions.js";
import type { StagedChanges } from "./types.js";
import { isContainer } from "../json/containers.js";
import type { WriteOp } from "../types.js";

/** What calls of tools have staged. `place` orders them, `revision` is that of the custom state when they began. */
export const STAGING = {
  name: "staging",
  key: { session: "INTEGER", step: "TEXT", call: "TEXT", part: "INTEGER" },
  columns: { place: "INTEGER", revision: "INTEGER", text: "TEXT" },
} as const satisfies Shape;

/**
 * How many calls have staged something for a step, so that none can be lost unnoticed, and the place of the next one that is staged
 * without any. There is a row where some have.
 */
export const STEPS = { name: "steps", key: { session: "INTEGER", step: "TEXT" }, columns: { calls: "INTEGER", next: "INTEGER" } } as const satisfies Shape;

/** What a write does. */
const KINDS = ["append", "append_text", "increment", "splice", "move", "replace", "delete"] as const satisfies readonly WriteOp["kind"][];

/** Before the places of calls that were staged without one. */
const UNPLACED = 1_000_000_000;

/** What a call staged, and what it began from. */
export interface Staged {
  changes: StagedChanges;
  revision: number;
}

/** Refuses what no state would take, when it is staged and not when its step ends. */
function checkWrites(given: StagedChanges["writes"]): void {
  const { ops } = checkObject("the staged writes", given, "are an object");
  const refuse = (what: string): PatchwireError => new PatchwireError("INVALID_PATCH", what);
  if (!Array.isArray(ops)) throw refuse("step writes have a list of ops");
  for (const op of ops as unknown[]) {
    if (!isContainer(op)) throw refuse("each op of step writes is an object");
    const { kind, path, key } = op as Record<string, unknown>;
    if (!KINDS.includes(kind as never)) throw refuse(`the kind of a write is one of ${KINDS.join(", ")}`);
    if ([path, key].some((place) => place !== undefined && typeof place !== "string")) throw refuse("a write's path and its key are strings");
  }
}

/** What is staged in sessions, by step and call. */
export class Staging {
  constructor(
    private readonly table: HashedTable<typeof STAGING>,
    private readonly steps: HashedTable<typeof STEPS>,
  ) {}

  stage({ number, custom }: Session, stepId: string, changes: StagedChanges, revision = custom.revision): void {
    const { writes, toolCallId, index } = checkObject("the changes", changes, "are an object that has the writes: { writes: tracker.getStepWrites() }");
    checkWrites(writes);
    const step = keyOf(checkId("the step's id", stepId));
    const named = toolCallId === undefined ? undefined : keyOf(checkId("the tool call's id", toolCallId));
    if (index !== undefined) checkCount("a call's index", index, 0, UNPLACED - 1);
    const { calls, next } = this.counted([number, step]);
    const call = named ?? `#${index ?? next}`;
    const known = this.first(number, step, call);
    // A call that is staged again stays where it was.
    const place = index ?? known?.place ?? next;
    const text = jsonOf(changes);
    if (known === undefined) this.steps.put({ session: number, step, calls: calls + 1, next: place < UNPLACED ? next : place + 1 });
    this.table.putText({ session: number, step, call, place, revision }, text);
  }

  /** In the order of the calls; empty where nothing is staged. */
  read({ number }: Session, stepId: string): Staged[] {
    const key = [number, keyOf(checkId("the step's id", stepId))];
    const calls = this.table.texts({ prefix: key });
    const counted = this.counted(key);
    if (calls.length < counted.calls) throw this.table.missing(key);
    if (calls.length > counted.calls) throw this.steps.missing(key);
    return calls
      .sort((a, b) => a.row.place - b.row.place)
      .map(({ row, text }) => ({ changes: JSON.parse(text) as StagedChanges, revision: row.revision }));
  }

  /** Forgets a step, whatever is left of it, or one of its calls. */
  discard({ number }: Session, stepId: string, toolCallId?: string): void {
    const step = keyOf(checkId("the step's id", stepId));
    if (toolCallId === undefined) {
      this.table.delete({ prefix: [number, step] });
      this.steps.delete({ prefix: [number, step] });
      return;
    }
    const call = keyOf(checkId("the tool call's id", toolCallId));
    if (this.first(number, step, call) === undefined) return;
    this.table.delete({ prefix: [number, step, call] });
    const { calls, next } = this.counted([number, step]);
    if (calls > 1) this.steps.put({ session: number, step, calls: calls - 1, next });
    else this.steps.delete({ prefix: [number, step] });
  }

  delete({ number }: Session): void {
    this.table.delete({ prefix: [number] });
    this.steps.delete({ prefix: [number] });
  }

  /** The first row of what a call has staged. */
  private first(number: number, step: string, call: string): { place: number } | undefined {
    const [row] = this.table.rows({ prefix: [number, step, call] }, { limit: 1 });
    return row && { place: row.place };
  }

  private counted(key: readonly Value[]): { calls: number; next: number } {
    return this.steps.row(key) ?? { calls: 0, next: UNPLACED };
  }
}
