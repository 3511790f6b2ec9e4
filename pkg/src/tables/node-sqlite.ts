import { refusal } from "../bridge/checks.js";
import { PatchwireError } from "../errors.js";
import type { DurableStorage } from "./state-tables.js";

/** What of a `DatabaseSync` of `node:sqlite` is used. */
export interface NodeDatabase {
  prepare(query: string): NodeStatement;
  exec(query: string): void;
  /** Since Node 22.16; without it SQLite is asked. */
  readonly isTransaction?: boolean;
}

/** What of its prepared statements is used. */
export interface NodeStatement {
  columns(): unknown[];
  all(...values: any[]): unknown[];
  run(...values: any[]): unknown;
}

/** Statements that are kept prepared; each session has some of its own. */
const PREPARED = 256;

/**
 * A database of `node:sqlite` as a storage: what runs in a Durable Object runs in Node. Tables of your own may be in the
 * same database, and be written in one transaction with the store's: one that `transactionSync` of the storage begins. Within one that
 * was begun by SQL nothing of the store is written (`CONFLICT`), because nobody is told how that ends. Where the
 * disk is full SQLite takes a whole transaction back, however deep the statement was in it: then nothing more can be written in it, and it ends with the error of that statement.
 *
 * @example
 * ```ts
 * import { DatabaseSync } from "node:sqlite";
 * import { DurableStateStore, nodeStorage } from "patchwire/durable-objects";
 * const database = new DatabaseSync(":memory:");
 * await new DurableStateStore(nodeStorage(database)).createSession("s-1", { customState: { notes: ["a"] } });
 * // Another process would open the same file.
 * const state = await new DurableStateStore(nodeStorage(database)).loadState("s-1");
 * console.log(state?.customState, state?.version); // { notes: [ 'a' ] } 1
 * ```
 */
export function nodeStorage(database: NodeDatabase): DurableStorage {
  if (typeof database?.prepare !== "function" || typeof database.exec !== "function") {
    throw refusal('the database is one of node:sqlite: nodeStorage(new DatabaseSync("agents.db"))');
  }
  const prepared = new Map<string, { statement: NodeStatement; hasRows: boolean }>();
  let depth = 0;
  /** Why SQLite has taken the transactions back that are open here, if it has: a full disk makes it do so by itself. */
  let end: { error: unknown } | null = null;
  const refuse = (): void => {
    if (end !== null) throw end.error;
  };
  /** Whether a transaction is open; throws where the database is closed, if that can be told. */
  const isWithin = (): boolean => {
    if (database.isTransaction !== undefined) return database.isTransaction;
    try {
      database.exec("BEGIN");
    } catch {
      return true;
    }
    database.exec("ROLLBACK");
    return false;
  };
  /** Whether SQLite has left open what was begun here. */
  const isOpen = (): boolean => {
    try {
      return isWithin();
    } catch {
      return true;
    }
  };
  /** In a transaction that was begun by SQL nothing is written: nobody tells how it ends. */
  const refuseOthers = (): void => {
    if (depth > 0 || !isWithin()) return;
    throw new PatchwireError("CONFLICT", "the database has a transaction that was begun by SQL: begin it by transactionSync of the storage");
  };
  const begin = (savepoint: string): void => {
    refuseOthers();
    database.exec(depth > 0 ? `SAVEPOINT ${savepoint}` : "BEGIN");
  };
  /** A statement, and whether it answers with rows, which takes SQLite as long to say as to look one up. */
  const prepare = (query: string): { statement: NodeStatement; hasRows: boolean } => {
    let found = prepared.get(query);
    if (found === undefined) {
      const statement = database.prepare(query);
      found = { statement, hasRows: statement.columns().length > 0 };
    }
    // The one that was used last is the last that goes.
    prepared.delete(query);
    if (prepared.size >= PREPARED) prepared.delete(prepared.keys().next().value!);
    prepared.set(query, found);
    return found;
  };
  return {
    sql: {
      exec(query, ...bindings) {
        if (!/^\s*SELECT\b/i.test(query)) {
          // What is written now would stay, without what was written before it.
          refuse();
          refuseOthers();
        }
        const { statement, hasRows } = prepare(query);
        const values = bindings.map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value));
        try {
          if (hasRows) return statement.all(...values) as Record<string, unknown>[];
          const { changes } = statement.run(...values) as { changes: number | bigint };
          return Object.assign([], { rowsWritten: Number(changes) });
        } catch (error) {
          if (depth > 0 && end === null && !isOpen()) end = { error };
          throw error;
        }
      },
    },
    transactionSync(run) {
      refuse();
      const savepoint = `patchwire_${depth}`;
      begin(savepoint);
      depth++;
      try {
        const result = run();
        refuse();
        database.exec(depth > 1 ? `RELEASE ${savepoint}` : "COMMIT");
        return result;
      } catch (error) {
        if (end === null && !isOpen()) end = { error };
        try {
          if (end === null) database.exec(depth > 1 ? `ROLLBACK TO ${savepoint}; RELEASE ${savepoint}` : "ROLLBACK");
        } catch {
          // A database that was closed meanwhile has taken everything back, too.
          end = { error };
        }
        throw error;
      } finally {
        depth--;
        if (depth === 0) end = null;
      }
    },
  };
}
