import type { DurableStorage } from "./state-tables.js";

/** What a column holds. */
export type Value = string | number;

/** A row by its columns. */
export type Row = Readonly<Record<string, Value>>;

/** How a table looks: its rows are in the order of their keys, which come first. */
export interface Shape {
  readonly name: string;
  readonly key: Readonly<Record<string, "INTEGER" | "TEXT">>;
  readonly columns: Readonly<Record<string, "INTEGER" | "TEXT">>;
}

/** A row of a shape, by its columns. */
export type RowOf<S extends Shape> = { readonly [Column in keyof S["key"]]: ValueOf<S["key"][Column]> } & { readonly [Column in keyof S["columns"]]: ValueOf<S["columns"][Column]> };

type ValueOf<Type> = Type extends "INTEGER" ? number : string;

/** Which rows: those whose key begins with `prefix`, and whose next column is at least `from` and less than `below`. */
export interface Range {
  readonly prefix?: readonly Value[];
  readonly from?: Value;
  readonly below?: Value;
}

/** The rows of one table, as every backend has them. */
export interface Table {
  /** In the order of their keys, or backwards; at most `limit`. */
  rows(range: Range, options?: { backwards?: boolean; limit?: number }): Row[];
  /** Writes a row, in the place of the one with its key if there is one. */
  put(row: Row): void;
  delete(range: Range): void;
}

/** Where tables are: the seam between what is stored and what stores it. */
export interface TableStorage {
  /** The table; it is made if there is none. */
  table(shape: Shape): Table;
  /** All that is done in it, or nothing if it throws. One may be in another. */
  transactionSync<R>(run: () => R): R;
  deleteAll?(...rest: any[]): Promise<void>;
}

/** What a {@link DurableStateStore} may be kept in. */
export type StoreStorage = DurableStorage | TableStorage;

/** Whether it is one of either kind. */
export function isStorage(given: unknown): given is StoreStorage {
  return typeof (given as Partial<StoreStorage> | null | undefined)?.transactionSync === "function";
}

/** The tables of a storage, whichever kind it is. */
export function tablesOf(storage: StoreStorage): Pick<TableStorage, "table"> {
  return "table" in storage ? storage : { table: (shape) => new SqlTable(storage.sql, shape) };
}

/** What SQLite calls the table of a name. */
const sqlName = (name: string): string => `"patchwire:${name}"`;

/** A table of SQLite. A key of more than one column, or of text, is the table's own order, so that a row written is one row. */
class SqlTable implements Table {
  private readonly name: string;
  private readonly keys: string[];
  private readonly columns: string[];
  private readonly insert: string;

  constructor(
    private readonly sql: DurableStorage["sql"],
    { name, key, columns }: Shape,
  ) {
    this.name = sqlName(name);
    this.keys = Object.keys(key);
    this.columns = [...this.keys, ...Object.keys(columns)];
    const types = Object.entries({ ...key, ...columns }).map(([column, type]) => `"${column}" ${type} NOT NULL`);
    const isNumbered = this.keys.length === 1 && key[this.keys[0]!] === "INTEGER";
    const quoted = (names: string[]): string => names.map((column) => `"${column}"`).join(", ");
    sql.exec(`CREATE TABLE IF NOT EXISTS ${this.name} (${types.join(", ")}, PRIMARY KEY (${quoted(this.keys)}))${isNumbered ? "" : " WITHOUT ROWID"}`);
    const updates = Object.keys(columns).map((column) => `"${column}" = excluded."${column}"`);
    this.insert = `INSERT INTO ${this.name} (${quoted(this.columns)}) VALUES (${this.columns.map(() => "?").join(", ")})
      ON CONFLICT (${quoted(this.keys)}) DO UPDATE SET ${updates.join(", ")}`;
  }

  rows(range: Range, { backwards = false, limit }: { backwards?: boolean; limit?: number } = {}): Row[] {
    const [where, values] = this.where(range);
    const order = this.keys.map((column) => `"${column}"${backwards ? " DESC" : ""}`).join(", ");
    const query = `SELECT * FROM ${this.name}${where} ORDER BY ${order}${limit === undefined ? "" : " LIMIT ?"}`;
    return [...this.sql.exec(query, ...values, ...(limit === undefined ? [] : [limit]))] as Row[];
  }

  put(row: Row): void {
    this.sql.exec(this.insert, ...this.columns.map((column) => row[column]!));
  }

  delete(range: Range): void {
    const [where, values] = this.where(range);
    this.sql.exec(`DELETE FROM ${this.name}${where}`, ...values);
  }

  private where({ prefix = [], from, below }: Range): [clause: string, values: Value[]] {
    const terms = prefix.map((_, i) => `"${this.keys[i]}" = ?`);
    const next = `"${this.keys[prefix.length]}"`;
    const values = [...prefix];
    if (from !== undefined) values.push(from), terms.push(`${next} >= ?`);
    if (below !== undefined) values.push(below), terms.push(`${next} < ?`);
    return [terms.length === 0 ? "" : ` WHERE ${terms.join(" AND ")}`, values];
  }
}

/** A name as part of a key: ASCII, whatever it holds, so that every backend keeps and orders it alike. */
export function keyOf(name: string): string {
  return JSON.stringify(name).replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The name that a key was made of. */
export const nameOf = (key: Value): string => JSON.parse(String(key)) as string;
