import { ROW } from "../bridge/boundary.js";
import { call, core, passBytes } from "../bridge/core.js";
import { attempt, reading } from "../bridge/engine.js";
import { PatchwireError, type PatchwireErrorCode } from "../errors.js";
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
  const named = (table: string): string => `"patchwire_${name === "" ? "" : `${name}_`}${table}"`;
  const [meta, roots, chunks, log, base] = ["meta", "roots", "chunks", "log", "base"].map(named);
  const withText = `(id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL)`;
  return {
    describe: `CREATE TABLE IF NOT EXISTS ${meta} (
      id INTEGER PRIMARY KEY, format INTEGER NOT NULL, session TEXT NOT NULL, tail INTEGER NOT NULL, folding INTEGER NOT NULL)`,
    make: [
      `CREATE TABLE IF NOT EXISTS ${roots} ${withText}`,
      `CREATE TABLE IF NOT EXISTS ${chunks} ${withText}`,
      `CREATE TABLE IF NOT EXISTS ${log} (id INTEGER PRIMARY KEY, last INTEGER NOT NULL, hash INTEGER NOT NULL, patch TEXT NOT NULL)`,
    ],
    read: {
      meta: `SELECT * FROM ${meta}`,
      // As bytes: the texts don't become strings on their way.
      roots: `SELECT id, hash, CAST(text AS BLOB) AS text FROM ${roots} ORDER BY id`,
      log: `SELECT id, last, hash, CAST(patch AS BLOB) AS patch FROM ${log} ORDER BY id`,
      chunk: `SELECT CAST(hash || char(10) || text AS BLOB) AS text FROM ${chunks} WHERE id = ?`,
      left: `SELECT id FROM ${chunks} WHERE id IN (SELECT value FROM json_each(?))`,
      hashes: `SELECT id, hash FROM ${chunks} WHERE id >= ? ORDER BY id`,
    },
    format1: {
      base: `SELECT id, CAST(text AS BLOB) AS text FROM ${base} ORDER BY id`,
      log: `SELECT id, parts, CAST(patch AS BLOB) AS patch FROM ${log} ORDER BY id`,
    },
    last: `SELECT session, COALESCE((SELECT last FROM ${log} ORDER BY id DESC LIMIT 1), (SELECT MAX(id) FROM ${roots})) AS revision FROM ${meta}`,
    write: {
      [ROW.PUT_META]: `INSERT INTO ${meta} (id, format, session, tail, folding) VALUES (1, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET format = excluded.format, session = excluded.session, tail = excluded.tail, folding = excluded.folding`,
      [ROW.PUT_ROOT]: `INSERT INTO ${roots} (id, hash, text) VALUES (?, ?, CAST(? AS TEXT))`,
      [ROW.DELETE_ROOT]: `DELETE FROM ${roots} WHERE id = ?`,
      // An unfinished fold may have left one there.
      [ROW.PUT_CHUNK]: `INSERT INTO ${chunks} (id, hash, text) VALUES (?, ?, CAST(? AS TEXT))
        ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, text = excluded.text`,
      [ROW.DELETE_CHUNK]: `DELETE FROM ${chunks} WHERE id = ?`,
      [ROW.PUT_LOG]: `INSERT INTO ${log} (id, last, hash, patch) VALUES (?, ?, ?, ?)`,
      [ROW.APPEND_LOG]: `UPDATE ${log} SET last = ?, hash = ?, patch = patch || char(10) || ? WHERE id = ?`,
      [ROW.DELETE_LOG]: `DELETE FROM ${log} WHERE id < ?`,
    },
    drop: [meta, base, roots, chunks, log].map((table) => `DROP TABLE IF EXISTS ${table}`),
  };
}

/** The table of chunks, which the core reads while it runs: nothing may be thrown through it (src/wasm/session.rs). */
export interface ChunkTable {
  chunk(id: number): Uint8Array;
  left(ids: Float64Array): Float64Array;
  hashes(from: number): Float64Array;
  /** Reading failed, in the middle of something that can't: it is thrown when the core has returned. */
  failed(error: string): void;
}

/** What a state's chunks are read with. Once reading has failed, nothing that the state says may be believed. */
export class Reading {
  hasFailed = false;

  failed(error: string): void {
    this.hasFailed = true;
    const { code, message } = JSON.parse(error) as { code: PatchwireErrorCode; message: string };
    reading.failure ??= { thrown: new PatchwireError(code, message), isLasting: false };
  }
}

class Chunks extends Reading implements ChunkTable {
  constructor(
    private readonly sql: DurableStorage["sql"],
    private readonly queries: { chunk: string; left: string; hashes: string },
  ) {
    super();
  }

  chunk(id: number): Uint8Array {
    return attempt(new Uint8Array(), () => {
      for (const { text } of this.sql.exec(this.queries.chunk, id)) return new Uint8Array(text as ArrayBuffer);
      return new Uint8Array();
    });
  }

  left(ids: Float64Array): Float64Array {
    return attempt(new Float64Array(), () => {
      const rows = [...this.sql.exec(this.queries.left, JSON.stringify([...ids]))];
      return Float64Array.from(rows, ({ id }) => Number(id));
    });
  }

  hashes(from: number): Float64Array {
    return attempt(new Float64Array(), () => {
      const rows = [...this.sql.exec(this.queries.hashes, from)];
      return Float64Array.from(rows.flatMap(({ id, hash }) => [Number(id), Number(hash)]));
    });
  }
}

/** The rows of a state in a Durable Object's SQLite: executes what the core plans. */
export class Tables {
  private readonly statements: ReturnType<typeof statements>;
  private chunks: Chunks | undefined;

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
      this.sql.exec(this.statements.describe);
      const [meta] = this.sql.exec(this.statements.read.meta);
      if (meta?.format === 1) return this.migrate(meta, limits);
      for (const statement of this.statements.make) this.sql.exec(statement);
      return this.read(meta, limits) ?? this.create(initial(), limits);
    });
  }

  /** Whether a chunk couldn't be read that somebody looked into: then the session is of no use. */
  get hasFailed(): boolean {
    return this.chunks?.hasFailed === true;
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

  private read(meta: Record<string, unknown> | undefined, limits: Limits | undefined): SessionHandle | undefined {
    const { sql } = this;
    const { read } = this.statements;
    const chunks = (this.chunks = new Chunks(sql, read));
    const reader = call(() => new (core().SessionReader)(bounds(limits), chunks));
    if (meta !== undefined) call(() => reader.meta(Number(meta.format), String(meta.session), Number(meta.tail), Number(meta.folding)));
    for (const { id, hash, text } of sql.exec(read.roots)) {
      const [arena, length] = passBytes(new Uint8Array(text as ArrayBuffer));
      call(() => reader.root(Number(id), Number(hash), arena, length));
    }
    for (const { id, last, hash, patch } of sql.exec(read.log)) {
      const [arena, length] = passBytes(new Uint8Array(patch as ArrayBuffer));
      call(() => reader.log(Number(id), Number(last), Number(hash), arena, length));
    }
    return call(() => reader.finish());
  }

  /** Reads tables of format 1, and makes those of the present one. */
  private migrate(meta: Record<string, unknown>, limits: Limits | undefined): SessionHandle {
    const { sql } = this;
    const { describe, make, format1, drop } = this.statements;
    const reader = call(() => new (core().Format1Reader)(String(meta.session), Number(meta.revision), Number(meta.bytes)));
    for (const { id, text } of sql.exec(format1.base)) {
      const [arena, length] = passBytes(new Uint8Array(text as ArrayBuffer));
      call(() => reader.base(Number(id), arena, length));
    }
    for (const { id, parts, patch } of sql.exec(format1.log)) {
      const [arena, length] = passBytes(new Uint8Array(patch as ArrayBuffer));
      call(() => reader.log(Number(id), Number(parts), arena, length));
    }
    const rows: Row[] = [];
    const session = call(() => reader.finish(bounds(limits), rows));
    for (const statement of [...drop, describe, ...make]) sql.exec(statement);
    this.execute(rows);
    return session;
  }

  private create(initial: StateDocument, limits: Limits | undefined): SessionHandle {
    const rows: Row[] = [];
    const session = call(() => core().SessionHandle.create(crypto.randomUUID(), initial.handle, bounds(limits), rows));
    initial.free();
    this.execute(rows);
    return session;
  }

  private execute(rows: Row[]): void {
    for (const [statement, id, ...fields] of rows as [Row[0], ...(string | number | ArrayBuffer)[]][]) {
      const parameters = statement === ROW.APPEND_LOG ? [...fields, id!] : [id!, ...fields];
      this.sql.exec(this.statements.write[statement], ...parameters);
    }
  }
}
