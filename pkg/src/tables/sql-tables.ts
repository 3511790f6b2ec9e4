import type { RowOperation } from "./plan.js";
import type { Register } from "./register.js";
import { StateTables, StoredRows, surpassed, type DurableStorage, type Era, type Meta } from "./state-tables.js";

/** The statements for the tables of one name. */
function statements(name: string) {
  const named = (table: string): string => `"patchwire_${name === "" ? "" : `${name}_`}${table}"`;
  const [meta, roots, chunks, log] = ["meta", "roots", "chunks", "log"].map(named);
  // As bytes: the texts don't become strings on their way.
  const row = (numbers: string, text: string): string => `CAST(${numbers} || char(10) || ${text} AS BLOB) AS row`;
  const withText = `(id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL)`;
  return {
    make: [
      `CREATE TABLE IF NOT EXISTS ${meta} (
        id INTEGER PRIMARY KEY, format INTEGER NOT NULL, session TEXT NOT NULL, tail INTEGER NOT NULL, folding INTEGER NOT NULL)`,
      `CREATE TABLE IF NOT EXISTS ${roots} ${withText}`,
      `CREATE TABLE IF NOT EXISTS ${chunks} ${withText}`,
      `CREATE TABLE IF NOT EXISTS ${log} (id INTEGER PRIMARY KEY, last INTEGER NOT NULL, hash INTEGER NOT NULL, patch TEXT NOT NULL)`,
    ],
    read: {
      meta: `SELECT * FROM ${meta} WHERE id = 1`,
      chunk: `SELECT ${row("hash", "text")} FROM ${chunks} WHERE id = ?`,
      left: `SELECT id FROM ${chunks} WHERE id IN (SELECT value FROM json_each(?))`,
      hashes: `SELECT id, hash FROM ${chunks} WHERE id >= ? ORDER BY id`,
      roots: `SELECT id FROM ${roots} ORDER BY id`,
      root: `SELECT ${row("hash", "text")} FROM ${roots} WHERE id = ?`,
      log: `SELECT ${row("id || ',' || last || ',' || hash", "patch")} FROM ${log} WHERE id >= ? ORDER BY id LIMIT 1`,
      logged: `SELECT id FROM ${log} WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT ?`,
    },
    rename: `UPDATE ${meta} SET session = ? WHERE id = 1`,
    // After a repair the newest root is newer than the log.
    last: `SELECT session, MAX(COALESCE((SELECT last FROM ${log} ORDER BY id DESC LIMIT 1), 0), COALESCE((SELECT MAX(id) FROM ${roots}), 0)) AS revision FROM ${meta} WHERE id = 1`,
    write: {
      putMeta: `INSERT INTO ${meta} (id, format, session, tail, folding) VALUES (1, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET format = excluded.format, session = excluded.session, tail = excluded.tail, folding = excluded.folding`,
      putRoot: `INSERT INTO ${roots} (id, hash, text) VALUES (?, ?, CAST(? AS TEXT))
        ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, text = excluded.text`,
      deleteRoot: `DELETE FROM ${roots} WHERE id = ?`,
      // An unfinished fold may have left one there.
      putChunk: `INSERT INTO ${chunks} (id, hash, text) VALUES (?, ?, CAST(? AS TEXT))
        ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, text = excluded.text`,
      deleteChunk: `DELETE FROM ${chunks} WHERE id = ?`,
      putLog: `INSERT INTO ${log} (id, last, hash, patch) VALUES (?, ?, ?, ?)`,
      // The row is copied once, with the parentheses. It is the newest, and has the revision before, or somebody else has written.
      appendLog: `UPDATE ${log} SET last = ?2, hash = ?3, patch = patch || (char(10) || ?4) 
        WHERE id = ?1 AND last = ?2 - 1 AND id = (SELECT MAX(id) FROM ${log})`,
      deleteLog: `DELETE FROM ${log} WHERE id >= ? AND id < ?`,
    },
    drop: [meta, roots, chunks, log].map((table) => `DROP TABLE IF EXISTS ${table}`),
  };
}

type Statements = ReturnType<typeof statements>;

class SqlRows extends StoredRows {
  constructor(
    private readonly sql: DurableStorage["sql"],
    private readonly queries: Statements["read"],
    register: Register,
    era: Era,
  ) {
    super(register, era);
  }

  chunk(id: number): Uint8Array {
    return this.bytes(this.queries.chunk, id);
  }

  left(ids: Float64Array): Iterable<unknown> {
    return this.ids(this.queries.left, JSON.stringify([...ids]));
  }

  hashes(from: number): Iterable<unknown> {
    return [...this.sql.exec(this.queries.hashes, from)].flatMap(({ id, hash }) => [id, hash]);
  }

  roots(): Iterable<unknown> {
    return this.ids(this.queries.roots);
  }

  root(revision: number): Uint8Array {
    return this.bytes(this.queries.root, revision);
  }

  log(from: number): Uint8Array {
    return this.bytes(this.queries.log, from);
  }

  logged(from: number, before: number, most: number): Iterable<unknown> {
    return this.ids(this.queries.logged, from, before, most);
  }

  meta(): Meta | undefined {
    const [meta] = this.sql.exec(this.queries.meta);
    return meta as Meta | undefined;
  }

  private bytes(query: string, ...parameters: number[]): Uint8Array {
    for (const { row } of this.sql.exec(query, ...parameters)) return new Uint8Array(row as ArrayBuffer);
    return new Uint8Array();
  }

  private ids(query: string, ...parameters: (string | number)[]): Iterable<unknown> {
    return [...this.sql.exec(query, ...parameters)].map(({ id }) => id);
  }
}

/** The rows of a state in a Durable Object's SQLite. */
export class SqlTables extends StateTables {
  /** Some 3 KB, which an object of many states holds for those alone that are in use. */
  private built: Statements | undefined = undefined;

  /** The name is part of the tables' names. */
  constructor(
    private readonly sql: DurableStorage["sql"],
    transaction: DurableStorage["transactionSync"],
    private readonly name: string,
    register: Register,
  ) {
    super(transaction, register);
  }

  private get statements(): Statements {
    return (this.built ??= statements(this.name));
  }

  override rest(): void {
    this.built = undefined;
  }

  protected stored(): { session?: string; revision?: number } {
    for (const { session, revision } of this.sql.exec(this.statements.last)) return { session: String(session), revision: Number(revision) };
    return {};
  }

  protected rename(session: string): void {
    this.sql.exec(this.statements.rename, session);
  }

  protected dropTables(): void {
    for (const statement of this.statements.drop) this.sql.exec(statement);
  }

  protected read(): StoredRows {
    return new SqlRows(this.sql, this.statements.read, this.register, this.era);
  }

  protected prepare(): void {
    for (const statement of this.statements.make) this.sql.exec(statement);
  }

  protected execute(rows: RowOperation[]): void {
    for (const [statement, ...parameters] of rows as [RowOperation[0], ...(string | number | ArrayBuffer)[]][]) {
      const { rowsWritten } = this.sql.exec(this.statements.write[statement], ...parameters);
      if (statement === "appendLog" && rowsWritten === 0) throw surpassed();
    }
  }
}
