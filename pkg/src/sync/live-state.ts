import { Audience } from "./audience.js";
import { closeSocket, type EventStream, type HibernatableSocket } from "./sinks.js";
import { call, isAlive, release } from "../bridge/core.js";
import { isLoss } from "../bridge/engine.js";
import { PatchwireError, type PatchwireErrorCode } from "../errors.js";
import { guard } from "./guard.js";
import { migrated, requireEarlier } from "./migration.js";
import type { Repaired } from "../tables/past.js";
import type { Effect, Plan, Write } from "../tables/plan.js";
import type { DurableContext, SyncedEvent, SyncedStateOptions, ViewOf, WritesOf } from "./options.js";
import { surpassed, type StateTables } from "../tables/state-tables.js";
import { Transactions, type Witness } from "./transactions.js";
import { damageOf } from "../tables/hashed-table.js";
import { stateTables } from "../tables/plain-tables.js";
import { TrackedState } from "../tracker/tracked-state.js";
import { whole } from "../tracker/owner.js";
import { StateTracker } from "../tracker/tracker.js";
import type { Rule } from "../values/validate.js";
import type { Limits } from "../types.js";
import type { StateDocument } from "../bridge/document.js";
import type { DocumentHandle, SessionHandle } from "../wasm/patchwire.js";

/** What is open of a state. */
interface Live<T> {
  session: SessionHandle;
  /** The session's tracker, and what recipes are run with. */
  tracked: TrackedState;
  tracker: StateTracker<T>;
}

/** What is stored of a state, if it is stored. */
type Stored = ReturnType<StateTables["last"]>;

/** What waits until no transaction is open: what was done in one may yet be taken back. */
interface Waiting {
  /** What is done then, when everybody has a place in the session. */
  then: () => void;
  /** Whether it is so by what is stored then. */
  holds: (stored: Stored) => boolean;
  /** Of a commit: what the connections of then are to be sent. Those of later are given their places back, which tells them. */
  effects: Effect[] | undefined;
  /** Whose connections these are: another session has other numbers for them, and has told them already. */
  session: SessionHandle | undefined;
}

/** Why a client's change may be refused. */
const REFUSALS: ReadonlySet<string> = new Set<PatchwireErrorCode>(["VALIDATION_FAILED", "LIMIT_EXCEEDED"]);

const always = (): boolean => true;
const nothing = (): void => {};

const accept = (session: SessionHandle): boolean => session.accept();

/** Whether a session is the stored one as it is stored. A core that dies here has nothing to do with what was committed. */
function knows(known: SessionHandle, session: string | undefined, revision: number): boolean {
  try {
    return isAlive(known) && call(() => known.id() === session && known.revision() === revision);
  } catch (error) {
    if (!isLoss(error)) throw error;
    return false;
  }
}

/** What changes the session's state. */
function track<T>(session: SessionHandle, { limits, validate }: SyncedStateOptions<T>): Pick<Live<T>, "tracked" | "tracker"> {
  const tracked = TrackedState.ofSession(session, limits, validate as Rule | undefined);
  return { tracked, tracker: new StateTracker<T>(tracked) };
}

/**
 * A {@link SyncedState} while it is in memory. It is read when it is first asked for; each change is committed to storage and
 * then told; and what may not be as it is in storage any more is forgotten, and read again.
 */
export class LiveState<T> {
  readonly tables: StateTables;
  readonly audience: Audience;
  private readonly transactions: Transactions;
  private readonly witness: Witness = { ended: (isOutermost, isTakenBack) => this.check(isOutermost, isTakenBack), deleted: () => this.deleted() };
  private opened: Live<T> | undefined = undefined;
  /** Whether the storage was deleted while a recipe ran. */
  private isDeleted = false;
  /** What is to be told and answered when the transaction has ended that is open. */
  private waiting: Waiting[] = [];
  /** Whether something was written in the transaction that is open of which the revision that is stored says nothing: pieces of a stream, or a version. */
  private hasUncounted = false;
  /** Whether `migrate` is running, which may read the state as it is, and nothing else. */
  private isMigrating = false;
  /** Whether what waits is being told. A change that is made meanwhile, by who hears of another, is told after it. */
  private isTelling = false;

  constructor(
    private readonly context: DurableContext,
    private readonly options: SyncedStateOptions<T>,
    name: string,
  ) {
    this.audience = new Audience(context, name, options.view !== undefined, options.clientWrites !== undefined, (event) => this.tell(event));
    this.transactions = Transactions.of(context.storage);
    this.tables = stateTables(context.storage, this.transactions.quietly, name);
    // Its clients may be there before it has read anything.
    this.transactions.witness(this.witness);
  }

  /** What is accepted of the state, where something else is asked for. */
  get limits(): Limits | undefined {
    return this.options.limits;
  }

  /** What requests may see, where that isn't all. */
  get viewOf(): ViewOf | undefined {
    return this.options.view;
  }

  /** Where requests may write, where they may. */
  get writesOf(): WritesOf | undefined {
    return this.options.clientWrites;
  }

  /** Runs what changes the state, and commits it. */
  change(run: (tracker: StateTracker<T>) => void): void {
    this.refuseMigrating();
    this.with((opened) => {
      run(opened.tracker);
      this.commit(opened);
    });
  }

  /** Gives a piece to a stream of the state, and commits what has become certain. */
  write(run: (tracker: StateTracker<T>) => void): void {
    if (this.isUncertain) {
      this.hasUncounted = true;
      this.transactions.witness(this.witness);
    }
    this.change(run);
  }

  /** Runs what is done once. If the core fails in it, or the storage is deleted, what is next asked for is read from storage. */
  with<R>(run: (opened: Live<T>) => R): R {
    try {
      return run(this.open());
    } catch (error) {
      const isSurpassed = this.tables.hasFailed && this.isSurpassed;
      if (isLoss(error) || this.tables.hasFailed || this.isDeleted) this.forget();
      throw isSurpassed ? surpassed() : error;
    }
  }

  /** Whether storage has another state than the one that is open: somebody else has written. */
  private get isSurpassed(): boolean {
    const { session, revision = -1 } = this.tables.last();
    return this.opened !== undefined && session !== undefined && !knows(this.opened.session, session, revision);
  }

  /** Runs what may be done again: if the core fails in it, another one is likely to do it. */
  ask<R>(run: (opened: Live<T>) => R): R {
    try {
      return this.with(run);
    } catch (error) {
      if (!isLoss(error)) throw error;
      return this.with(run);
    }
  }

  /** Whether what is stored now may yet be taken back. */
  private get isUncertain(): boolean {
    return this.transactions.isOpen;
  }

  /** Whether it is certain that a transaction is open. */
  get isInTransaction(): boolean {
    return this.transactions.isKnownOpen;
  }

  /** See {@link SyncedState.repair}. */
  repair(version: number | undefined): Repaired | undefined {
    this.requireRest();
    this.forget();
    // Who has no versions has one shape.
    const repaired = this.tables.repair(version ?? (this.options.version === undefined ? 0 : undefined));
    if (repaired !== undefined) this.wait(nothing, always, []);
    return repaired;
  }

  /** See {@link SyncedState.restore}. */
  restore(revision: number): void {
    this.refuseMigrating();
    this.with((opened) => {
      const { session, tracker } = opened;
      const { version } = this.options;
      const documents: DocumentHandle[] = [];
      try {
        const then = call(() => session.at(revision));
        documents.push(then);
        const from = version === undefined ? undefined : this.tables.versionAt(revision);
        if (from === version) {
          const now = call(() => session.at(session.revision()));
          documents.push(now);
          tracker.apply(call(() => now.diff(then, undefined, true)));
        } else tracker.apply(whole(this.migrated(JSON.parse(call(() => then.text())), from!)));
      } finally {
        for (const document of documents) release(document);
      }
      this.commit(opened);
    });
  }

  /** See {@link SyncedState.renew}. */
  renew(): void {
    this.requireRest();
    this.forget();
    this.tables.renew(crypto.randomUUID());
    this.wait(nothing, always, []);
  }

  /** See {@link SyncedState.destroy}. */
  destroy(): void {
    this.requireRest();
    const { session: deleted } = this.tables.last();
    this.tables.drop();
    this.forget();
    this.wait(() => {
      // Unless it has begun anew.
      if (this.opened === undefined) this.close();
      this.audience.dismiss(1012, "the state was deleted");
    }, ({ session }) => session === undefined || session !== deleted);
  }

  /** Nobody asks it any more. */
  close(): void {
    this.forget();
    this.transactions.forget(this.witness);
  }

  /** See {@link SyncedState.unload}. */
  unload(): boolean {
    if (this.isBusy || this.opened?.tracked.hasStreams === true) return false;
    this.forget();
    this.tables.rest();
    return true;
  }

  /** Whether a recipe is changing what is open, or it is being migrated. */
  private get isBusy(): boolean {
    return this.isMigrating || this.opened?.tracked.isBusy === true;
  }

  /** A state in the shape of the present version. */
  private migrated(state: unknown, from: number): unknown {
    this.isMigrating = true;
    try {
      return migrated(state, from, this.options);
    } finally {
      this.isMigrating = false;
    }
  }

  private refuseMigrating(): void {
    if (this.isMigrating) throw new PatchwireError("TRACKER_BUSY", "the state is being migrated: return what it is to be");
  }

  private requireRest(): void {
    this.refuseMigrating();
    if (this.isBusy) throw new PatchwireError("TRACKER_BUSY", "a recipe is running: finish it first");
  }

  private deleted(): void {
    this.tables.end("the state was deleted");
    this.isDeleted = this.isBusy;
    if (!this.isDeleted) this.forget();
    this.wait(() => this.audience.dismiss(1012, "the storage was deleted"));
  }

  private tell(event: SyncedEvent): void {
    guard(() => this.options.onEvent?.(event));
  }

  /** Commits what its tracker has changed, if anything, and has it told. */
  private commit(opened: Live<T>): void {
    const { session, tracked } = opened;
    if (this.isDeleted) throw new PatchwireError("CONFLICT", "the storage was deleted while the recipe ran, and the change with it");
    let plan: Plan;
    try {
      plan = tracked.commit(session);
      if (plan.revision === undefined) return;
      this.tables.write(plan.rows, plan.revision);
    } catch (error) {
      // What was changed can't be kept: the state is what was committed last, or what somebody else has written.
      if (isStale(error)) this.forget();
      else this.begin(opened);
      // A recipe may have caught why.
      throw this.tables.failure ?? error;
    }
    const { revision, bytes, rows } = plan;
    let effects = plan.sent;
    let id: string | undefined;
    try {
      if (this.isUncertain) id = call(() => session.id());
      const isRenewed = call(accept, session, undefined);
      // What has been read of the state stands on the version before, which would stay in memory.
      if (isRenewed || tracked.isCrowded) tracked.readAnew(session);
    } catch {
      // It is committed, whatever failed after it.
      this.reopen();
      effects = [];
    }
    this.wait(
      () => this.tell({ type: "commit", revision, bytes, rows: rows.length }),
      id === undefined ? always : (stored) => revision <= stored.revision! && id === stored.session,
      effects,
    );
  }

  /** Recipes go on from what was committed last; what they have read of it is given back. */
  private begin(opened: Live<T>): void {
    try {
      call(() => opened.session.refuse());
      opened.tracked.close();
      Object.assign(opened, track(opened.session, this.options));
    } catch {
      this.forget();
    }
  }

  /** Answers a connection's frame. One of a transaction that may be taken back waits, as what it would be answered does. */
  receive(socket: HibernatableSocket, frame: string): void {
    this.wait(() => this.answer(socket, frame));
  }

  private answer(socket: HibernatableSocket, frame: string): void {
    try {
      const write = this.ask(() => this.audience.receive(socket, frame));
      // Once: another core wouldn't know whether it was made.
      if (write !== undefined) this.make(write, socket);
    } catch (error) {
      if (!isLoss(error)) throw error;
      // It waits for an answer: this one it understands.
      closeSocket(socket, 1011, "the core failed");
    }
  }

  /** Makes a change that a connection wants, which is told what came of it. */
  private make([, connection, id, patch]: Write, socket: HibernatableSocket): void {
    const { session } = this.open();
    call(() => session.writing(connection, id));
    let failure: { error: unknown; code: string } | undefined;
    try {
      this.change((tracker) => tracker.apply(patch));
    } catch (error) {
      failure = { error, code: error instanceof PatchwireError ? error.code : "" };
    }
    // What is open now doesn't know who is to be answered.
    if (this.opened?.session !== session || !isAlive(session)) closeSocket(socket, 1011, "nobody knows what came of the change");
    else this.audience.carryOut(call(() => session.wrote(failure?.code)));
    // What isn't the client's fault is for whoever called.
    if (failure !== undefined && !REFUSALS.has(failure.code)) throw failure.error;
  }

  /** Runs `then` at once, or once the open transaction has ended, provided that `holds` is true of what is stored by then. */
  wait(then: () => void, holds: (stored: Stored) => boolean = always, effects?: Effect[]): void {
    // Functions that are arguments have no names to be given: a bundler may do that for each, and each time.
    this.waiting.push({ then, holds, effects, session: this.opened?.session });
    if (this.isUncertain) this.transactions.witness(this.witness);
    else this.goOn();
  }

  private goOn(): void {
    if (this.isTelling) return;
    this.isTelling = true;
    let failure: { error: unknown } | undefined;
    try {
      while (this.waiting.length > 0 && !this.isUncertain) {
        const { waiting } = this;
        this.waiting = [];
        this.carryOut(waiting);
        for (const { then } of waiting) {
          try {
            then();
          } catch (error) {
            failure ??= { error };
          }
          // What was committed for one who waited is told before the next one is answered.
          if (this.waiting.length > 0 && !this.isUncertain) this.carryOut(this.waiting);
        }
      }
    } finally {
      this.isTelling = false;
    }
    if (failure !== undefined) throw failure.error;
  }

  private carryOut(waiting: readonly Waiting[]): void {
    try {
      if (this.audience.isSeated) {
        for (const entry of waiting) {
          const { effects = [], session } = entry;
          entry.effects = undefined;
          if (session === this.opened?.session) this.audience.carryOut(effects);
        }
      } else if (this.opened !== undefined || waiting.some(({ effects }) => effects !== undefined)) {
        this.open();
        this.audience.seat();
      }
    } catch {
      this.reopen();
    }
  }

  /** A transaction has ended in which something was read or written: was it taken back? */
  private check(isOutermost: boolean, isTakenBack: boolean): void {
    if (isTakenBack) this.tables.review();
    const stored = this.tables.last();
    const { session, revision = -1 } = stored;
    const opened = this.opened;
    if (opened !== undefined && ((isTakenBack && this.hasUncounted) || !knows(opened.session, session, revision))) this.forget();
    if (isOutermost) this.hasUncounted = false;
    this.waiting = this.waiting.filter(({ holds }) => holds(stored));
    if (isOutermost) guard(() => this.goOn());
  }

  /** It is committed, whatever happens here; those who listen are told of it when their connections are restored. */
  private reopen(): void {
    this.forget();
    try {
      this.open();
    } catch {
      this.forget();
    }
  }

  /** What is open; read from storage where nothing is, or where what is can't be believed. */
  open(): Live<T> {
    if (this.opened !== undefined && (!isAlive(this.opened.session) || this.tables.hasFailed)) this.forget();
    return this.opened ?? this.read();
  }

  private read(): Live<T> {
    try {
      return this.options.version === undefined ? this.readUnversioned() : this.readMigrated(this.options.version);
    } catch (error) {
      this.forget();
      // Whoever watches would take what was shown last for what is.
      if (!isLoss(error)) this.audience.dismiss(1011, "the state can't be read");
      throw error;
    }
  }

  /** Reads the state of an application without versions. Where it is lost which one the state has, nobody needs to know it. */
  private readUnversioned(): Live<T> {
    const opened = this.readStored();
    let version = 0;
    damageOf(() => (version = this.tables.version));
    requireEarlier(version, 0);
    return opened;
  }

  /** Reads the state; one of an earlier version of the application becomes one of this version, or isn't read. */
  private readMigrated(version: number): Live<T> {
    this.context.storage.transactionSync(() => {
      let isNew = false;
      const opened = this.readStored(() => (isNew = true));
      const from = isNew ? version : this.tables.version;
      requireEarlier(from, version);
      if (from === version) return;
      opened.tracker.apply(whole(this.migrated(opened.tracker.getState(), from)));
      const before = call(() => opened.session.revision());
      this.commit(opened);
      // A state that has stayed as it is may still be told as one of the version before.
      this.tables.migrate(before + 1, version);
      this.hasUncounted = true;
    });
    // It was read in a transaction, where nobody is given a place.
    if (!this.transactions.isOpen) this.audience.seat();
    // Where storage failed when what is stored was looked at once more, what was opened has been given back.
    return this.opened ?? this.readStored();
  }

  private readStored(isNew?: () => void): Live<T> {
    const { initial, limits, validate, retention = {}, version = 0 } = this.options;
    const { revisions = NaN, age = NaN, bytes = NaN } = retention;
    const make = (): StateDocument => {
      isNew?.();
      if (initial === undefined) throw new PatchwireError("STREAM_TRUNCATED", "the storage has no state yet, and the option initial is undefined; if it is a session's, the session was deleted");
      return new StateTracker(initial, { limits, validate }).document();
    };
    const session = this.tables.open(make, limits, version);
    call(() => session.keep(revisions, age, bytes));
    const opened: Live<T> = (this.opened = { session, ...track(session, this.options) });
    this.audience.meet(session);
    this.transactions.witness(this.witness);
    if (!this.transactions.isOpen) this.audience.seat();
    // Who was told that somebody lacked something may have had it forgotten.
    return this.opened === opened ? opened : this.open();
  }

  /** Gives back what it holds in memory. */
  private forget(): void {
    this.isDeleted = false;
    const opened = this.opened;
    if (opened === undefined) return;
    this.opened = undefined;
    this.audience.meet(undefined);
    const isLost = !isAlive(opened.session);
    opened.tracked.close();
    release(opened.session);
    if (isLost) this.tell({ type: "engine_lost" });
  }

  /** A socket or a stream has ended. */
  leave(member: HibernatableSocket | EventStream): void {
    try {
      this.audience.leave(member);
    } catch (error) {
      if (!isLoss(error)) throw error;
      this.forget();
    }
  }
}

const isStale = (error: unknown): boolean => error instanceof PatchwireError && error.code === "STALE_STATE";
