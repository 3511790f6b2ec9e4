import { ROW } from "../bridge/boundary.js";
import { call, core, passBytes, passTexts } from "../bridge/core.js";
import { bounds } from "../bridge/limits.js";
import { Reading, Tables, type ChunkTable, type Row as Planned } from "../sync/tables.js";
import type { Limits } from "../types.js";
import type { StateDocument } from "../values/document.js";
import type { SessionHandle } from "../wasm/patchwire.js";
import type { Row, Shape, StoreStorage, Table, TableStorage } from "./rows.js";

/** The rows of one state, whatever it is stored in. */
export type StateTables = Pick<Tables, "open" | "write" | "last" | "drop" | "hasFailed">;

const ID = { id: "INTEGER" } as const;
const TEXT = { hash: "INTEGER", text: "TEXT" } as const;
const shapes = (name: string) => ({
  meta: { name: `state:${name}:meta`, key: ID, columns: { format: "INTEGER", session: "TEXT", tail: "INTEGER", folding: "INTEGER" } } as Shape,
  roots: { name: `state:${name}:roots`, key: ID, columns: TEXT } as Shape,
  chunks: { name: `state:${name}:chunks`, key: ID, columns: TEXT } as Shape,
  log: { name: `state:${name}:log`, key: ID, columns: { last: "INTEGER", hash: "INTEGER", patch: "TEXT" } } as Shape,
});

export function stateTables(storage: StoreStorage, quietly: StoreStorage["transactionSync"], name: string): StateTables {
  return "table" in storage ? new PlainTables(storage, quietly, name) : new Tables(storage.sql, quietly, name);
}

/** The rows of a state in a storage that has no SQL: carries out the same plans as {@link Tables}. */
class PlainTables implements StateTables {
  private readonly meta: Table;
  private readonly roots: Table;
  private readonly chunks: Table;
  private readonly log: Table;
  private chunked: PlainChunks | undefined;

  constructor(
    storage: TableStorage,
    private readonly transaction: StoreStorage["transactionSync"],
    name: string,
  ) {
    const { meta, roots, chunks, log } = shapes(name);
    [this.meta, this.roots, this.chunks, this.log] = [storage.table(meta), storage.table(roots), storage.table(chunks), storage.table(log)];
  }

  open(initial: () => StateDocument, limits: Limits | undefined): SessionHandle {
    return this.transaction(() => this.read(limits) ?? this.create(initial(), limits));
  }

  get hasFailed(): boolean {
    return this.chunked?.hasFailed === true;
  }

  write(rows: Planned[]): void {
    this.transaction(() => this.execute(rows));
  }

  last(): { session?: string; revision?: number } {
    try {
      const [meta] = this.meta.rows({});
      if (meta === undefined) return {};
      const [newest] = this.log.rows({}, { backwards: true, limit: 1 });
      const [root] = this.roots.rows({}, { backwards: true, limit: 1 });
      return { session: String(meta["session"]), revision: Number(newest?.["last"] ?? root?.["id"]) };
    } catch {
      // It can't be read: what is next asked for finds out.
      return {};
    }
  }

  drop(): void {
    this.transaction(() => [this.meta, this.roots, this.chunks, this.log].forEach((table) => table.delete({})));
  }

  private read(limits: Limits | undefined): SessionHandle | undefined {
    const reader = call(() => new (core().SessionReader)(bounds(limits), (this.chunked = new PlainChunks(this.chunks))));
    for (const { format, session, tail, folding } of this.meta.rows({})) {
      call(() => reader.meta(Number(format), String(session), Number(tail), Number(folding)));
    }
    for (const { id, hash, text } of this.roots.rows({})) {
      const [arena, length] = passTexts(String(text));
      call(() => reader.root(Number(id), Number(hash), arena, length!));
    }
    for (const { id, last, hash, patch } of this.log.rows({})) {
      const [arena, length] = passTexts(String(patch));
      call(() => reader.log(Number(id), Number(last), Number(hash), arena, length!));
    }
    return call(() => reader.finish());
  }

  private create(initial: StateDocument, limits: Limits | undefined): SessionHandle {
    const rows: Planned[] = [];
    const session = call(() => core().SessionHandle.create(crypto.randomUUID(), initial.handle, bounds(limits), rows));
    initial.free();
    this.execute(rows);
    return session;
  }

  private execute(rows: Planned[]): void {
    for (const [statement, ...values] of rows) {
      const id = Number(values[0]);
      switch (statement) {
        case ROW.PUT_META: this.meta.put({ id: 1, ...columns(["format", "session", "tail", "folding"], values) }); break;
        case ROW.PUT_ROOT: this.roots.put(columns(["id", "hash", "text"], values)); break;
        case ROW.DELETE_ROOT: this.roots.delete(only(id)); break;
        case ROW.PUT_CHUNK: this.chunks.put(columns(["id", "hash", "text"], values)); break;
        case ROW.DELETE_CHUNK: this.chunks.delete(only(id)); break;
        case ROW.PUT_LOG: this.log.put(columns(["id", "last", "hash", "patch"], values)); break;
        case ROW.APPEND_LOG: {
          const { patch, ...rest } = columns(["id", "last", "hash", "patch"], values);
          const [row] = this.log.rows(only(id));
          this.log.put({ ...rest, patch: `${row!["patch"]}\n${patch}` });
          break;
        }
        case ROW.DELETE_LOG: this.log.delete({ below: id }); break;
      }
    }
  }
}

/** The table of chunks, which the core reads while it runs, as that of {@link Tables}. */
class PlainChunks extends Reading implements ChunkTable {
  constructor(private readonly table: Table) {
    super();
  }

  chunk(id: number): Uint8Array {
    const [row] = this.table.rows(only(id));
    return row === undefined ? new Uint8Array() : new TextEncoder().encode(`${row["hash"]}\n${row["text"]}`);
  }

  left(ids: Float64Array): Float64Array {
    return ids.filter((id) => this.table.rows(only(id)).length > 0);
  }

  hashes(from: number): Float64Array {
    return Float64Array.from(this.table.rows({ from }).flatMap(({ id, hash }) => [Number(id), Number(hash)]));
  }
}

const only = (id: number) => ({ from: id, below: id + 1 });

function columns(names: readonly string[], values: Planned[number][]): Row {
  const text = (value: Planned[number]) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value);
  return Object.fromEntries(names.map((name, i) => [name, text(values[i]!)])) as Row;
}
