import { refusal } from "../bridge/checks.js";
import { hasObjects } from "../bridge/core.js";
import { PatchwireError } from "../errors.js";
import { Transactions, type Witness } from "../sync/transactions.js";
import type { StoreStorage } from "../tables/rows.js";
import { StreamTables } from "./tables.js";

/**
 * The streams of one name in one storage, for all managers and readers of it: their tables, transactions over them, and who waits
 * for more. Readers are shown what is committed alone.
 */
export class StoredStreams {
  private static readonly known = new WeakMap<StoreStorage, Map<string, StoredStreams>>();
  /** Another number after each change: what was read before it is to be read again. */
  changes = 0;
  private readonly transactions: Transactions;
  /** Who waits for more of which stream. */
  private readonly waiting = new Map<string, Set<() => void>>();
  /** The streams that were changed, or asked for, in the transaction that is open. */
  private readonly touched = new Set<string>();
  private tables: StreamTables | undefined;
  /** Whether the tables were made in a transaction that may yet be taken back. */
  private areNew = false;
  private readonly witness: Witness = {
    ended: (isOutermost) => {
      if (this.areNew && !this.tables?.areThere) this.tables = undefined;
      if (!isOutermost) return;
      this.areNew = false;
      const touched = [...this.touched];
      this.touched.clear();
      this.tell(touched);
    },
    deleted: () => {
      this.tables = undefined;
      this.tell([...this.waiting.keys()]);
    },
  };

  static of(storage: StoreStorage, name: string): StoredStreams {
    if (!/^[a-z0-9_-]{1,32}$/i.test(name)) throw refusal("the option name is up to 32 letters, digits, - and _");
    const byName = this.known.get(storage) ?? new Map<string, StoredStreams>();
    this.known.set(storage, byName);
    const key = name.toLowerCase();
    const streams = byName.get(key) ?? new StoredStreams(storage, key);
    byName.set(key, streams);
    return streams;
  }

  private constructor(
    private readonly storage: StoreStorage,
    private readonly name: string,
  ) {
    this.transactions = Transactions.of(storage);
  }

  /** Changes a stream, or nothing if it throws. */
  change<R>(id: string, run: (tables: StreamTables) => R): R {
    return this.storage.transactionSync(() => {
      this.watch(id);
      return run(this.opened());
    });
  }

  /** Reads a stream. */
  read<R>(id: string, run: (tables: StreamTables) => R): R {
    return this.tables === undefined ? this.change(id, run) : run(this.tables);
  }

  /** Whether what is read of a stream now may yet be taken back. The end of that is a change. */
  isInTransaction(id: string): boolean {
    if (this.transactions.isOpen) this.watch(id);
    return this.transactions.isOpen;
  }

  /** Resolves when the stream is changed, or when `stop` is called. */
  changed(id: string): { promise: Promise<void>; stop: () => void } {
    const waiting = this.waiting.get(id) ?? new Set();
    this.waiting.set(id, waiting);
    let stop!: () => void;
    const promise = new Promise<void>((resolve) => {
      stop = () => {
        waiting.delete(stop);
        if (waiting.size === 0 && this.waiting.get(id) === waiting) this.waiting.delete(id);
        resolve();
      };
    });
    waiting.add(stop);
    return { promise, stop };
  }

  /** Whoever waits for the stream is told when the transaction that is open has ended. */
  private watch(id: string): void {
    this.touched.add(id);
    this.transactions.witness(this.witness);
  }

  private opened(): StreamTables {
    if (!hasObjects) throw new PatchwireError("CLOSED", "a DurableStreamManager needs Workers or Node");
    if (this.tables !== undefined) return this.tables;
    this.areNew = true;
    return (this.tables = new StreamTables(this.storage, this.name));
  }

  private tell(ids: readonly string[]): void {
    this.changes++;
    for (const id of ids) [...(this.waiting.get(id) ?? [])].forEach((wake) => wake());
  }
}
