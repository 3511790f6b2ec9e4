import type { DurableStorage } from "../sync/tables.js";
import { CHECKPOINTS, CHECKPOINT_TEXTS } from "./checkpoints.js";
import { CHILDREN } from "./children.js";
import { HashedTable, isFull } from "./hashed-table.js";
import { RUN_IDS } from "./format2.js";
import { MESSAGES } from "./messages.js";
import { sqlName, tablesOf, type Row, type Shape, type Value } from "./rows.js";
import { RUNS } from "./runs.js";
import { DETAILS, NUMBERS, SESSIONS } from "./sessions.js";
import { STAGING, STEPS } from "./staging.js";

type Sql = DurableStorage["sql"];

/** Rows that are in memory at once, each less than 1 MB. */
const PAGE = 16;

/**
 * Makes tables of format 1 ones of format 2, if they are there, in the transaction that opens them. In format 1 rows
 * had no hash, checkpoints no place, steps no count of their calls, and the last piece of a text could be full. Only SQL ever
 * had such tables. O(rows).
 */
export function fromFormat1(storage: DurableStorage, name: string): void {
  const { sql } = storage;
  const named = (shape: Shape): Shape => ({ ...shape, name: `${name}:${shape.name}` });
  const columns = [...sql.exec(`PRAGMA table_info(${sqlName(named(SESSIONS).name)})`)].map(({ name }) => name);
  if (columns.length === 0 || columns.includes("hash")) return;
  const add = (shape: Shape, column: string): unknown => sql.exec(`ALTER TABLE ${sqlName(named(shape).name)} ADD COLUMN "${column}" INTEGER NOT NULL DEFAULT 0`);
  const hashed = (shape: Shape): HashedTable => new HashedTable(tablesOf(storage), named(shape));
  add(CHECKPOINTS, "place");
  const steps = hashed(STEPS);
  for (const shape of [SESSIONS, DETAILS, NUMBERS, MESSAGES, STAGING, RUNS, RUN_IDS, CHILDREN, CHECKPOINTS, CHECKPOINT_TEXTS]) {
    add(shape, "hash");
    const table = hashed(shape);
    let place = 0;
    let before: Row | undefined;
    const endText = (): void => {
      if (before !== undefined && "part" in before && isFull(String(before["text"]))) table.put({ ...before, part: Number(before["part"]) + 1, text: "" });
    };
    for (const row of rowsOf(sql, named(shape))) {
      if (row["part"] === 0) endText();
      place = row["session"] === before?.["session"] ? place + 1 : 0;
      table.put({ ...row, ...(shape === CHECKPOINTS && { place }) });
      if (shape === STAGING && row["part"] === 0) {
        const { session, step } = row as { session: number; step: string };
        steps.put({ session, step, calls: Number(steps.row([session, step])?.["calls"] ?? 0) + 1 });
      }
      before = row;
    }
    endText();
  }
}

/** All rows of a table in the order of their keys, some at a time. */
function* rowsOf(sql: Sql, { name, key }: Shape): Generator<Row, void, undefined> {
  const keys = Object.keys(key);
  const list = keys.map((column) => `"${column}"`).join(", ");
  for (let after: Value[] = []; ; ) {
    const where = after.length === 0 ? "" : ` WHERE (${list}) > (${keys.map(() => "?").join(", ")})`;
    const page = [...sql.exec(`SELECT * FROM ${sqlName(name)}${where} ORDER BY ${list} LIMIT ${PAGE}`, ...after)] as Row[];
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = keys.map((column) => last[column]!);
  }
}
