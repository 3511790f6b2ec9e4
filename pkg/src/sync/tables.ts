import { call, core, passBytes } from "../bridge/core.js";
import type { StateDocument } from "../values/document.js";
import { bounds } from "../bridge/limits.js";
import type { Limits } from "../types.js";
import type { StoreHandle } from "../wasm/patchwire.js";

/** What of a Durable Object's storage is used; `ctx.storage` has it. */
export interface DurableStorage {
  sql: { exec(query: string, ...bindings: (string | number)[]): Iterable<Record<string, unknown>> };
  transactionSync<R>(run: () => R): R;
}

/** One row to write or delete: which statement, and its parameters. */
export type Row = [statement: number, ...parameters: (string | number)[]];

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS patchwire_meta (
    id INTEGER PRIMARY KEY, format INTEGER NOT NULL, session TEXT NOT NULL, revision INTEGER NOT NULL, bytes INTEGER NOT NULL)`,
  "CREATE TABLE IF NOT EXISTS patchwire_base (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
  "CREATE TABLE IF NOT EXISTS patchwire_log (id INTEGER PRIMARY KEY, parts INTEGER NOT NULL, patch TEXT NOT NULL)",
];

/** In the order in which the core numbers them (src/wasm/store.rs). */
const STATEMENTS = [
  `INSERT INTO patchwire_meta (id, format, session, revision, bytes) VALUES (1, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET format = excluded.format, session = excluded.session, revision = excluded.revision, bytes = excluded.bytes`,
  "INSERT INTO patchwire_base (id, text) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET text = excluded.text",
  "DELETE FROM patchwire_base WHERE id >= ?",
  "INSERT INTO patchwire_log (id, parts, patch) VALUES (?, ?, ?)",
  "DELETE FROM patchwire_log WHERE id < ?",
];

/** The rows of a state in a Durable Object's SQLite: executes what the core plans. */
export class Tables {
  constructor(private readonly storage: DurableStorage) {}

  /** Reads what is there, or makes the tables with what `initial` gives. */
  open(initial: () => StateDocument, limits: Limits | undefined): StoreHandle {
    return this.storage.transactionSync(() => {
      for (const statement of SCHEMA) this.storage.sql.exec(statement);
      return this.read(limits) ?? this.create(initial());
    });
  }

  /** Writes all of the rows, or throws and has written none. */
  write(rows: Row[]): void {
    this.storage.transactionSync(() => this.execute(rows));
  }

  private read(limits: Limits | undefined): StoreHandle | undefined {
    const { sql } = this.storage;
    const reader = call(() => new (core().StoreReader)(bounds(limits)));
    for (const row of sql.exec("SELECT format, session, revision, bytes FROM patchwire_meta")) {
      call(() => reader.meta(Number(row.format), String(row.session), Number(row.revision), Number(row.bytes)));
    }
    // As bytes: the texts don't become strings on their way.
    for (const row of sql.exec("SELECT id, CAST(text AS BLOB) AS text FROM patchwire_base ORDER BY id")) {
      const [arena, length] = passBytes(new Uint8Array(row.text as ArrayBuffer));
      call(() => reader.base(Number(row.id), arena, length));
    }
    for (const row of sql.exec("SELECT id, parts, CAST(patch AS BLOB) AS patch FROM patchwire_log ORDER BY id")) {
      const [arena, length] = passBytes(new Uint8Array(row.patch as ArrayBuffer));
      call(() => reader.log(Number(row.id), Number(row.parts), arena, length));
    }
    return call(() => reader.finish());
  }

  private create(initial: StateDocument): StoreHandle {
    const rows: Row[] = [];
    const store = call(() => core().StoreHandle.create(crypto.randomUUID(), initial.handle, rows));
    initial.free();
    this.execute(rows);
    return store;
  }

  private execute(rows: Row[]): void {
    for (const [statement, ...parameters] of rows) this.storage.sql.exec(STATEMENTS[statement]!, ...parameters);
  }
}
