import { ROW } from "../bridge/boundary.js";
import { call, core, passBytes, passTexts } from "../bridge/core.js";
import { bounds } from "../bridge/limits.js";
import { Tables, type Row as Planned } from "../sync/tables.js";
import type { Limits } from "../types.js";
import type { StateDocument } from "../values/document.js";
import type { SessionHandle } from "../wasm/patchwire.js";
import type { Row, Shape, StoreStorage, Table, TableStorage } from "./rows.js";

/** The rows of one state, whatever it is stored in. */
export type StateTables = Pick<Tables, "open" | "write" | "last" | "drop">;

const ID = { id: "INTEGER" } as const;
const shapes = (name: string) => ({
  meta: { name: `state:${name}:meta`, key: ID, columns: { format: "INTEGER", session: "TEXT", revision: "INTEGER", bytes: "INTEGER" } } as Shape,
  base: { name: `state:${name}:base`, key: ID, columns: { text: "TEXT" } } as Shape,
  log: { name: `state:${name}:log`, key: ID, columns: { parts: "INTEGER", patch: "TEXT" } } as Shape,
});

export function stateTables(storage: StoreStorage, quietly: StoreStorage["transactionSync"], name: string): StateTables {
  return "table" in storage ? new PlainTables(storage, quietly, name) : new Tables(storage.sql, quietly, name);
}

/** The rows of a state in a storage that has no SQL: carries out the same plans as {@link Tables}. */
class PlainTables implements StateTables {
  private readonly meta: Table;
  private readonly base: Table;
  private readonly log: Table;

  constructor(
    storage: TableStorage,
    private readonly transaction: StoreStorage["transactionSync"],
    name: string,
  ) {
    const { meta, base, log } = shapes(name);
    [this.meta, this.base, this.log] = [storage.table(meta), storage.table(base), storage.table(log)];
  }

  open(initial: () => StateDocument, limits: Limits | undefined): SessionHandle {
    return this.transaction(() => this.read(limits) ?? this.create(initial(), limits));
  }

  write(rows: Planned[]): void {
    this.transaction(() => this.execute(rows));
  }

  last(): { session?: string; revision?: number } {
    try {
      const [meta] = this.meta.rows({});
      if (meta === undefined) return {};
      const [newest] = this.log.rows({}, { backwards: true, limit: 1 });
      return { session: String(meta["session"]), revision: newest === undefined ? Number(meta["revision"]) : Math.floor(Number(newest["id"]) / 4096) };
    } catch {
      // It can't be read: what is next asked for finds out.
      return {};
    }
  }

  drop(): void {
    this.transaction(() => [this.meta, this.base, this.log].forEach((table) => table.delete({})));
  }

  private read(limits: Limits | undefined): SessionHandle | undefined {
    const reader = call(() => new (core().SessionReader)(bounds(limits)));
    for (const { format, session, revision, bytes } of this.meta.rows({})) {
      call(() => reader.meta(Number(format), String(session), Number(revision), Number(bytes)));
    }
    for (const { id, text } of this.base.rows({})) {
      const [arena, length] = passTexts(String(text));
      call(() => reader.base(Number(id), arena, length!));
    }
    for (const { id, parts, patch } of this.log.rows({})) {
      const [arena, length] = passTexts(String(patch));
      call(() => reader.log(Number(id), Number(parts), arena, length!));
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
    for (const [statement, id, ...values] of rows) {
      if (statement === ROW.PUT_META) this.meta.put({ id: 1, ...(columns(["format", "session", "revision", "bytes"], [id!, ...values])) });
      else if (statement === ROW.PUT_BASE) this.base.put({ id: Number(id), ...columns(["text"], values) });
      else if (statement === ROW.DELETE_BASE) this.base.delete({ from: Number(id) });
      else if (statement === ROW.PUT_LOG) this.log.put({ id: Number(id), ...columns(["parts", "patch"], values) });
      else this.log.delete({ below: Number(id) });
    }
  }
}

function columns(names: readonly string[], values: Planned[number][]): Row {
  const text = (value: Planned[number]) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : value);
  return Object.fromEntries(names.map((name, i) => [name, text(values[i]!)])) as Row;
}
