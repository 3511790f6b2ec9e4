import { call, core, passTexts } from "../bridge/core.js";
import { PatchwireError } from "../errors.js";
import type { Range, Row, RowOf, Shape, Table, TableStorage, Value } from "./rows.js";

/** A text from the rows that have it, and the first of these. */
interface StoredText<S extends Shape> {
  row: RowOf<S>;
  text: string;
}

/**
 * A table of which nothing is believed that isn't whole: each row has a hash of its table, its key and its columns, and a
 * text is all of its rows. What isn't is `VALIDATION_FAILED`, what isn't there but must be `STREAM_TRUNCATED`; either names
 * the table and the row.
 */
export class HashedTable<S extends Shape = Shape> {
  private readonly table: Table;
  private readonly name: string;
  private readonly keys: string[];
  private readonly columns: string[];

  constructor(storage: Pick<TableStorage, "table">, { name, key, columns }: S) {
    this.table = storage.table({ name, key, columns: { ...columns, hash: "INTEGER" } });
    this.name = name;
    this.keys = Object.keys(key);
    this.columns = [...this.keys, ...Object.keys(columns)];
  }

  rows(range: Range, options?: { backwards?: boolean; limit?: number }): RowOf<S>[] {
    return this.table.rows(range, options).map(({ hash, ...row }) => {
      if (hash !== this.hashOf(row)) throw this.damaged(this.keyOf(row));
      // The hash tells a number from a text.
      return row as RowOf<S>;
    });
  }

  /** Rows as they are there, for where that is all that can be asked. */
  unchecked(range: Range, options?: { backwards?: boolean; limit?: number }): Row[] {
    return this.table.rows(range, options);
  }

  /** The row of a key. */
  row(key: readonly Value[]): RowOf<S> | undefined {
    return this.rows({ prefix: key })[0];
  }

  put(row: RowOf<S>): void {
    const columns: Row = row;
    this.table.put({ ...columns, hash: this.hashOf(columns) });
  }

  delete(range: Range): void {
    this.table.delete(range);
  }

  /** Writes a text of any length into rows of a key that has none, and says how many; the key's last column counts them. */
  addText(row: Row, text: string): number {
    const part = this.keys.at(-1)!;
    let count = 0;
    for (const piece of pieces(text)) this.put({ ...row, [part]: count++, text: piece } as unknown as RowOf<S>);
    return count;
  }

  /** Writes a text in the place of the one that the key has. */
  putText(row: Row, text: string): void {
    const count = this.addText(row, text);
    // What was there may have been longer.
    this.delete({ prefix: this.keyOf(row).slice(0, -1), from: count });
  }

  /** The text of a key. */
  text(key: readonly Value[]): string {
    const [found] = this.texts({ prefix: key });
    if (found === undefined) throw this.missing([...key, 0]);
    return found.text;
  }

  /** The texts that a range has, in the order of their keys. */
  texts(range: Range): StoredText<S>[] {
    const found: StoredText<S>[] = [];
    let next: Value[] | undefined;
    for (const row of this.rows(range)) {
      const key = this.keyOf(row);
      next ??= [...key.slice(0, -1), 0];
      if (key.some((value, i) => value !== next![i])) throw this.missing(next);
      const piece = String(row["text"]);
      if (next.at(-1) === 0) found.push({ row, text: piece });
      else found.at(-1)!.text += piece;
      next = isFull(piece) ? [...key.slice(0, -1), Number(key.at(-1)) + 1] : undefined;
    }
    if (next !== undefined) throw this.missing(next);
    return found;
  }

  /** The texts from one number up to another, which the key's next column counts: all of them. */
  numbered(prefix: readonly Value[], from: number, below: number): StoredText<S>[] {
    const found = this.texts({ prefix, from, below });
    for (let number = from; number < below; number++) {
      if (found[number - from]?.row[this.keys[prefix.length]!] !== number) throw this.missing([...prefix, number]);
    }
    return found;
  }

  /** The error for a row that must be there, as far as its key is known. */
  missing(key: readonly Value[]): PatchwireError {
    return new PatchwireError("STREAM_TRUNCATED", `the storage lacks a row: ${this.place(key)}`);
  }

  /** The error for a row that isn't as it was written. */
  private damaged(key: readonly Value[]): PatchwireError {
    return new PatchwireError("VALIDATION_FAILED", `the storage is damaged: ${this.place(key)}`);
  }

  /** The error for a row that is of a format to come. */
  unknown(key: readonly Value[]): PatchwireError {
    return new PatchwireError("VALIDATION_FAILED", `the storage has a format that this version doesn't know: ${this.place(key)}`);
  }

  private place(key: readonly Value[]): string {
    return `row [${[...key, ...this.keys.slice(key.length).map(() => "…")].join(", ")}] of ${this.name}`;
  }

  private keyOf(row: Row): Value[] {
    return this.keys.map((column) => row[column]!);
  }

  private hashOf(row: Row): number {
    // The name tells rows of two tables from each other, and JSON a number from a text.
    const [arena, length] = passTexts(JSON.stringify([this.name, ...this.columns.map((column) => row[column])]));
    return call(() => core().row_hash(arena, length));
  }
}

/** Whether something isn't as it was written. */
const isDamage = (error: unknown): error is PatchwireError => error instanceof PatchwireError && ["VALIDATION_FAILED", "STREAM_TRUNCATED"].includes(error.code);

/** What is damaged of that which is read. */
export function damageOf(read: () => unknown): PatchwireError | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return error;
  }
}

/** Characters of a text that one row holds: less than 1 MB in UTF-8, whatever they are. */
const PIECE = 300_000;

/** Whether another piece follows. */
const isFull = (piece: string): boolean => piece.length >= PIECE - 1;

/**
 * A text in pieces of one row each, of which all but the last are full, and the last isn't, so that none can be lost unnoticed.
 * A pair of surrogates stays together, which are nothing each by itself in UTF-8.
 */
function* pieces(text: string): Generator<string, void, undefined> {
  for (let start = 0; ; ) {
    let end = Math.min(start + PIECE, text.length);
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    const piece = text.slice(start, end);
    yield piece;
    if (!isFull(piece)) return;
    start = end;
  }
}
