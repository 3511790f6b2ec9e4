import { call, core, release } from "../bridge/core.js";
import { attempt, reading } from "../bridge/engine.js";
import { bounds } from "../bridge/limits.js";
import { PatchwireError, type PatchwireErrorCode } from "../errors.js";
import type { Limits } from "../types.js";
import type { Repaired } from "./past.js";
import { Plan, type Row } from "./plan.js";
import type { StateDocument } from "../values/document.js";
import type { SessionHandle } from "../wasm/patchwire.js";

/** What of a Durable Object's storage is used; `ctx.storage` has it. */
export interface DurableStorage {
  sql: { exec(query: string, ...bindings: (string | number | ArrayBuffer)[]): Iterable<Record<string, unknown>> };
  transactionSync<R>(run: () => R): R;
  transaction?<R>(run: (transaction: any) => Promise<R>, ...rest: any[]): Promise<R>;
  deleteAll?(...rest: any[]): Promise<void>;
}

/** What a row of `meta` says. */
export interface Meta {
  format: number;
  session: string;
  tail: number;
  folding: number;
}

/** Rows as the core reads them, while it runs: nothing may be thrown through it (src/wasm/session.rs). */
export abstract class StoredRows {
  /** Whether the state couldn't be read where somebody looked into it: nothing that it says may be believed. */
  hasFailed = false;

  meta(): Uint8Array {
    return this.row(() => {
      const meta = this.readMeta();
      return meta && { numbers: [meta.format, meta.tail, meta.folding], text: meta.session };
    });
  }

  abstract chunk(id: number): Uint8Array;
  abstract left(ids: Float64Array): Float64Array;
  abstract hashes(from: number): Float64Array;
  abstract roots(): Float64Array;
  abstract root(revision: number): Uint8Array;
  abstract log(from: number): Uint8Array;
  abstract logged(from: number, before: number, most: number): Float64Array;
  abstract pinned(from: number, before: number): boolean;

  now(): number {
    return Date.now();
  }

  /** Reading failed, in the middle of something that can't: it is thrown when the core has returned. */
  failed(error: string, isPast: boolean): void {
    this.hasFailed ||= !isPast;
    reading.failure ??= { thrown: errorOf(error), isLasting: false };
  }

  protected abstract readMeta(): Meta | undefined;

  /** Numbers, and a text, as bytes; none where there is no row. */
  protected row(read: () => { numbers: readonly unknown[]; text: string } | undefined): Uint8Array {
    return attempt(new Uint8Array(), () => {
      const row = read();
      return row === undefined ? new Uint8Array() : new TextEncoder().encode(`${row.numbers.join(",")}\n${row.text}`);
    });
  }

  protected numbers(read: () => Iterable<unknown>): Float64Array {
    return attempt(new Float64Array(), () => Float64Array.from(read(), Number));
  }
}

/** An error of the core's. */
function errorOf(text: string): PatchwireError {
  const { code, message } = JSON.parse(text) as { code: PatchwireErrorCode; message: string };
  return new PatchwireError(code, message);
}

/** The rows of one state, whatever it is stored in: executes what the core plans. */
export abstract class StateTables {
  private rows: StoredRows | undefined;

  constructor(protected readonly transaction: DurableStorage["transactionSync"]) {}

  /** The session and the revision that are stored; neither where the tables are gone. */
  abstract last(): { session?: string; revision?: number };

  /** Deletes the tables. */
  abstract drop(): void;

  /** Keeps a revision until it is unpinned as often as it was pinned. */
  abstract pin(revision: number): void;

  /** Takes one pin of a revision away; false where there is none. */
  abstract unpin(revision: number): boolean;

  /** The revisions that are pinned, ascending. */
  abstract pins(): number[];

  protected abstract read(): StoredRows;
  protected abstract execute(rows: Row[]): void;

  /** Makes the tables, if there are none; a session, if they are of an earlier format. */
  protected abstract prepare(limits: Limits | undefined): SessionHandle | undefined;

  /** Reads what is there, or makes the tables with what `initial` gives. */
  open(initial: () => StateDocument, limits: Limits | undefined): SessionHandle {
    return this.transaction(() => this.prepare(limits) ?? call(() => core().SessionHandle.read(bounds(limits), this.reading())) ?? this.create(initial(), limits));
  }

  /** Whether a part of the state couldn't be read that somebody looked into: then the session is of no use. */
  get hasFailed(): boolean {
    return this.rows?.hasFailed === true;
  }

  /** Writes all of the rows, or throws and has written none. */
  write(rows: Row[]): void {
    // One statement is a transaction by itself.
    if (rows.length === 1) this.execute(rows);
    else this.transaction(() => this.execute(rows));
  }

  /** Gives the newest state that is whole a revision of its own; nothing where all is whole. */
  repair(): Repaired | undefined {
    return this.transaction(() => {
      const migrated = this.prepare(undefined);
      if (migrated !== undefined) release(migrated);
      const plan = new Plan();
      const found = call(() => core().SessionHandle.repair(crypto.randomUUID(), this.read(), plan)) as [number, number, number, string] | undefined;
      if (found === undefined) return undefined;
      this.execute(plan.rows);
      const [restored, newest, revision, damage] = found;
      const pins = this.pins().filter((pinned) => pinned > restored);
      for (const lost of pins) while (this.unpin(lost));
      return { restored, newest, revision, pins, damage: errorOf(damage) };
    });
  }

  /** What the core reads of a session from now on. */
  protected reading(): StoredRows {
    return (this.rows = this.read());
  }

  private create(initial: StateDocument, limits: Limits | undefined): SessionHandle {
    const plan = new Plan();
    const session = call(() => core().SessionHandle.create(crypto.randomUUID(), initial.handle, bounds(limits), this.reading(), plan));
    initial.free();
    this.execute(plan.rows);
    return session;
  }
}
