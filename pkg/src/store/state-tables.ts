import { attempt } from "../bridge/engine.js";
import { SqlTables } from "../sync/sql-tables.js";
import type { Row as Planned } from "../sync/plan.js";
import { StateTables, StoredRows, type Meta } from "../sync/tables.js";
import type { Row, Shape, StoreStorage, Table, TableStorage } from "./rows.js";

const ID = { id: "INTEGER" } as const;
const TEXT = { hash: "INTEGER", text: "TEXT" } as const;
const SHAPES = {
  meta: { format: "INTEGER", session: "TEXT", tail: "INTEGER", folding: "INTEGER" },
  roots: TEXT,
  chunks: TEXT,
  log: { last: "INTEGER", hash: "INTEGER", patch: "TEXT" },
  pins: { count: "INTEGER" },
} satisfies Record<string, Shape["columns"]>;
type Plain = Record<keyof typeof SHAPES, Table>;

export function stateTables(storage: StoreStorage, quietly: StoreStorage["transactionSync"], name: string): StateTables {
  return "table" in storage ? new PlainTables(storage, quietly, name) : new SqlTables(storage.sql, quietly, name);
}

/** The rows of a state in a storage that has no SQL. */
class PlainTables extends StateTables {
  private readonly tables: Plain;

  constructor(storage: TableStorage, transaction: StoreStorage["transactionSync"], name: string) {
    super(transaction);
    const table = ([kind, columns]: [string, Shape["columns"]]) => [kind, storage.table({ name: `state:${name}:${kind}`, key: ID, columns })];
    this.tables = Object.fromEntries(Object.entries(SHAPES).map(table)) as Plain;
  }

  last(): { session?: string; revision?: number } {
    const { meta, log, roots } = this.tables;
    try {
      const [described] = meta.rows({});
      if (described === undefined) return {};
      const [newest] = log.rows({}, { backwards: true, limit: 1 });
      const [root] = roots.rows({}, { backwards: true, limit: 1 });
      return { session: String(described["session"]), revision: Number(newest?.["last"] ?? root?.["id"]) };
    } catch {
      // It can't be read: what is next asked for finds out.
      return {};
    }
  }

  drop(): void {
    this.transaction(() => Object.values(this.tables).forEach((table) => table.delete({})));
  }

  pin(revision: number): void {
    this.tables.pins.put({ id: revision, count: this.countOf(revision) + 1 });
  }

  unpin(revision: number): boolean {
    const count = this.countOf(revision);
    if (count > 1) this.tables.pins.put({ id: revision, count: count - 1 });
    else this.tables.pins.delete(only(revision));
    return count > 0;
  }

  pins(): number[] {
    return this.tables.pins.rows({}).map(({ id }) => Number(id));
  }

  protected read(): StoredRows {
    return new PlainRows(this.tables);
  }

  protected prepare(): undefined {}

  private countOf(revision: number): number {
    return Number(this.tables.pins.rows(only(revision))[0]?.["count"] ?? 0);
  }

  protected execute(rows: Planned[]): void {
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
          const [known] = log.rows(only(id));
          log.put({ id, last, hash, patch: `${known!["patch"]}\n${patch}` });
          break;
        }
        case "deleteLog": log.delete({ from: row[1], below: row[2] }); break;
      }
    }
  }
}

class PlainRows extends StoredRows {
  constructor(private readonly tables: Plain) {
    super();
  }

  chunk(id: number): Uint8Array {
    return this.text(this.tables.chunks, id);
  }

  left(ids: Float64Array): Float64Array {
    return this.numbers(() => ids.filter((id) => this.tables.chunks.rows(only(id)).length > 0));
  }

  hashes(from: number): Float64Array {
    return this.numbers(() => this.tables.chunks.rows({ from }).flatMap(({ id, hash }) => [id, hash]));
  }

  roots(): Float64Array {
    return this.numbers(() => this.tables.roots.rows({}).map(({ id }) => id));
  }

  root(revision: number): Uint8Array {
    return this.text(this.tables.roots, revision);
  }

  log(from: number): Uint8Array {
    return this.row(() => {
      const [row] = this.tables.log.rows({ from }, { limit: 1 });
      return row && { numbers: [row["id"], row["last"], row["hash"]], text: String(row["patch"]) };
    });
  }

  logged(from: number, before: number, most: number): Float64Array {
    return this.numbers(() => (from < before ? this.tables.log.rows({ from, below: before }, { backwards: true, limit: most }).map(({ id }) => id) : []));
  }

  pinned(from: number, before: number): boolean {
    // If it can't be known, all stays.
    return attempt(true, () => from < before && this.tables.pins.rows({ from, below: before }, { limit: 1 }).length > 0);
  }

  protected readMeta(): Meta | undefined {
    const [meta] = this.tables.meta.rows({});
    return meta as Meta | undefined;
  }

  private text(table: Table, id: number): Uint8Array {
    return this.row(() => {
      const [row] = table.rows(only(id));
      return row && { numbers: [row["hash"]], text: String(row["text"]) };
    });
  }
}

const only = (id: number) => ({ from: id, below: id + 1 });

function columns(names: readonly string[], values: (string | number | Uint8Array)[]): Row {
  const text = (value: string | number | Uint8Array) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value);
  return Object.fromEntries(names.map((name, i) => [name, text(values[i]!)])) as Row;
}
