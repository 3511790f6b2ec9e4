import { socketsOf } from "./audience.js";
import type { HttpRequest, HttpResponse } from "./http.js";
import { LiveState } from "./live-state.js";
import { takeName } from "./names.js";
import { ANSWER, checkedOptions, requireArguments, type DurableContext, type StateContext, type SyncedStateOptions, type ViewOf } from "./options.js";
import type { Repaired } from "../tables/past.js";
import { respond } from "./respond.js";
import { closeSocket, type HibernatableSocket } from "./sinks.js";
import { call, hasObjects } from "../bridge/core.js";
import { PatchwireError } from "../errors.js";
import { checkCount, checkOptions } from "../bridge/checks.js";
import { ERA, LIMITS } from "../tracker/owner.js";
import { parallel, type ParallelOptions, type ParallelResult, type ParallelTool } from "../tracker/parallel.js";
import { StreamedValue } from "../tracker/stream.js";
import type { Draft, Immutable, JSONPatchOperation, Limits, RecipeResult } from "../types.js";
import { StateDocument } from "../bridge/document.js";

const hasSockets = (ctx: StateContext): ctx is DurableContext => typeof ctx.getWebSockets === "function";

/** A frame's text. */
function frameOf(message: string | ArrayBuffer): string {
  if (typeof message === "string") return message;
  try {
    return new TextDecoder().decode(message);
  } catch (cause) {
    throw new PatchwireError("VALIDATION_FAILED", "the second argument is the message that came: a string or an ArrayBuffer", {}, { cause });
  }
}

/**
 * One state of a Durable Object: kept in its SQLite, changed by recipes, and held live by every client that connects.
 *
 * A change is committed when the method that made it returns, and then broadcast. If the commit fails the method
 * throws, nobody is told anything, and the state is what was committed last.
 *
 * The core is shared by all objects of an isolate. If it fails, whoever made the call that it failed in gets
 * `ENGINE_LOST`, unless that could be done again or was committed already. Every object then goes on from storage, and
 * its connections where they were.
 *
 * In the examples below `ctx` is the Durable Object's, `this.ctx`.
 *
 * @example
 * ```ts
 * import { DurableObject } from "cloudflare:workers";
 * import { SyncedState } from "patchwire/durable-objects";
 *
 * export class Session extends DurableObject {
 *   state = new SyncedState(this.ctx, { initial: { notes: [] as string[] } });
 *   fetch(request: Request) { return this.state.fetch(request); }
 *   webSocketMessage(socket: WebSocket, message: string | ArrayBuffer) { this.state.webSocketMessage(socket, message); }
 *   webSocketClose(socket: WebSocket) { this.state.webSocketClose(socket); }
 *   webSocketError(socket: WebSocket) { this.state.webSocketError(socket); }
 *   addNote(text: string) { this.state.update((draft) => { draft.notes.push(text); }); }
 * }
 * ```
 */
export class SyncedState<T> {
  readonly #live: LiveState<T>;

  /**
   * Costs nothing: storage is read when the state is first used. `initial` counts only where there is no state yet. What is done
   * in the turn in which an object's first state is made is told when the turn has ended, because a transaction may be open. With
   * storage alone, such as `{ storage: memoryStorage() }` in a test, there are event streams and snapshots, and no sockets.
   *
   * @throws PatchwireError `CLOSED` in a page, which doesn't download what this needs; `CONFLICT` where another state of
   *   the object has the name, or neither has one; `VALIDATION_FAILED` for anything else than a context, for an unknown option,
   *   for anything else than a name, a version or a function, and if a limit isn't a number in its range.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const notes = new SyncedState(ctx, { initial: ["a"], onEvent: (event) => console.log(event.type) });
   * const usage = new SyncedState(ctx, { name: "usage", initial: { tokens: 0 } });
   * notes.update((draft) => draft.push("b"));
   * console.log(notes.getState(), usage.getState(), notes.revision, usage.revision);
   * // [ 'a', 'b' ] { tokens: 0 } 1 0
   * // commit
   * ```
   */
  constructor(ctx: StateContext, options: SyncedStateOptions<T>) {
    if (!hasObjects) throw new PatchwireError("CLOSED", "a SyncedState needs Workers or Node: pages connect to one, with patchwire/client");
    requireArguments(ctx, options);
    const context = hasSockets(ctx) ? ctx : { storage: ctx.storage, ...socketsOf(() => undefined) };
    this.#live = new LiveState(context, checkedOptions(options), takeName(context, options.name));
  }

  /**
   * The random id of this life of the state: revisions of two sessions can't be compared. It is another one after {@link destroy} and
   * {@link renew}. With {@link revision} it says which commit a client may wait for (`SyncedClient.whenRevision`).
   *
   * @throws what {@link getState} throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { count: 0 } });
   * const { session } = state;
   * state.increment("/count");
   * console.log(state.session === session); // true
   * state.destroy();
   * console.log(state.session === session); // false
   * ```
   */
  get session(): string {
    return this.#live.ask(({ session }) => call(() => session.id()));
  }

  /**
   * The number of the last commit: each change raises it by one; 0 for the initial state.
   *
   * @throws what {@link getState} throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { count: 0 } });
   * state.increment("/count");
   * state.update((draft) => { draft.count = 1; });
   * console.log(state.revision); // 1
   * ```
   */
  get revision(): number {
    return this.#live.ask(({ session }) => call(() => session.revision()));
  }

  /**
   * The state: plain, frozen, and `===` in every part that hasn't changed. The first call reads storage; then
   * O(containers changed since the last call).
   *
   * @throws what storage throws; PatchwireError `NOT_JSON` where the initial state isn't JSON, `VALIDATION_FAILED` where
   *   the rows have a format of another version, `STREAM_TRUNCATED` where some are missing, `INVALID_JSON` and others
   *   where they are damaged.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { plan: ["search"], done: 0 } });
   * const before = state.getState();
   * state.increment("/done");
   * console.log(state.getState(), state.getState().plan === before.plan); // { plan: [ 'search' ], done: 1 } true
   * ```
   */
  getState(): Immutable<T> {
    return this.#live.ask(({ tracker }) => tracker.getState());
  }

  /**
   * Runs a recipe on a draft, commits what it did and broadcasts it; nothing of either if it changed nothing.
   *
   * @throws what the recipe throws, what {@link StateTracker.update} throws, and what storage throws; PatchwireError
   *   `STALE_STATE` where somebody else has written to it, and nothing has changed.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { notes: ["a"] } });
   * state.update((draft) => { draft.notes.push("b"); });
   * console.log(state.getState()); // { notes: [ 'a', 'b' ] }
   * try {
   *   state.update((draft) => { draft.notes.push("c"); throw new Error("no"); });
   * } catch {
   *   console.log(state.revision, state.getState()); // 1 { notes: [ 'a', 'b' ] }
   * }
   * ```
   */
  update<R>(recipe: (draft: Draft<T>) => RecipeResult<R>): void {
    this.#live.change((tracker) => tracker.update(recipe));
  }

  /**
   * Adds to the end of the string at a JSON Pointer. Only the addition is written and sent.
   *
   * @throws what {@link StateTracker.append} throws, and what storage throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { answer: "" } });
   * for (const token of ["Hel", "lo"]) state.append("/answer", token);
   * console.log(state.getState(), state.revision); // { answer: 'Hello' } 2
   * ```
   */
  append(pointer: string, text: string): void {
    this.#live.change((tracker) => tracker.append(pointer, text));
  }

  /**
   * Adds to the number at a JSON Pointer. Only the difference is written and sent.
   *
   * @throws what {@link StateTracker.increment} throws, and what storage throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { tokens: 100 } });
   * state.increment("/tokens", 42);
   * console.log(state.getState()); // { tokens: 142 }
   * ```
   */
  increment(pointer: string, by = 1): void {
    this.#live.change((tracker) => tracker.increment(pointer, by));
  }

  /**
   * Reads JSON text that arrives in pieces, such as the structured output of a model, into the place at a JSON Pointer, as
   * {@link StateTracker.stream} does. What each piece makes certain is committed and sent at once; `abort` puts back what was at the
   * place. Other changes may go on meanwhile. What has arrived when the object loses its memory stays as it is.
   *
   * @returns the stream. Its methods throw what they throw for a tracker and what storage throws, and PatchwireError `CLOSED`
   *   where the state has been read from storage since it began, after a commit that failed or a transaction that was rolled back:
   *   begin another one.
   * @throws what {@link StateTracker.stream} throws, and what {@link getState} throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState<{ report?: unknown }>(ctx, { initial: {} });
   * const report = state.stream("/report");
   * for (const piece of ['{"title":"On st', 'reams","pages":1', "2}"]) {
   *   report.write(piece);
   *   console.log(state.getState().report, state.revision);
   *   // { title: 'On st' } 1
   *   // { title: 'On streams' } 2
   *   // { title: 'On streams', pages: 12 } 3
   * }
   * report.end();
   * ```
   */
  stream(pointer: string): StreamedValue {
    const begun = this.#live.with(({ tracker }) => ({ tracker, stream: tracker.stream(pointer) }));
    const carryOn = (run: (stream: StreamedValue) => void): void =>
      this.#live.write((tracker) => {
        if (tracker !== begun.tracker) throw new PatchwireError("CLOSED", "the state was read from storage since the stream began: what was committed of it stays, begin another stream");
        run(begun.stream);
      });
    return new StreamedValue({
      write: (piece) => carryOn((stream) => stream.write(piece)),
      end: () => carryOn((stream) => stream.end()),
      abort: () => carryOn((stream) => stream.abort()),
    });
  }

  /**
   * Applies a patch of either dialect, as operations or as JSON text. All or nothing.
   *
   * @throws what {@link StateTracker.apply} throws, and what storage throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { notes: ["a"] } });
   * state.apply([{ op: "add", path: "/notes/0", value: "b" }]);
   * console.log(state.getState()); // { notes: [ 'b', 'a' ] }
   * ```
   */
  apply(patch: readonly JSONPatchOperation[] | string): void {
    this.#live.change((tracker) => tracker.apply(patch));
  }

  /**
   * Runs tools at once on the state as it is, and commits what they did, merged in their order, when the last one has ended:
   * see the function `parallel` of `patchwire`, which does it with a tracker.
   *
   * @throws PatchwireError as {@link mergeWrites}, `CLOSED` where the state was deleted while the tools ran, or a commit of it taken
   *   back, and what storage throws: then nothing has changed.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { notes: [] as string[], spent: 0 } });
   * const { results } = await state.parallel([
   *   async (tool) => { tool.update((draft) => { draft.notes.push("searched"); }); return 3; },
   *   async (tool) => { tool.increment("/spent", 5); return "written"; },
   * ]);
   * console.log(state.getState(), state.revision, results[0].status); // { notes: [ 'searched' ], spent: 5 } 1 fulfilled
   * ```
   */
  parallel<const R extends readonly unknown[]>(tools: { readonly [I in keyof R]: ParallelTool<T, R[I]> }, options?: ParallelOptions): Promise<ParallelResult<R>> {
    return parallel<T, R>(this, tools, options);
  }

  /** @internal */
  get [ERA](): object {
    return this.#live.tables.era;
  }

  /** @internal */
  get [LIMITS](): Limits | undefined {
    return this.#live.limits;
  }

  /**
   * The state at an earlier revision, as a document that reads of storage what is looked into. Those that the option `retention` keeps
   * can be read, pinned ones, and those since the state was last written as a whole, as any commit may do. Two of them share what they have in common: `diff` reads what differs. Of a revision that isn't kept any
   * more nothing can be read, not by a document from before either. After the state was deleted, or a commit taken back, documents from
   * before read nothing more (`STALE_STATE`), and once some of one couldn't be read, every use of it throws why.
   *
   * O(the changes between the last whole state before it and the revision).
   *
   * @throws PatchwireError `NOT_FOUND` where the revision isn't kept, or isn't made yet; `VALIDATION_FAILED` where it is no
   *   whole number; what {@link getState} throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { plan: ["search"], done: 0 }, retention: { revisions: 10_000 } });
   * state.update((draft) => { draft.plan.push("write"); });
   * state.increment("/done");
   * console.log(state.at(1).toJSON()); // { plan: [ 'search', 'write' ], done: 0 }
   * console.log(state.at(0).diff(state.at(1))); // [ { op: 'add', path: '/plan/-', value: 'write' } ]
   * ```
   */
  at(revision: number): StateDocument {
    checkCount("the revision", revision);
    return this.#live.ask(({ session }) => {
      const past = this.#live.tables.past();
      return new StateDocument(call(() => session.at(revision)), past);
    });
  }

  /**
   * Makes the state what it was at an earlier revision, as one change of what differs: a commit like any other, with a
   * revision of its own, which clients are told. A revision of an earlier {@link Migration.version} is migrated. What is to be
   * restored has to be kept, by the option `retention` or {@link pin}.
   *
   * @throws what {@link at} throws, and what storage throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { notes: ["a"], count: 0 } });
   * state.update((draft) => { draft.notes = []; });
   * state.increment("/count");
   * state.restore(0);
   * console.log(state.getState(), state.revision); // { notes: [ 'a' ], count: 0 } 3
   * ```
   */
  restore(revision: number): void {
    checkCount("the revision", revision);
    this.#live.restore(revision);
  }

  /**
   * Keeps a revision, the present one unless another is given, for as long as it is pinned: {@link at} can read it until
   * it has been unpinned as often. A row is written, or seldom two; what the revision needs stays as it is in storage, and is no copy.
   *
   * @returns the revision.
   * @throws what {@link at} throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { draft: "" } });
   * state.append("/draft", "first");
   * const submitted = state.pin();
   * for (let i = 0; i < 1000; i++) state.append("/draft", ".");
   * console.log(state.at(submitted).get("/draft"), state.pins); // first [ 1 ]
   * ```
   */
  pin(revision = this.revision): number {
    if (checkCount("the revision", revision) !== this.revision) this.at(revision).free();
    this.#live.tables.pin(revision);
    return revision;
  }

  /**
   * Takes one pin of a revision away. What nobody needs then is deleted with the changes that follow, a few rows each.
   *
   * @throws PatchwireError `NOT_FOUND` where it isn't pinned; what {@link getState} throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { draft: "" } });
   * state.unpin(state.pin());
   * console.log(state.pins); // []
   * ```
   */
  unpin(revision: number): void {
    checkCount("the revision", revision);
    // What writes is done once, whatever the core does.
    const isPinned = this.#live.with(() => this.#live.tables.unpin(revision));
    if (!isPinned) throw new PatchwireError("NOT_FOUND", "the revision isn't pinned");
    this.#live.ask(({ session }) => call(() => session.review()));
  }

  /**
   * The revisions that are pinned, ascending. O(their number).
   *
   * @throws what {@link getState} throws, also where rows of pins are missing or damaged.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: 0 });
   * state.pin();
   * console.log(state.pins); // [ 0 ]
   * ```
   */
  get pins(): readonly number[] {
    return this.#live.ask(() => this.#live.tables.pins());
  }

  /**
   * Mends a state whose rows are damaged, which every other method refuses with an error that names the row. The newest
   * revision that is whole becomes the state, with a number that none of the lost ones had, and as another session, because
   * clients may have seen what is lost: they are sent it whole. What is kept of the revisions before it stays. Where pins are
   * lost, the revisions that had them are kept no longer than others. O(state).
   *
   * @param options `version`: of which version of the application the state has the shape. Where the row is lost that says it,
   *   nobody else knows, and a state with the option `version` isn't repaired without.
   * @returns what was lost; `undefined` where nothing is damaged.
   * @throws where no revision is whole, what is damaged: then nothing has changed. {@link destroy} begins anew.
   * @example
   * ```ts
   * import { PatchwireError, SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { notes: ["a"] } });
   * try {
   *   state.getState();
   * } catch (error) {
   *   if (!(error instanceof PatchwireError && ["STREAM_TRUNCATED", "VALIDATION_FAILED"].includes(error.code))) throw error;
   *   const { restored, newest, damage } = state.repair()!;
   *   console.error(`${damage.message}: revisions after ${restored} are lost, of which there were up to ${newest - restored}`);
   * }
   * console.log(state.repair()); // undefined
   * ```
   */
  repair(options: { version?: number | undefined } = {}): Repaired | undefined {
    const { version } = checkOptions(options, ["version"]);
    return this.#live.repair(version === undefined ? undefined : checkCount("the version", version));
  }

  /**
   * Begins another session with the state as it is: connections are closed, and clients that come back are sent it whole. To be called when the storage was
   * put back to an earlier time, by point-in-time recovery or from a backup: a client may have seen revisions of the time that
   * was taken back, and would take those that have their numbers now for what it lacks. The revision stays.
   *
   * @throws what storage throws; PatchwireError `TRACKER_BUSY` in a recipe.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { notes: ["a"] } });
   * const session = async () => (await state.fetch(new Request("https://session/")).json<{ session: string }>()).session;
   * const before = await session();
   * state.renew();
   * console.log((await session()) === before, state.getState()); // false { notes: [ 'a' ] }
   * ```
   */
  renew(): void {
    this.#live.renew();
  }

  /**
   * Answers a request: a WebSocket upgrade, an event stream (`Accept: text/event-stream`), a snapshot
   * `{ session, revision, state }`, or with `?since=revision&session=id` `{ session, revision, frames }`: what came after
   * it, which is a snapshot if the session, or none being given, doesn't say that the revision is one of this state's.
   * `?dialect=extended` sends strings' growth and increments as such to readers of event streams and of frames. While a
   * transaction of the object is open, whoever asks for a snapshot or frames is told to come again (503). Where there are no sockets,
   * as in Node, an upgrade is answered with 501. `HEAD` is answered as `GET` is, without the body. Who may read is for the caller to decide before.
   *
   * @throws what {@link getState} throws.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { answer: "" } });
   * state.append("/answer", "Hi");
   * const get = (query: string) => state.fetch(new Request(`https://session/${query}`));
   * const snapshot = await get("").json<{ session: string; revision: number; state: unknown }>();
   * console.log(snapshot.revision, snapshot.state); // 1 { answer: 'Hi' }
   * const { frames } = await get(`?since=0&session=${snapshot.session}&dialect=extended`).json<{ frames: { chunk: unknown }[] }>();
   * console.log(frames[0]!.chunk);
   * // { type: 'state_patch', patches: [ { op: 'str_ins', path: '/answer', pos: 0, str: 'Hi' } ] }
   * ```
   */
  fetch(request: HttpRequest): HttpResponse {
    return respond(this.#live, request, this.#live.viewOf, this.#live.writesOf);
  }

  /** @internal */
  [ANSWER](request: HttpRequest, viewOf: ViewOf | undefined): HttpResponse {
    return respond(this.#live, request, viewOf);
  }

  /**
   * To be called from the object's method of the same name, as {@link SyncedState}'s example does: what a client sent.
   * What isn't a frame of the protocol is answered with `fail`. While a transaction of the object is open, the answer waits. Sockets of
   * others are ignored.
   */
  webSocketMessage(socket: HibernatableSocket, message: string | ArrayBuffer): void {
    if (this.#live.audience.has(socket)) this.#live.receive(socket, frameOf(message));
  }

  /**
   * To be called from the object's method of the same name, as {@link SyncedState}'s example does: nothing is sent any more. Sockets of
   * others are ignored.
   */
  webSocketClose(socket: HibernatableSocket, ..._: unknown[]): void {
    if (!this.#live.audience.has(socket)) return;
    this.#live.leave(socket);
    closeSocket(socket, 1000, "");
  }

  /** To be called from the object's method of the same name, as {@link SyncedState}'s example does. */
  webSocketError(socket: HibernatableSocket, ..._: unknown[]): void {
    this.webSocketClose(socket);
  }

  /**
   * Deletes the state with its tables. What is next asked for begins anew with the initial state, as another session:
   * connections are closed, and clients that come back notice.
   *
   * @throws what storage throws; PatchwireError `TRACKER_BUSY` in a recipe.
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { count: 0 } });
   * state.increment("/count");
   * state.destroy();
   * console.log(state.getState(), state.revision); // { count: 0 } 0
   * ```
   */
  destroy(): void {
    this.#live.destroy();
  }

  /**
   * Gives back what it holds in memory, and says whether it did: not while a recipe runs or a stream writes. What is next asked
   * for is read from storage; connections stay where they are.
   *
   * @example
   * ```ts
   * import { SyncedState } from "patchwire/durable-objects";
   * const state = new SyncedState(ctx, { initial: { count: 0 } });
   * state.increment("/count");
   * state.unload();
   * console.log(state.getState()); // { count: 1 }
   * ```
   */
  unload(): boolean {
    return this.#live.unload();
  }
}
