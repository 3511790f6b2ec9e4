import { spliceItems } from "../json/containers.js";
import type { Range, Row, Shape, Table, TableStorage, Value } from "./rows.js";

/**
 * Storage in memory, for tests of code that uses a store, where there is neither workerd nor SQLite. What is stored in it
 * is stored as everywhere else: the same rows, transactions that are all or nothing.
 */
class MemoryStorage implements TableStorage {
  private readonly tables = new Map<string, MemoryTable>();
  /** What takes back what was done in the transactions that are open. */
  private readonly undo: (() => void)[] = [];
  private depth = 0;

  table(shape: Shape): Table {
    let table = this.tables.get(shape.name);
    if (table === undefined) this.tables.set(shape.name, (table = new MemoryTable(Object.keys(shape.key), (undo) => this.remember(undo))));
    return table;
  }

  transactionSync<R>(run: () => R): R {
    const begin = this.undo.length;
    this.depth++;
    try {
      return run();
    } catch (error) {
      while (this.undo.length > begin) this.undo.pop()!();
      throw error;
    } finally {
      if (--this.depth === 0) this.undo.length = 0;
    }
  }

  async deleteAll(): Promise<void> {
    this.tables.forEach((table) => table.delete({}));
  }

  private remember(undo: () => void): void {
    if (this.depth > 0) this.undo.push(undo);
  }
}

/** Rows in the order of their keys. */
class MemoryTable implements Table {
  private readonly list: Row[] = [];

  constructor(
    private readonly keys: readonly string[],
    private readonly remember: (undo: () => void) => void,
  ) {}

  rows(range: Range, { backwards = false, limit = Infinity }: { backwards?: boolean; limit?: number } = {}): Row[] {
    const [start, end] = this.bounds(range);
    return backwards ? this.list.slice(Math.max(start, end - limit), end).reverse() : this.list.slice(start, Math.min(end, start + limit));
  }

  put(row: Row): void {
    const [start, end] = this.bounds({ prefix: this.keys.map((key) => row[key]!) });
    this.replace(start, end - start, [{ ...row }]);
  }

  delete(range: Range): void {
    const [start, end] = this.bounds(range);
    this.replace(start, end - start, []);
  }

  private replace(start: number, count: number, rows: Row[]): void {
    const before = spliceItems(this.list, start, count, rows);
    this.remember(() => void spliceItems(this.list, start, rows.length, before));
  }

  private bounds({ prefix = [], from, below }: Range): [start: number, end: number] {
    const start = this.search(from === undefined ? prefix : [...prefix, from], false);
    return [start, Math.max(start, below === undefined ? this.search(prefix, true) : this.search([...prefix, below], false))];
  }

  /** The first row whose key is not before the wanted one, or behind all that begin with it. */
  private search(wanted: readonly Value[], behind: boolean): number {
    let [low, high] = [0, this.list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const order = this.compare(this.list[middle]!, wanted);
      if (order < 0 || (order === 0 && behind)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private compare(row: Row, wanted: readonly Value[]): number {
    for (let i = 0; i < wanted.length; i++) {
      const value = row[this.keys[i]!]!;
      if (value < wanted[i]!) return -1;
      if (value > wanted[i]!) return 1;
    }
    return 0;
  }
}

/**
 * Storage in memory, where code that uses a {@link DurableStateStore} or a {@link SyncedState} is tested without workerd:
 * the same rows as in a Durable Object's SQLite, gone with the process.
 *
 * @example
 * ```ts
 * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
 * const storage = memoryStorage();
 * await new DurableStateStore(storage).createSession("s-1", { customState: { notes: ["a"] } });
 * console.log((await new DurableStateStore(storage).loadState("s-1"))?.customState); // { notes: [ 'a' ] }
 * ```
 */
export function memoryStorage(): TableStorage {
  return new MemoryStorage();
}
