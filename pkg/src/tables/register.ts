import type { PatchwireError } from "../errors.js";
import { Directory, pagesOf } from "./directory.js";
import { damageOf, HashedTable } from "./hashed-table.js";
import { keyOf, tablesOf, type RowOf, type Shape, type StoreStorage, type Value } from "./rows.js";

/** A row for each state of a storage, which must be there: the version of its shape, and in `pinned` a bit for each kind of pages that it has. */
const STATES = { name: "states", key: { state: "TEXT" }, columns: { version: "INTEGER", pinned: "INTEGER" } } as const satisfies Shape;

type StateRow = RowOf<typeof STATES>;

/** The bits of `pinned`. */
const HAS = { PINS: 1, MIGRATIONS: 2 } as const;

/** The pinned revisions of all states, and how often each was pinned. */
const PINS = pagesOf("pins", "INTEGER", { state: "TEXT" });

/** The first revision of each later version of the shape, and the version before it. */
const MIGRATIONS = pagesOf("migrations", "INTEGER", { state: "TEXT" });

/** What is kept of a state beside what the core keeps: the application's versions of its shape, and its pins. */
export class Register {
  private readonly key: string;
  /** What the core was told about pins while it was at work, when nothing could be checked. */
  private readonly asked: [from: number, before: number][] = [];

  constructor(
    private readonly storage: StoreStorage,
    name: string,
  ) {
    this.key = keyOf(name);
  }

  /** The version of the state's shape; 0 where it was made without one. */
  get version(): number {
    return this.row.version;
  }

  /** The version that a revision had. */
  versionAt(revision: number): number {
    const { row } = this;
    const next = this.migrationsOf(row).find(([first]) => first > revision);
    return next?.[1] ?? row.version;
  }

  /** From a revision on, the state's shape has a later version. */
  migrate(first: number, version: number): void {
    const row = this.begun(HAS.MIGRATIONS, this.migrations);
    // Several where nothing was changed: what was before had the earliest of them.
    this.migrations.change(first, (known = row.version) => known);
    this.states.put({ ...row, version });
  }

  private migrationsOf(row: StateRow): [first: number, from: number][] {
    return has(row, HAS.MIGRATIONS) ? this.migrations.entries() : [];
  }

  create(version: number): void {
    this.states.put({ state: this.key, version, pinned: 0 });
  }

  pin(revision: number): void {
    this.begun(HAS.PINS, this.pages);
    this.pages.change(revision, (known = 0) => known + 1);
  }

  /** Begins pages of a kind if there are none. Gives the state's row. */
  private begun(kind: number, pages: Directory<number, number>): StateRow {
    const { row } = this;
    if (has(row, kind)) return row;
    pages.begin();
    const next = { ...row, pinned: row.pinned | kind };
    this.states.put(next);
    return next;
  }

  /** Takes one pin of a revision away; false where there is none. */
  unpin(revision: number): boolean {
    if (!has(this.row, HAS.PINS)) return false;
    const { pages } = this;
    const count = pages.find(revision) ?? 0;
    if (count > 1) pages.set(revision, count - 1);
    else if (count === 1) pages.remove(revision);
    return count > 0;
  }

  /** Revisions after one are lost: so are their pins, and what became of the shape in them. Says which pins these are. */
  fallBack(revision: number): number[] {
    const lost = this.pins().filter((pinned) => pinned > revision);
    for (const pinned of lost) this.pages.remove(pinned);
    const version = this.versionAt(revision);
    const { row } = this;
    for (const [first] of this.migrationsOf(row)) if (first > revision) this.migrations.remove(first);
    if (version !== row.version) this.states.put({ ...row, version });
    return lost;
  }

  /** The revisions that are pinned, ascending. */
  pins(): number[] {
    return has(this.row, HAS.PINS) ? this.pages.entries().map(([revision]) => revision) : [];
  }

  /** Answers the core, while it is at work. */
  pinned(from: number, before: number): boolean {
    const answer = this.isPinned(from, before, false);
    this.asked.push([from, before]);
    return answer;
  }

  /** Refuses to go on where the core was told something that isn't whole. */
  check(): void {
    for (const [from, before] of this.asked.splice(0)) this.isPinned(from, before, true);
  }

  delete(): void {
    this.states.delete({ prefix: [this.key] });
    this.pages.delete();
    this.migrations.delete();
  }

  /** Makes whole again what is damaged, and says what it was. Where the version is lost, it has to be known. */
  repair(version: number | undefined): PatchwireError | undefined {
    const ofRow = damageOf(() => this.row);
    if (ofRow !== undefined) {
      if (version === undefined) throw ofRow;
      const pinned = (this.pages.isMissing ? 0 : HAS.PINS) | (this.migrations.isMissing ? 0 : HAS.MIGRATIONS);
      this.states.put({ state: this.key, version, pinned });
    }
    const ofPins = damageOf(() => this.pins());
    if (ofPins !== undefined) this.pages.mend();
    const ofMigrations = damageOf(() => this.versionAt(0));
    if (ofMigrations !== undefined) this.migrations.mend();
    return ofRow ?? ofPins ?? ofMigrations;
  }

  private isPinned(from: number, before: number, isChecked: boolean): boolean {
    if (from >= before) return false;
    const row = isChecked ? this.row : this.states.unchecked({ prefix: [this.key] })[0];
    try {
      return (row === undefined || has(row, HAS.PINS)) && this.pages.hasWithin(from, before, isChecked);
    } catch (error) {
      // Damaged text: the check that follows says so.
      if (!isChecked && error instanceof SyntaxError) return true;
      throw error;
    }
  }

  private get row(): StateRow {
    const row = this.states.row([this.key]);
    if (row === undefined) throw this.states.missing([this.key]);
    return row;
  }

  /** Made where they aren't there: all that the storage holds may have been deleted. */
  private get states(): HashedTable<typeof STATES> {
    return new HashedTable(tablesOf(this.storage), STATES);
  }

  private get pages(): Directory<number, number> {
    return this.directory(PINS);
  }

  private get migrations(): Directory<number, number> {
    return this.directory(MIGRATIONS);
  }

  private directory(shape: Shape): Directory<number, number> {
    return new Directory<number, number>(new HashedTable(tablesOf(this.storage), shape), 0, { state: this.key });
  }
}

const has = ({ pinned }: { readonly pinned?: Value }, kind: number): boolean => (Number(pinned) & kind) !== 0;
