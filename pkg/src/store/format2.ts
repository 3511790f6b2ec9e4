import type { DurableStorage } from "../sync/tables.js";
import { Directory } from "./directory.js";
import { HashedTable } from "./hashed-table.js";
import { sqlName, tablesOf, type Shape } from "./rows.js";
import { RUN_PAGES, type RunIds } from "./runs.js";
import { NUMBERS, SESSIONS, SESSION_PAGES } from "./sessions.js";

/** Where the run of an id was. */
export const RUN_IDS: Shape = { name: "run_ids", key: { id: "TEXT" }, columns: { session: "TEXT", run: "INTEGER" } };

/**
 * Makes tables of format 2 ones of the present format, if they are there, in the transaction that opens them. In format 2 a
 * row for each run's id was all that knew of it, and a session's row all that knew of its id. Only SQL ever had such tables.
 * O(sessions and runs).
 */
export function fromFormat2(storage: DurableStorage, name: string): void {
  const { sql } = storage;
  const runIds = sqlName(`${name}:${RUN_IDS.name}`);
  if ([...sql.exec(`PRAGMA table_info(${runIds})`)].length === 0) return;
  const hashed = (shape: Shape): HashedTable => new HashedTable(tablesOf(storage), { ...shape, name: `${name}:${shape.name}` });
  const sessions = new Directory<string, number>(hashed(SESSION_PAGES), "");
  const runs: RunIds = new Directory(hashed(RUN_PAGES), "");
  for (const directory of [sessions, runs]) directory.begin();
  // A damaged session keeps its id, and is damaged to whoever asks for it.
  for (const { id, number } of hashed(SESSIONS).unchecked({})) sessions.set(String(id), Number(number));
  for (const { id, session, run } of hashed(RUN_IDS).rows({})) runs.set(String(id), [String(session), Number(run)]);
  const numbers = hashed(NUMBERS);
  if (numbers.unchecked({}).length === 0 && sessions.entries().length === 0) numbers.put({ id: 1, last: 0 });
  sql.exec(`DROP TABLE ${runIds}`);
}
