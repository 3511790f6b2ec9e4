import { bounds } from "../bridge/limits.js";
import { checkMigration, type Migration } from "../sync/migration.js";
import { checkRetention } from "../tables/past.js";
import { Transactions, type Witness } from "../sync/transactions.js";
import { checkFunction, checkOptions, refusal } from "../bridge/checks.js";
import { CustomStates, OpenedStates, storageOf, type StorePlace } from "./opened.js";
import { Rooms } from "./rooms.js";
import type { StoreStorage } from "../tables/rows.js";
import type { Session } from "./sessions.js";
import type { DurableStateStoreOptions, WriteOptions } from "./types.js";

const OPTIONS = ["name", "version", "migrate", "strategies", "retention", "limits", "onEvent"] as const satisfies readonly (keyof DurableStateStoreOptions)[];

/** Where a store has what its operations work with. No member of a subclass of a user's has this name. */
export const STORED: unique symbol = Symbol("stored");

/**
 * The sessions of one store as its operations see them: tables, which are opened when something is first asked for, and
 * transactions over them.
 */
export class StoredSessions {
  readonly options: DurableStateStoreOptions;
  readonly states: CustomStates;
  readonly #storage: StoreStorage;
  readonly #name: string;
  readonly #transactions: Transactions;
  readonly #witness: Witness = { ended: () => this.#look(), deleted: () => this.#deleted() };
  #made: Rooms | undefined;

  constructor(place: StorePlace, options: DurableStateStoreOptions) {
    const { name = "sessions", strategies: _, ...ofStates } = checkOptions(options, OPTIONS);
    checkFunction("the option onEvent", options.onEvent);
    checkMigration(options as Migration<never>);
    checkRetention(options.retention);
    bounds(options.limits);
    if (!/^[a-z0-9_-]{1,32}$/i.test(name)) throw refusal("the option name is up to 32 letters, digits, - and _");
    this.#storage = storageOf(place);
    this.#name = name.toLowerCase();
    this.options = { ...options };
    this.#transactions = Transactions.of(this.#storage);
    this.states = new CustomStates(OpenedStates.of(place), this.#name, ofStates);
    // Its clients may be there before it has read anything.
    this.#transactions.witness(this.#witness);
  }

  /** Changes a session, whose version is one more then. */
  change<R>(sessionId: string, options: WriteOptions, run: (session: Session, rooms: Rooms, newVersion: number) => R, ...others: string[]): R {
    return this.transaction((rooms) => {
      const session = rooms.sessions.require(sessionId);
      session.check(options, ...others);
      const newVersion = session.version + 1;
      const result = run(session, rooms, newVersion);
      session.write(newVersion);
      return result;
    });
  }

  /** Runs what only reads. */
  read<R>(run: (rooms: Rooms) => R): R {
    return this.#made === undefined ? this.transaction(run) : run(this.#made);
  }

  transaction<R>(run: (rooms: Rooms) => R): R {
    return this.#storage.transactionSync(() => {
      if (this.#made === undefined) {
        this.#made = new Rooms(this.#storage, this.#name, this.states);
        this.#transactions.witness(this.#witness);
      }
      return run(this.#made);
    });
  }

  /** Forgets a custom state that was deleted. Where that is part of a larger transaction, the state may yet be there again. */
  forget(number: number): void {
    if (!this.#transactions.isOpen) this.states.forget(number);
  }

  /** A transaction has ended in which tables were made: are they there? */
  #look(): void {
    try {
      void this.#made?.sessions.last;
    } catch {
      this.#made = undefined;
    }
  }

  #deleted(): void {
    this.#made = undefined;
    this.states.deleted();
  }
}
