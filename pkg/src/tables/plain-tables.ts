import { rowOf } from "./held-rows.js";
import type { RowOperation } from "./plan.js";
import { Register } from "./register.js";
import { SqlTables } from "./sql-tables.js";
import { StateTables, StoredRows, surpassed, type Era, type Meta } from "./state-tables.js";
import type { Row, Shape, StoreStorage, Table, TableStorage } from "./rows.js";

const ID = { id: "INTEGER" } as const;
const TEXT = { hash: "INTEGER", text: "TEXT" } as const;
const SHAPES = {
  meta: { format: "INTEGER", session: "TEXT", tail: "INTEGER", folding: "INTEGER" },
  roots: TEXT,
  chunks: TEXT,
  log: { last: "INTEGER", hash: "INTEGER", patch: "TEXT" },
} satisfies Record<string, Shape["columns"]>;
/** The one row of `meta`. */
const DESCRIPTION = { prefix: [1] };

type Plain = Record<keyof typeof SHAPES, Table>;

export function stateTables(storage: StoreStorage, quietly: StoreStorage["transactionSync"], name: string): StateTables {
  const register = new Register(storage, name);
  return "table" in storage ? new PlainTables(storage, quietly, name, register) : new SqlTables(storage.sql, quietly, name, register);
}

/** The rows of a state in a storage that has no SQL. */
class PlainTables extends StateTables {
  private readonly tables: Plain;

  constructor(storage: TableStorage, transaction: StoreStorage["transactionSync"], name: string, register: Register) {
    super(transaction, register);
    const table = (kind: string, columns: Shape["columns"]): Table => storage.table({ name: `state:${name}:${kind}`, key: ID, columns });
    this.tables = Object.fromEntries(Object.entries(SHAPES).map(([kind, columns]) => [kind, table(kind, columns)])) as Plain;
  }

  protected stored(): { session?: string; revision?: number } {
    const { meta, log, roots } = this.tables;
    const [described] = meta.rows(DESCRIPTION);
    if (described === undefined) return {};
    const [newest] = log.rows({}, { backwards: true, limit: 1 });
    const [root] = roots.rows({}, { backwards: true, limit: 1 });
    return { session: String(described["session"]), revision: Math.max(Number(newest?.["last"] ?? 0), Number(root?.["id"] ?? 0)) };
  }

  protected rename(session: string): void {
    for (const row of this.tables.meta.rows(DESCRIPTION)) this.tables.meta.put({ ...row, session });
  }

  protected dropTables(): void {
    Object.values(this.tables).forEach((table) => table.delete({}));
  }

  protected read(): StoredRows {
    return new PlainRows(this.tables, this.register, this.era);
  }

  protected prepare(): void {}

  protected execute(rows: RowOperation[]): void {
    const { meta, roots, chunks, log } = this.tables;
    for (const row of rows) {
      const [, ...values] = row;
      switch (row[0]) {
        case "putMeta": meta.put({ id: 1, ...columns(["format", "session", "tail", "folding"], values) }); break;
        case "putRoot": roots.put(columns(["id", "hash", "text"], values)); break;
        case "deleteRoot": roots.delete(only(row[1])); break;
        case "putChunk": chunks.put(columns(["id", "hash", "text"], values)); break;
        case "deleteChunk": chunks.delete(only(row[1])); break;
        case "putLog": log.put(columns(["id", "last", "hash", "patch"], values)); break;
        case "appendLog": {
          const [, id, last, hash, patch] = row;
          const [known] = log.rows({}, { backwards: true, limit: 1 });
          if (known?.["id"] !== id || known["last"] !== last - 1) throw surpassed();
          log.put({ id, last, hash, patch: `${known["patch"]}\n${patch}` });
          break;
        }
        case "deleteLog": log.delete({ from: row[1], below: row[2] }); break;
      }
    }
  }
}

class PlainRows extends StoredRows {
  constructor(
    private readonly tables: Plain,
    register: Register,
    era: Era,
  ) {
    super(register, era);
  }

  chunk(id: number): Uint8Array {
    return this.text(this.tables.chunks, id);
  }

  left(ids: Float64Array): Iterable<unknown> {
    return ids.filter((id) => this.tables.chunks.rows(only(id)).length > 0);
  }

  hashes(from: number): Iterable<unknown> {
    return this.tables.chunks.rows({ from }).flatMap(({ id, hash }) => [id, hash]);
  }

  roots(): Iterable<unknown> {
    return this.tables.roots.rows({}).map(({ id }) => id);
  }

  root(revision: number): Uint8Array {
    return this.text(this.tables.roots, revision);
  }

  log(from: number): Uint8Array {
    const [row] = this.tables.log.rows({ from }, { limit: 1 });
    return row === undefined ? new Uint8Array() : rowOf([row["id"], row["last"], row["hash"]], String(row["patch"]));
  }

  logged(from: number, before: number, most: number): Iterable<unknown> {
    return from < before ? this.tables.log.rows({ from, below: before }, { backwards: true, limit: most }).map(({ id }) => id) : [];
  }

  meta(): Meta | undefined {
    const [meta] = this.tables.meta.rows(DESCRIPTION);
    return meta as Meta | undefined;
  }

  private text(table: Table, id: number): Uint8Array {
    const [row] = table.rows(only(id));
    return row === undefined ? new Uint8Array() : rowOf([row["hash"]], String(row["text"]));
  }
}

const only = (id: number) => ({ from: id, below: id + 1 });

function columns(names: readonly string[], values: (string | number | Uint8Array)[]): Row {
  const text = (value: string | number | Uint8Array) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value);
  return Object.fromEntries(names.map((name, i) => [name, text(values[i]!)])) as Row;
}
