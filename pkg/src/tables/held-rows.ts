import { attempt, errorOf, reading } from "../bridge/engine.js";
import { PatchwireError } from "../errors.js";
import type { StoredRows } from "./state-tables.js";

/**
 * Rows as the core reads them, while it runs: nothing may be thrown through it (src/wasm/session.rs). What the core's memory refers to
 * is never collected, and storage leads to the object whose state it is. So the rows are kept by whoever reads them, and an object
 * that has gone takes its state along.
 */
export class HeldRows {
  private readonly held: { deref(): StoredRows | undefined };

  constructor(rows: StoredRows) {
    // Workers have none without the flag enable_weak_ref, which compatibility dates from May 2025 on imply.
    this.held = typeof WeakRef === "undefined" ? { deref: () => rows } : new WeakRef(rows);
  }

  meta(): Uint8Array {
    return this.bytes((rows) => {
      const meta = rows.meta();
      return meta === undefined ? new Uint8Array() : rowOf([meta.format, meta.tail, meta.folding], meta.session);
    });
  }

  chunk(id: number): Uint8Array {
    return this.bytes((rows) => rows.chunk(id));
  }

  left(ids: Float64Array): Float64Array {
    return this.numbers((rows) => rows.left(ids));
  }

  hashes(from: number): Float64Array {
    return this.numbers((rows) => rows.hashes(from));
  }

  roots(): Float64Array {
    return this.numbers((rows) => rows.roots());
  }

  root(revision: number): Uint8Array {
    return this.bytes((rows) => rows.root(revision));
  }

  log(from: number): Uint8Array {
    return this.bytes((rows) => rows.log(from));
  }

  logged(from: number, before: number, most: number): Float64Array {
    return this.numbers((rows) => rows.logged(from, before, most));
  }

  /** If it can't be known, all stays. */
  pinned(from: number, before: number): boolean {
    return attempt(true, () => this.rows.register.pinned(from, before));
  }

  now(): number {
    return Date.now();
  }

  /** Reading failed, in the middle of something that can't: it is thrown when the core has returned. */
  failed(error: string, isPast: boolean): void {
    const rows = this.held.deref();
    const read = isPast ? rows?.past : rows;
    // What was said of it first is the cause.
    const thrown = read?.failure ?? reading.failure?.thrown ?? errorOf(error);
    if (read !== undefined) read.failure = thrown;
    reading.failure ??= { thrown, isLasting: false };
  }

  private get rows(): StoredRows {
    const rows = this.held.deref();
    if (rows === undefined) throw new PatchwireError("CLOSED", "nobody has the state any more that this is read from: keep the SyncedState for as long");
    if (rows.era.end !== undefined) throw rows.era.end;
    return rows;
  }

  private bytes(read: (rows: StoredRows) => Uint8Array): Uint8Array {
    return attempt(new Uint8Array(), () => read(this.rows));
  }

  private numbers(read: (rows: StoredRows) => Iterable<unknown>): Float64Array {
    return attempt(new Float64Array(), () => Float64Array.from(read(this.rows), Number));
  }
}

/** A row as the core reads it: its numbers, and its text. */
export function rowOf(numbers: readonly unknown[], text: string): Uint8Array {
  return new TextEncoder().encode(`${numbers.join(",")}\n${text}`);
}
