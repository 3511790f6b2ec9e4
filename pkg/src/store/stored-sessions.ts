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

const OPTIONS = ["name", "version", "migrate", "strategies", "retention", "limits", "view", "onEvent"] as const satisfies readonly (keyof DurableStateStoreOptions)[];

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
  readonly #witness: Witness = { ended: (isOutermost) => this.#look(isOutermost) };
  #made: { rooms: Rooms; life: object } | undefined;

  constructor(place: StorePlace, options: DurableStateStoreOptions) {
    const { name = "sessions", strategies: _, ...ofStates } = checkOptions(options, OPTIONS);
    checkFunction("the option onEvent", options.onEvent);
    checkFunction("the option view", options.view);
    checkMigration(options as Migration<never>);
    checkRetention(options.retention);
    bounds(options.limits);
    if (!/^[a-z0-9_-]{1,32}$/i.test(name)) throw refusal("the option name is up to 32 letters, digits, - and _");
    this.#storage = storageOf(place);
    this.#name = name.toLowerCase();
    this.options = { ...options };
    this.#transactions = Transactions.of(this.#storage);
    this.states = new CustomStates(OpenedStates.of(place), this.#name, ofStates);
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
    const rooms = this.#rooms;
    return rooms === undefined ? this.#storage.transactionSync(() => run(this.#make())) : run(rooms);
  }

  transaction<R>(run: (rooms: Rooms) => R): R {
    return this.#storage.transactionSync(() => this.states.alone(() => run(this.#rooms ?? this.#make())));
  }

  /** The tables, if they were made, and all that the storage held wasn't deleted since. */
  get #rooms(): Rooms | undefined {
    return this.#made?.life === this.states.life ? this.#made.rooms : undefined;
  }

  #make(): Rooms {
    const rooms = new Rooms(this.#storage, this.#name, this.states);
    this.#made = { rooms, life: this.states.life };
    this.#transactions.witness(this.#witness);
    return rooms;
  }

  /** Forgets a custom state that was deleted. Where that is part of a larger transaction, the state may yet be there again. */
  forget(number: number): void {
    if (!this.#transactions.isOpen) this.states.forget(number);
  }

  /** A transaction has ended in which tables were made: are they there? */
  #look(isOutermost: boolean): void {
    try {
      void this.#made?.rooms.sessions.last;
    } catch {
      this.#made = undefined;
    }
    // What knows of it for longer would keep it.
    if (isOutermost) this.#transactions.forget(this.#witness);
  }
}
