import { ROW } from "../bridge/boundary.js";
import { call, core, passBytes } from "../bridge/core.js";
import type { StateDocument } from "../values/document.js";
import { bounds } from "../bridge/limits.js";
import type { Limits } from "../types.js";
import type { SessionHandle } from "../wasm/patchwire.js";

/** What of a Durable Object's storage is used; `ctx.storage` has it. */
export interface DurableStorage {
  sql: { exec(query: string, ...bindings: (string | number | ArrayBuffer)[]): Iterable<Record<string, unknown>> };
  transactionSync<R>(run: () => R): R;
  transaction?<R>(run: (transaction: any) => Promise<R>, ...rest: any[]): Promise<R>;
  deleteAll?(...rest: any[]): Promise<void>;
}

/** One row to write or delete: which statement, and its parameters. */
export type Row = [statement: (typeof ROW)[keyof typeof ROW], ...parameters: (string | number | Uint8Array)[]];

/** The statements for the tables of one name. */
function statements(name: string) {
  const [meta, base, log] = ["meta", "base", "log"].map((table) => `"patchwire_${name === "" ? "" : `${name}_`}${table}"`);
  return {
    make: [
      `CREATE TABLE IF NOT EXISTS ${meta} (
        id INTEGER PRIMARY KEY, format INTEGER NOT NULL, session TEXT NOT NULL, revision INTEGER NOT NULL, bytes INTEGER NOT NULL)`,
      `CREATE TABLE IF NOT EXISTS ${base} (id INTEGER PRIMARY KEY, text TEXT NOT NULL)`,
      `CREATE TABLE IF NOT EXISTS ${log} (id INTEGER PRIMARY KEY, parts INTEGER NOT NULL, patch TEXT NOT NULL)`,
    ],
    read: {
      meta: `SELECT format, session, revision, bytes FROM ${meta}`,
      // As bytes: the texts don't become strings on their way.
      base: `SELECT id, CAST(text AS BLOB) AS text FROM ${base} ORDER BY id`,
      log: `SELECT id, parts, CAST(patch AS BLOB) AS patch FROM ${log} ORDER BY id`,
    },
    last: `SELECT session, COALESCE((SELECT MAX(id) FROM ${log}) / 4096, revision) AS revision FROM ${meta}`,
    write: {
      [ROW.PUT_META]: `INSERT INTO ${meta} (id, format, session, revision, bytes) VALUES (1, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET format = excluded.format, session = excluded.session, revision = excluded.revision, bytes = excluded.bytes`,
      [ROW.PUT_BASE]: `INSERT INTO ${base} (id, text) VALUES (?, CAST(? AS TEXT)) ON CONFLICT (id) DO UPDATE SET text = excluded.text`,
      [ROW.DELETE_BASE]: `DELETE FROM ${base} WHERE id >= ?`,
      [ROW.PUT_LOG]: `INSERT INTO ${log} (id, parts, patch) VALUES (?, ?, ?)`,
      [ROW.DELETE_LOG]: `DELETE FROM ${log} WHERE id < ?`,
    },
    drop: [meta, base, log].map((table) => `DROP TABLE IF EXISTS ${table}`),
  };
}

/** The rows of a state in a Durable Object's SQLite: executes what the core plans. */
export class Tables {
  private readonly statements: ReturnType<typeof statements>;

  /** The name is part of the tables' names. */
  constructor(
    private readonly sql: DurableStorage["sql"],
    private readonly transaction: DurableStorage["transactionSync"],
    name: string,
  ) {
    this.statements = statements(name);
  }

  /** Reads what is there, or makes the tables with what `initial` gives. */
  open(initial: () => StateDocument, limits: Limits | undefined): SessionHandle {
    return this.transaction(() => {
      for (const statement of this.statements.make) this.sql.exec(statement);
      return this.read(limits) ?? this.create(initial(), limits);
    });
  }

  /** Writes all of the rows, or throws and has written none. */
  write(rows: Row[]): void {
    // One statement is a transaction by itself.
    if (rows.length === 1) this.execute(rows);
    else this.transaction(() => this.execute(rows));
  }

  /** The session and the revision that are stored; neither where the tables are gone. */
  last(): { session?: string; revision?: number } {
    try {
      for (const { session, revision } of this.sql.exec(this.statements.last)) return { session: String(session), revision: Number(revision) };
    } catch {
      // There are no such tables.
    }
    return {};
  }

  /** Deletes the tables. */
  drop(): void {
    this.transaction(() => {
      for (const statement of this.statements.drop) this.sql.exec(statement);
    });
  }

  private read(limits: Limits | undefined): SessionHandle | undefined {
    const { sql } = this;
    const { read } = this.statements;
    const reader = call(() => new (core().SessionReader)(bounds(limits)));
    for (const row of sql.exec(read.meta)) {
      call(() => reader.meta(Number(row.format), String(row.session), Number(row.revision), Number(row.bytes)));
    }
    for (const row of sql.exec(read.base)) {
      const [arena, length] = passBytes(new Uint8Array(row.text as ArrayBuffer));
      call(() => reader.base(Number(row.id), arena, length));
    }
    for (const row of sql.exec(read.log)) {
      const [arena, length] = passBytes(new Uint8Array(row.patch as ArrayBuffer));
      call(() => reader.log(Number(row.id), Number(row.parts), arena, length));
    }
    return call(() => reader.finish());
  }

  private create(initial: StateDocument, limits: Limits | undefined): SessionHandle {
    const rows: Row[] = [];
    const session = call(() => core().SessionHandle.create(crypto.randomUUID(), initial.handle, bounds(limits), rows));
    initial.free();
    this.execute(rows);
    return session;
  }

  private execute(rows: Row[]): void {
    for (const [statement, ...parameters] of rows) {
      this.sql.exec(this.statements.write[statement], ...(parameters as (string | number | ArrayBuffer)[]));
    }
  }
}
