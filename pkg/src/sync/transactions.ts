import type { DurableStorage } from "../tables/state-tables.js";

/** What begins transactions. */
type Beginner = Omit<DurableStorage, "sql">;

/** What wants to know of an object's transactions. */
export interface Witness {
  /**
   * A transaction has ended in which it called {@link Transactions.witness}: what it wrote may have been taken back, and was
   * for certain where this says so.
   */
  ended(isOutermost: boolean, isTakenBack: boolean): void;
  /** All that the storage held was deleted. */
  deleted?(): void;
}

/** What a transaction of the asynchronous kind is given. */
interface Transaction {
  rollback?(): void;
}

/**
 * The transactions of one object, the object's own among them. The platform tells nobody that a transaction is open, or
 * that it was rolled back, so the storage's methods that begin one are replaced by some that take note; they do what
 * they did otherwise. Looking at storage before each answer would cost as much as a commit does.
 */
export class Transactions {
  /** Of each storage, because an object may have several states. */
  private static readonly known = new WeakMap<Beginner, Transactions>();
  /** Begins one that isn't looked into when it ends. */
  readonly quietly: DurableStorage["transactionSync"];
  /**
   * How many are open, one in another. One may be that began before anybody took note, and counts until a microtask runs: those
   * of the synchronous kind have ended by then.
   */
  private depth = 1;
  private isNew = true;
  private readonly witnesses = new Set<Witness>();
  /** Everybody who is to know when all is deleted. */
  private readonly readers = new Set<Witness>();

  static of(storage: Beginner): Transactions {
    let transactions = this.known.get(storage);
    if (transactions === undefined) this.known.set(storage, (transactions = new Transactions(storage)));
    return transactions;
  }

  private constructor(storage: Beginner) {
    const { transactionSync, transaction, deleteAll } = storage;
    this.quietly = transactionSync.bind(storage) as typeof transactionSync;
    storage.transactionSync = (run) => {
      this.depth++;
      let isTakenBack = true;
      try {
        const result = this.quietly(run);
        isTakenBack = false;
        return result;
      } finally {
        this.end(isTakenBack);
      }
    };
    if (transaction) storage.transaction = (run, ...rest) => this.whole(transaction.bind(storage), run, rest);
    if (deleteAll) {
      storage.deleteAll = (...rest) => {
        const done = deleteAll.apply(storage, rest);
        // Those too that become known meanwhile.
        this.readers.forEach((reader) => reader.deleted?.());
        return done;
      };
    }
    queueMicrotask(() => {
      this.isNew = false;
      this.end(false);
    });
  }

  /** Whether one may be open: what is written now may yet be rolled back. */
  get isOpen(): boolean {
    return this.depth > 0;
  }

  /** Whether one is open for certain. */
  get isKnownOpen(): boolean {
    return this.depth > (this.isNew ? 1 : 0);
  }

  /** It has read or written in the transaction that is open, if one is: it is told of this one's end and of those around it. */
  witness(witness: Witness): void {
    this.readers.add(witness);
    if (this.isOpen) this.witnesses.add(witness);
  }

  /** It has nothing in the storage any more, or nobody asks it any more. */
  forget(witness: Witness): void {
    this.readers.delete(witness);
    this.witnesses.delete(witness);
  }

  /** A transaction that lasts while its callback awaits something; nothing else of the object runs meanwhile. */
  private async whole<R>(
    begin: (run: (transaction: Transaction) => Promise<R>, ...rest: unknown[]) => Promise<R>,
    run: (transaction: Transaction) => Promise<R>,
    rest: unknown[],
  ): Promise<R> {
    let [hasBegun, isTakenBack] = [false, true];
    const noted = (transaction: Transaction): Promise<R> => {
      hasBegun = true;
      this.depth++;
      const { rollback } = transaction;
      if (rollback) {
        transaction.rollback = () => {
          rollback.call(transaction);
          this.look(false, true);
        };
      }
      return run(transaction);
    };
    try {
      const result = await begin(noted, ...rest);
      isTakenBack = false;
      return result;
    } finally {
      if (hasBegun) this.end(isTakenBack);
    }
  }

  private end(isTakenBack: boolean): void {
    this.depth--;
    this.look(!this.isOpen, isTakenBack);
  }

  private look(isOutermost: boolean, isTakenBack: boolean): void {
    const witnesses = [...this.witnesses];
    if (isOutermost) this.witnesses.clear();
    witnesses.forEach((witness) => witness.ended(isOutermost, isTakenBack));
  }
}
