import { call, core, release } from "../bridge/core.js";
import { errorOf } from "../bridge/engine.js";
import { bounds } from "../bridge/limits.js";
import { PatchwireError } from "../errors.js";
import type { Limits } from "../types.js";
import { HeldRows } from "./held-rows.js";
import type { Repaired } from "./past.js";
import { Plan, type RowOperation } from "./plan.js";
import type { Register } from "./register.js";
import type { StateDocument } from "../bridge/document.js";
import type { SessionHandle } from "../wasm/patchwire.js";

/** What of a Durable Object's storage is used; `ctx.storage` has it. */
export interface DurableStorage {
  sql: { exec(query: string, ...bindings: (string | number | ArrayBuffer)[]): Iterable<Record<string, unknown>> & { rowsWritten?: number } };
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

/**
 * The time in which a state's rows say the same of each revision: until they are deleted, or a commit is taken back. Other rows may have
 * their numbers afterwards.
 */
export class Era {
  end: PatchwireError | undefined = undefined;
  /** The newest revision that was written in it. */
  newest = -1;
}

/** What documents of a state's past are read from, until some of it can't be read. They keep the rows by it, to which the core refers weakly. */
export class Past {
  failure: unknown = undefined;

  constructor(readonly rows: StoredRows) {}
}

/** The rows of a state, of which {@link HeldRows} tells the core. */
export abstract class StoredRows {
  /** Why the state couldn't be read where somebody looked into it, if it couldn't: nothing that it says may be believed. */
  failure: unknown = undefined;
  past = new Past(this);

  constructor(readonly register: Register, readonly era: Era) {}

  abstract meta(): Meta | undefined;
  abstract chunk(id: number): Uint8Array;
  abstract left(ids: Float64Array): Iterable<unknown>;
  abstract hashes(from: number): Iterable<unknown>;
  abstract roots(): Iterable<unknown>;
  abstract root(revision: number): Uint8Array;
  abstract log(from: number): Uint8Array;
  abstract logged(from: number, before: number, most: number): Iterable<unknown>;
}

/** The rows of one state, whatever it is stored in: executes what the core plans. */
export abstract class StateTables {
  /** What the core reads: whoever has something that isn't read yet has to have this. */
  private rows: StoredRows | undefined = undefined;
  /** Documents of an earlier one can't be read any more. */
  era = new Era();

  constructor(
    private readonly transaction: DurableStorage["transactionSync"],
    protected readonly register: Register,
  ) {}

  /** The session and the revision that are stored; neither where the tables are gone or can't be read. */
  last(): { session?: string; revision?: number } {
    try {
      return this.stored();
    } catch {
      // What is next asked for finds out which.
      return {};
    }
  }

  /** Whether a state is stored. */
  get isMade(): boolean {
    return this.transaction(() => {
      this.prepare();
      return this.stored().session !== undefined;
    });
  }

  /** Gives what is stored, if anything, the id of another session. */
  renew(session: string): void {
    this.transaction(() => {
      if (this.isMade) this.rename(session);
    });
  }

  /** Deletes the tables. */
  drop(): void {
    this.transaction(() => {
      this.dropTables();
      this.register.delete();
    });
    this.end("the state was deleted");
  }

  /** Nobody uses the state for now. */
  rest(): void {}

  /** What was read of the rows until now says nothing of those that are there, or will be. */
  end(why: string): void {
    this.era.end = new PatchwireError("STALE_STATE", `${why} that this was read from`);
    this.era = new Era();
  }

  /** A transaction was taken back: is what was read of the rows still so? */
  review(): void {
    if ((this.last().revision ?? -1) < this.era.newest) this.end("a commit was taken back");
  }

  /** What documents of the past are read from. */
  past(): Past {
    const rows = this.rows!;
    if (rows.past.failure !== undefined) rows.past = new Past(rows);
    return rows.past;
  }

  /** The version of the state's shape. */
  get version(): number {
    return this.register.version;
  }

  /** The version that the shape had at a revision. */
  versionAt(revision: number): number {
    return this.register.versionAt(revision);
  }

  /** From a revision on, the state's shape has a later version. */
  migrate(first: number, version: number): void {
    this.register.migrate(first, version);
  }

  /** Keeps a revision until it is unpinned as often as it was pinned. */
  pin(revision: number): void {
    this.transaction(() => this.register.pin(revision));
  }

  /** Takes one pin of a revision away; false where there is none. */
  unpin(revision: number): boolean {
    return this.transaction(() => this.register.unpin(revision));
  }

  /** The revisions that are pinned, ascending. */
  pins(): number[] {
    return this.register.pins();
  }

  protected abstract stored(): { session?: string; revision?: number };
  protected abstract dropTables(): void;
  protected abstract rename(session: string): void;
  protected abstract read(): StoredRows;
  protected abstract execute(rows: RowOperation[]): void;

  /** Makes the tables, if there are none. */
  protected abstract prepare(): void;

  /** Reads what is there, or makes the tables with what `initial` gives, whose shape has this version. */
  open(initial: () => StateDocument, limits: Limits | undefined, version: number): SessionHandle {
    return this.transaction(() => {
      this.prepare();
      return call(() => core().SessionHandle.read(bounds(limits), this.reading())) ?? this.create(initial(), limits, version);
    });
  }

  /** Why a part of the state couldn't be read that somebody looked into, if it couldn't: then the session is of no use. */
  get failure(): unknown {
    return this.rows?.failure;
  }

  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  /** Writes all of a revision's rows, or throws and has written none. Refused where another one than that before it is stored. */
  write(rows: RowOperation[], revision: number): void {
    this.register.check();
    // One statement is a transaction by itself, and what adds to a row looks at what it has.
    if (rows.length === 1 && rows[0]![0] === "appendLog") this.execute(rows);
    else {
      this.transaction(() => {
        if (this.stored().revision !== revision - 1) throw surpassed();
        this.execute(rows);
      });
    }
    this.era.newest = revision;
  }

  /**
   * Gives the newest state that is whole a revision of its own; nothing where all is whole. Where it is lost which version of
   * the application the state has the shape of, that has to be known.
   */
  repair(version: number | undefined): Repaired | undefined {
    return this.transaction(() => {
      this.prepare();
      const plan = new Plan();
      const found = call(() => core().SessionHandle.repair(crypto.randomUUID(), new HeldRows(this.read()), plan)) as [number, number, number, string] | undefined;
      const { revision: present } = this.stored();
      if (found === undefined && present === undefined) return undefined;
      const damage = this.register.repair(version);
      if (found === undefined) return damage && { restored: present!, newest: present!, revision: present!, pins: [], damage };
      this.execute(plan.rows);
      this.end("the state was repaired");
      const [restored, newest, revision, lost] = found;
      return { restored, newest, revision, pins: this.register.fallBack(restored), damage: errorOf(lost) };
    });
  }

  /** What the core reads of a session from now on. */
  private reading(): HeldRows {
    return new HeldRows((this.rows = this.read()));
  }

  private create(initial: StateDocument, limits: Limits | undefined, version: number): SessionHandle {
    const plan = new Plan();
    const session = call(() => core().SessionHandle.create(crypto.randomUUID(), initial.handle, bounds(limits), this.reading(), plan));
    initial.free();
    try {
      this.execute(plan.rows);
      this.register.create(version);
      this.era.newest = 0;
    } catch (error) {
      release(session);
      throw error;
    }
    return session;
  }
}

/** Of a storage that says something else than what was read of it. */
export function surpassed(): PatchwireError {
  return new PatchwireError("STALE_STATE", "somebody else has written to this storage: it is read again when it is next asked for, so make the change again");
}
