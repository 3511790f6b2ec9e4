import { refusal } from "../bridge/checks.js";
import { PatchwireError } from "../errors.js";
import { socketsOf, tagOf } from "../sync/audience.js";
import type { HibernatableSocket } from "../sync/sinks.js";
import { LiveState } from "../sync/live-state.js";
import type { Migration } from "../sync/migration.js";
import { leaveName, mayTakeName, OWNER } from "../sync/names.js";
import { checkedOptions, type DurableContext, type SyncedStateOptions } from "../sync/options.js";
import { SyncedState } from "../sync/synced-state.js";
import { Transactions } from "../sync/transactions.js";
import { isStorage, type StoreStorage } from "../tables/rows.js";

/** Custom states that keep their memory; the others are read from storage again. */
const AWAKE = 16;

/** Where a store is: an object's context, or its storage alone, which has no sockets. */
export type StorePlace = DurableContext | StoreStorage;

/** A session's custom state, which is there for as long as its session. */
export class CustomState extends SyncedState<unknown> {
  /** The version of its shape, and how an earlier one becomes it: of the store that opened it, which may be another one than asks. */
  readonly migration: Migration<unknown>;

  constructor(context: DurableContext, options: SyncedStateOptions<unknown>) {
    super(context, options);
    this.migration = options;
  }

  override destroy(): never {
    throw refusal("a session's custom state goes with its session: use deleteSession");
  }

  /** Deletes it with its session. */
  discard(): void {
    super.destroy();
  }
}

type Options = Omit<SyncedStateOptions<unknown>, "initial" | "name">;

/** The custom states of one storage, each of which exists once, however many stores there are. */
export class OpenedStates {
  private static readonly known = new WeakMap<StoreStorage, OpenedStates>();
  private readonly states = new Map<string, CustomState>();
  /** The first of each store's name: stores may be made as often as somebody asks for something, and aren't kept. */
  private readonly stores = new Map<string, CustomStates>();
  /** Another value once all that the storage held was deleted. */
  life: object = {};
  /** The names of stores of which an operation is running. */
  readonly running = new Set<string>();
  /** The highest number that each store has given to a session, in transactions too that were taken back: who holds its state has that of no other. */
  readonly given = new Map<string, number>();
  /** Those that may have memory, the one that was used last at the end. */
  private readonly awake = new Set<CustomState>();

  /** The object's, once somebody has come with it: it has the sockets. */
  private object: DurableContext | undefined = undefined;
  /** Those that were read before that, and couldn't be given back then: they know nothing of the sockets that were there. */
  private readonly early = new Set<CustomState>();

  static of(place: StorePlace): OpenedStates {
    const storage = storageOf(place);
    let opened = this.known.get(storage);
    if (opened === undefined) this.known.set(storage, (opened = new OpenedStates(storage)));
    if ("storage" in place && opened.object === undefined) opened.meet(place);
    return opened;
  }

  private constructor(private readonly storage: StoreStorage) {
    // Clients may be there before anything has been read.
    Transactions.of(storage).witness({ ended: () => {}, deleted: () => this.deleted() });
  }

  /** Whose clients are told when all is deleted. */
  add(name: string, states: CustomStates): void {
    if (!this.stores.has(name)) this.stores.set(name, states);
  }

  private deleted(): void {
    this.life = {};
    // They close their clients' sockets, those too that nobody has asked for since the object woke: a state that is made here is told next.
    for (const socket of this.object?.getWebSockets() ?? []) for (const store of this.stores.values()) store.of(socket);
  }

  /** The object has come: a state that is read again gives its sockets places. */
  private meet(object: DurableContext): void {
    this.object = object;
    for (const state of this.states.values()) if (!state.unload()) this.early.add(state);
  }

  /** The state of a name, which has to have been made. */
  get(name: string, options: Options): CustomState {
    let state = this.states.get(name);
    // Without an initial state: rows that are gone are an error, and not a new state.
    if (state === undefined) this.states.set(name, (state = new CustomState(this.context(), { ...options, name, initial: undefined })));
    if (this.early.size > 0 && this.early.has(state) && state.unload()) this.early.delete(state);
    this.awake.delete(state);
    for (const idle of this.awake) {
      if (this.awake.size < AWAKE) break;
      // One that can't be is asked again later.
      if (idle.unload()) this.awake.delete(idle);
    }
    this.awake.add(state);
    return state;
  }

  /** Makes a state; false where another one has its name. What it begins with isn't kept. */
  create(name: string, initial: unknown, options: Options): boolean {
    const context = this.context();
    if (!mayTakeName(context, name)) return false;
    const made = new LiveState<unknown>(context, checkedOptions({ ...options, initial }), name);
    try {
      if (made.tables.isMade) return false;
      // It is made when it is first read.
      made.open();
      return true;
    } finally {
      made.close();
    }
  }

  /** Forgets a state that was deleted. */
  forget(name: string): void {
    const state = this.states.get(name)!;
    this.awake.delete(state);
    this.early.delete(state);
    this.states.delete(name);
    leaveName(this.storage, name);
  }

  /** The name of the state that a socket belongs to, if it is one of those whose names begin so and end with a number. */
  nameOf(socket: HibernatableSocket, beginning: string): string | undefined {
    const tags = this.object?.getTags?.(socket) ?? [];
    const start = tagOf(beginning);
    // Another store's name may begin with this one's.
    const tag = tags.find((tag) => tag.startsWith(start) && /^\d+$/.test(tag.slice(start.length)));
    return tag && beginning + tag.slice(start.length);
  }

  /** A context for one state, of which this object alone knows the name. */
  private context(): DurableContext & { [OWNER]: object } {
    // A copy would say for ever whether there were sockets when it was made.
    return Object.assign(socketsOf(() => this.object), { [OWNER]: this, storage: this.storage });
  }
}

/** The custom states of one store, by the numbers of their sessions. */
export class CustomStates {
  constructor(
    private readonly opened: OpenedStates,
    private readonly store: string,
    private readonly options: Options,
  ) {
    opened.add(store, this);
  }

  /** Of the storage: see {@link OpenedStates.life}. */
  get life(): object {
    return this.opened.life;
  }

  get(number: number): CustomState {
    return this.opened.get(this.nameOf(number), this.options);
  }

  /** Runs an operation of the store. Another one that began within it, by what it calls, would be overwritten by what this one has read. */
  alone<R>(run: () => R): R {
    const { running } = this.opened;
    if (running.has(this.store)) throw new PatchwireError("TRACKER_BUSY", "an operation of the store is running, which called what asks for this one: do it afterwards");
    running.add(this.store);
    try {
      return run();
    } finally {
      running.delete(this.store);
    }
  }

  /** Makes one, and says which number it has: one that no session had since the object woke, above the last that is stored. */
  create(last: number, initial: unknown): number {
    const { given } = this.opened;
    let number = Math.max(last, given.get(this.store) ?? 0) + 1;
    // The object may have another state of its name.
    while (!this.opened.create(this.nameOf(number), initial, this.options)) number++;
    given.set(this.store, number);
    return number;
  }

  forget(number: number): void {
    this.opened.forget(this.nameOf(number));
  }

  /** The one that a socket belongs to, if it is one of the store's. */
  of(socket: HibernatableSocket): CustomState | undefined {
    const name = this.opened.nameOf(socket, this.nameOf(""));
    return name === undefined ? undefined : this.opened.get(name, this.options);
  }

  private nameOf(number: number | ""): string {
    return `${this.store}-${number}`;
  }
}

export function storageOf(place: StorePlace): StoreStorage {
  const storage = "storage" in Object(place) ? (place as DurableContext).storage : place;
  if (isStorage(storage)) return storage;
  throw refusal("the first argument is the Durable Object's this.ctx, nodeStorage(database) or memoryStorage()");
}
