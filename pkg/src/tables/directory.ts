import { damageOf, type HashedTable } from "./hashed-table.js";
import type { Range, Row, Shape, Value } from "./rows.js";

/** A page of more characters becomes two. All of a page is written with each change of it. */
const FULL = 4_000;

/** How the pages of a directory are kept: one has the keys from `first` on that are before `until`, where the next one begins. */
export function pagesOf(name: string, key: "INTEGER" | "TEXT", prefix: Shape["key"] = {}): Shape {
  return { name, key: { ...prefix, first: key }, columns: { until: key, text: "TEXT" } };
}

interface Page<K, V> {
  first: K;
  until: K;
  entries: [key: K, value: V][];
}

type Read = (range: Range, options?: { backwards?: boolean; limit?: number }) => Row[];

/**
 * Values by their keys, in pages that leave no gap between them: a page that is lost is known to whoever looks for one of the
 * keys that it had or could have. So it is known of each key whether it is there, for one row read; and a change writes one row,
 * or one more where a page becomes two or has no entries any more.
 *
 * Keys are whole numbers from 0 on, or texts of {@link keyOf}.
 */
export class Directory<K extends string | number, V> {
  private readonly prefix: Value[];

  constructor(
    private readonly table: HashedTable,
    /** What the first page begins with; as an end it stands for none. */
    private readonly start: K,
    private readonly columns: Row = {},
  ) {
    this.prefix = Object.values(columns);
  }

  /** Whether there is nothing of it. */
  get isMissing(): boolean {
    return this.table.unchecked({ prefix: this.prefix }, { limit: 1 }).length === 0;
  }

  /** Writes the first page, which must be there from then on. */
  begin(): void {
    this.put({ first: this.start, until: this.start, entries: [] });
  }

  find(key: K): V | undefined {
    return this.page(key).entries.find(([known]) => known === key)?.[1];
  }

  set(key: K, value: V): void {
    this.change(key, () => value);
  }

  /** Gives a key the value that follows from the one that it has. */
  change(key: K, next: (known: V | undefined) => V): void {
    const { first, until, entries } = this.page(key);
    const found = entries.findIndex(([known]) => known >= key);
    const at = found === -1 ? entries.length : found;
    const known = entries[at]?.[0] === key ? entries[at]![1] : undefined;
    entries.splice(at, known === undefined ? 0 : 1, [key, next(known)]);
    const middle = entries.length >> 1;
    const text = JSON.stringify(entries);
    if (middle === 0 || text.length <= FULL) return this.put({ first, until, entries }, text);
    const split = entries[middle]![0];
    this.put({ first: split, until, entries: entries.slice(middle) });
    this.put({ first, until: split, entries: entries.slice(0, middle) });
  }

  /** Takes a key away that is there. */
  remove(key: K): void {
    const page = this.page(key);
    const entries = page.entries.filter(([known]) => known !== key);
    if (entries.length > 0 || page.first === this.start) return this.put({ ...page, entries });
    const [row] = this.table.rows({ prefix: this.prefix, below: page.first }, { backwards: true, limit: 1 });
    if (row === undefined || row["until"] !== page.first) throw this.missing(this.start);
    this.table.delete({ prefix: [...this.prefix, page.first] });
    this.put({ ...this.pageOf(row), until: page.until });
  }

  /** All that is there, by ascending keys. */
  entries(): [key: K, value: V][] {
    const entries: [K, V][] = [];
    let next: K | undefined = this.start;
    for (const row of this.table.rows({ prefix: this.prefix })) {
      const page = this.pageOf(row);
      if (page.first !== next) throw this.missing(next ?? page.first);
      entries.push(...page.entries);
      next = page.until === this.start ? undefined : page.until;
    }
    if (next !== undefined) throw this.missing(next);
    return entries;
  }

  /**
   * Whether there is a key from one on and before another. While the core is at work it can't be asked for hashes: then the
   * pages are read unchecked, and this has to be asked again afterwards.
   */
  hasWithin(from: K, below: K, isChecked: boolean): boolean {
    const read: Read = isChecked ? (...range) => this.table.rows(...range) : (...range) => this.table.unchecked(...range);
    for (let key = from; ; ) {
      const { entries, until } = this.page(key, read);
      if (entries.some(([key]) => key >= from && key < below)) return true;
      if (until === this.start || until >= below) return false;
      key = until;
    }
  }

  delete(): void {
    this.table.delete({ prefix: this.prefix });
  }

  /** Makes a directory of what is whole of a damaged one. */
  mend(): void {
    const found: [K, V][] = [];
    for (const { first } of this.table.unchecked({ prefix: this.prefix })) {
      damageOf(() => found.push(...this.pageOf(this.table.row([...this.prefix, first!])!).entries));
    }
    this.replace(found);
  }

  /** Makes it anew, with these entries alone. */
  replace(entries: Iterable<readonly [key: K, value: V]>): void {
    this.delete();
    this.begin();
    for (const [key, value] of entries) this.set(key, value);
  }

  /** The page that a key belongs to. */
  private page(key: K, read: Read = (...range) => this.table.rows(...range)): Page<K, V> {
    // No key is between one and the same with a space behind it.
    const behind = typeof key === "number" ? key + 1 : `${key} `;
    const [row] = read({ prefix: this.prefix, below: behind }, { backwards: true, limit: 1 });
    if (row === undefined) throw this.missing(this.start);
    const page = this.pageOf(row);
    if (page.until !== this.start && page.until <= key) throw this.missing(page.until);
    return page;
  }

  private pageOf({ first, until, text }: Row): Page<K, V> {
    return { first: first as K, until: until as K, entries: JSON.parse(String(text)) as [K, V][] };
  }

  private put({ first, until, entries }: Page<K, V>, text = JSON.stringify(entries)): void {
    this.table.put({ ...this.columns, first, until, text });
  }

  private missing(first: K): Error {
    return this.table.missing([...this.prefix, first]);
  }
}
