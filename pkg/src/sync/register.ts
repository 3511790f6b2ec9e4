import type { PatchwireError } from "../errors.js";
import { Directory, pagesOf } from "../store/directory.js";
import { damageOf, HashedTable } from "../store/hashed-table.js";
import { keyOf, tablesOf, type Row, type Shape, type StoreStorage } from "../store/rows.js";

/** A row for each state of a storage, which must be there: the version of its shape, and whether it has pages of pins. */
const STATES: Shape = { name: "states", key: { state: "TEXT" }, columns: { version: "INTEGER", pinned: "INTEGER" } };

/** The pinned revisions of all states, and how often each was pinned. */
const PINS = pagesOf("pins", "INTEGER", { state: "TEXT" });

/** What is kept of a state beside what the core keeps: the application's version of its shape, and its pins. */
export class Register {
  private readonly key: string;
  /** What the core was told about pins while it was at work, when nothing could be checked. */
  private asked: [from: number, before: number][] = [];

  constructor(
    private readonly storage: StoreStorage,
    name: string,
  ) {
    this.key = keyOf(name);
  }

  /** The version of the state's shape; 0 where it was made without one. */
  get version(): number {
    return Number(this.row["version"]);
  }

  set version(version: number) {
    this.states.put({ ...this.row, version });
  }

  create(version: number): void {
    this.states.put({ state: this.key, version, pinned: 0 });
  }

  pin(revision: number): void {
    const { row, pages } = this;
    if (row["pinned"] === 0) {
      pages.begin();
      this.states.put({ ...row, pinned: 1 });
    }
    pages.change(revision, (known = 0) => known + 1);
  }

  /** Takes one pin of a revision away; false where there is none. */
  unpin(revision: number): boolean {
    if (this.row["pinned"] === 0) return false;
    const { pages } = this;
    const count = pages.find(revision) ?? 0;
    if (count > 1) pages.set(revision, count - 1);
    else if (count === 1) pages.remove(revision);
    return count > 0;
  }

  /** Takes all pins away of the revisions after one, and says which these are. */
  unpinAfter(revision: number): number[] {
    const lost = this.pins().filter((pinned) => pinned > revision);
    for (const pinned of lost) this.pages.remove(pinned);
    return lost;
  }

  /** The revisions that are pinned, ascending. */
  pins(): number[] {
    return this.row["pinned"] === 0 ? [] : this.pages.entries().map(([revision]) => revision);
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
  }

  /** Makes whole again what is damaged, and says what it was. Where the version is lost, it has to be known. */
  repair(version: number | undefined): PatchwireError | undefined {
    const ofRow = damageOf(() => this.row);
    if (ofRow !== undefined) {
      if (version === undefined) throw ofRow;
      this.states.put({ state: this.key, version, pinned: this.pages.isMissing ? 0 : 1 });
    }
    const ofPins = damageOf(() => this.pins());
    if (ofPins !== undefined) this.pages.mend();
    return ofRow ?? ofPins;
  }

  private isPinned(from: number, before: number, isChecked: boolean): boolean {
    if (from >= before) return false;
    const row = isChecked ? this.row : this.states.unchecked({ prefix: [this.key] })[0];
    try {
      return row?.["pinned"] !== 0 && this.pages.hasWithin(from, before, isChecked);
    } catch (error) {
      // Damaged text: the check that follows says so.
      if (!isChecked && error instanceof SyntaxError) return true;
      throw error;
    }
  }

  private get row(): Row {
    const row = this.states.row([this.key]);
    if (row === undefined) throw this.states.missing([this.key]);
    return row;
  }

  /** Made where they aren't there: all that the storage holds may have been deleted. */
  private get states(): HashedTable {
    return new HashedTable(tablesOf(this.storage), STATES);
  }

  private get pages(): Directory<number, number> {
    return new Directory<number, number>(new HashedTable(tablesOf(this.storage), PINS), 0, { state: this.key });
  }
}
