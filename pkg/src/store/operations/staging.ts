import { carryOut, checkEra, ERA, LIMITS } from "../../tracker/owner.js";
import { checkParallel, type ParallelOptions, type ParallelResult } from "../../tracker/parallel.js";
import type { Immutable } from "../../types.js";
import { PatchwireError } from "../../errors.js";
import { checkCount, checkFlag, checkObject, checkOptions, refusal } from "../../bridge/checks.js";
import { mergeStaged, promotionOf, replaceCustom, requireBase } from "../custom.js";
import { textsOf } from "../messages.js";
import type { Rooms } from "../rooms.js";
import type { Session } from "../sessions.js";
import { STORED } from "../stored-sessions.js";
import { checkCalls, runCalls, type ToolCall } from "../tool-calls.js";
import type { Message, Promotion, StagedChanges, UntypedSessionState, WriteOptions } from "../types.js";
import { CheckpointOperations } from "./checkpoints.js";

const PARALLEL = ["promote", "strategies", "counters", "texts", "expectedVersion", "fencingToken"] as const satisfies readonly ("promote" | keyof ParallelOptions | keyof WriteOptions)[];

/** What is done in a session's steps: what their calls have written is staged until it is promoted or discarded. */
export class StagingOperations extends CheckpointOperations {
  /**
   * Stages what a call of a tool has written, until its step is promoted or discarded. What the same call staged before is
   * replaced, so a call that is run again is counted once.
   *
   * @throws PatchwireError `INVALID_PATCH` where there are no writes.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { notes: [] } });
   * const writes = { ops: [{ kind: "append", key: "notes", items: ["a"] }] } as const;
   * for (const attempt of [1, 2]) await store.stageChanges("s-1", "step-1", { toolCallId: "call-1", writes });
   * await store.promoteStaging("s-1", "step-1");
   * console.log((await store.loadState("s-1"))?.customState); // { notes: [ 'a' ] }
   * ```
   */
  async stageChanges(sessionId: string, stepId: string, changes: StagedChanges, options: WriteOptions = {}): Promise<void> {
    this[STORED].transaction(({ sessions, staging }) => {
      const session = sessions.require(sessionId);
      session.check(options);
      staging.stage(session, stepId, changes);
    });
  }

  /**
   * What is staged for a step, in the order of the calls; `null` where nothing is.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.stageChanges("s-1", "step-1", { toolCallId: "call-1", writes: { ops: [] } });
   * console.log((await store.getStaged("s-1", "step-1"))?.length, await store.getStaged("s-1", "step-2")); // 1 null
   * ```
   */
  async getStaged(sessionId: string, stepId: string): Promise<StagedChanges[] | null> {
    return this[STORED].read(({ sessions, staging }) => {
      const session = sessions.find(sessionId);
      const staged = session === undefined ? [] : staging.read(session, stepId);
      return staged.length === 0 ? null : staged.map(({ changes }) => changes);
    });
  }

  /**
   * Merges what is staged for a step into the custom state, in the order of the calls, as one commit: additions compose, the
   * last of several values stays, and what is lost by that is told with both values.
   *
   * @throws PatchwireError `STALE_STATE` where a call wrote to items by index in a state that has changed since.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { notes: [], title: "" } });
   * for (const [index, text] of ["a", "b"].entries()) {
   *   const ops = [{ kind: "append", key: "notes", items: [text] }, { kind: "replace", key: "title", value: text }] as const;
   *   await store.stageChanges("s-1", "step-1", { toolCallId: `call-${index}`, index, writes: { ops } });
   * }
   * const { conflicts } = await store.promoteStaging("s-1", "step-1");
   * console.log((await store.loadState("s-1"))?.customState); // { notes: [ 'a', 'b' ], title: 'b' }
   * console.log(conflicts); // [ { path: '/title', strategy: 'last', kept: 'b', lost: 'a', keptBy: 1, lostBy: 0 } ]
   * ```
   */
  async promoteStaging(sessionId: string, stepId: string, options: WriteOptions = {}): Promise<void & Promotion> {
    const promotion = this[STORED].change(sessionId, options, (session, { staging }): Promotion => {
      const staged = staging.read(session, stepId);
      const merged = mergeStaged(session.custom, staged, this[STORED].options.strategies);
      carryOut(session.custom, merged);
      staging.discard(session, stepId);
      return promotionOf(merged, staged);
    });
    // Helix's interface promises nothing; here one is told what was lost.
    return promotion as void & Promotion;
  }

  /**
   * Forgets what is staged for a step, or by one of its calls.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * for (const toolCallId of ["call-1", "call-2"]) await store.stageChanges("s-1", "step-1", { toolCallId, writes: { ops: [] } });
   * await store.discardStaging("s-1", "step-1", "call-1");
   * console.log((await store.getStaged("s-1", "step-1"))?.map(({ toolCallId }) => toolCallId)); // [ 'call-2' ]
   * ```
   */
  async discardStaging(sessionId: string, stepId: string, toolCallId?: string, options: WriteOptions = {}): Promise<void> {
    this[STORED].transaction(({ sessions, staging }) => {
      const session = sessions.require(sessionId);
      session.check(options);
      staging.discard(session, stepId, toolCallId);
    });
  }

  /**
   * Ends a step in one transaction: saves the state, merges what is staged for the step, adds messages, and makes a
   * checkpoint of it all. `state.customState` may be the one before the staged writes, or the one that they lead to: they are
   * merged once in any case. Who may have to try again says `expectedVersion`: a second try without it, when nothing is staged
   * any more, saves `state` as it is given and adds the messages once more.
   *
   * @throws PatchwireError {@link StaleStateError} and others as {@link WriteOptions} says; `CONFLICT` where
   *   `state.customState` is neither of the two.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { notes: ["a"] } });
   * const state = (await store.loadState("s-1"))!;
   * await store.stageChanges("s-1", "step-1", { toolCallId: "call-1", writes: { ops: [{ kind: "append", key: "notes", items: ["b"] }] } });
   * const { newVersion } = await store.saveStateAndPromoteStaging(
   *   "s-1", state, [{ role: "assistant", content: "Noted" }], { stepId: "step-1", stepCount: 1, streamSequence: 7 }, { expectedVersion: state.version },
   * );
   * console.log(newVersion, (await store.getLatestCheckpoint("s-1"))?.state.customState); // 2 { notes: [ 'a', 'b' ] }
   * ```
   */
  async saveStateAndPromoteStaging(
    sessionId: string,
    state: UntypedSessionState,
    appendMessages: readonly Message[],
    checkpointMeta: { stepId: string; stepCount: number; streamSequence: number },
    options: WriteOptions = {},
  ): Promise<{ checkpointId: string; newVersion: number } & Promotion> {
    const { stepId, stepCount, streamSequence } = checkObject("the checkpoint's parameters", checkpointMeta, "are an object");
    checkCount("the count of steps", stepCount);
    checkCount("the sequence", streamSequence);
    const texts = textsOf(appendMessages);
    if (checkObject("the state", state).messages !== undefined) {
      throw refusal("messages are given apart from the state: both would add them twice");
    }
    return this[STORED].change(sessionId, options, (session, rooms, newVersion) => {
      const { custom } = session;
      const staged = rooms.staging.read(session, stepId);
      const merged = mergeStaged(custom, staged, this[STORED].options.strategies);
      if (staged.length > 0 && state.customState !== undefined) requireBase(custom, state.customState, merged);
      else if (state.customState !== undefined) replaceCustom(custom, state.customState);
      carryOut(custom, merged);
      rooms.save(session, { ...state, stepCount });
      rooms.messages.append(session, texts);
      rooms.staging.discard(session, stepId);
      const checkpointId = rooms.checkpoints.create(session, { stepCount, streamSequence });
      return { checkpointId, newVersion, ...promotionOf(merged, staged) };
    });
  }

  /**
   * Runs the calls of a step at once, each from the custom state as it is, and promotes what they have written as one commit
   * when all have ended, as {@link parallel} does. What a call has done is staged as soon as it has ended: where the process
   * ends before the step does, calls that had ended aren't run again by whoever runs the step again, and what they answered
   * is what they answered then. A call that fails leaves nothing.
   *
   * With `promote: false` what they did stays staged, for {@link saveStateAndPromoteStaging} to end the step with,
   * which decides by the store's own `strategies`: others are refused here. With `expectedVersion` nothing else may change the
   * session meanwhile: what a call does after that isn't staged, and the step isn't promoted. What had been staged before stays, for
   * whoever runs the step again.
   *
   * A call whose writes somebody else has promoted or discarded before the step ends, as another run of the step or
   * {@link restoreCheckpoint} does, is `rejected`.
   *
   * @throws PatchwireError as {@link promoteStaging}; `NOT_FOUND` where the session was deleted meanwhile.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { notes: [] as string[], spent: 0 } });
   * const { results } = await store.parallel<{ notes: string[]; spent: number }>("s-1", "step-1", [
   *   { toolCallId: "call-1", run: async (tool) => { tool.update((draft) => { draft.notes.push("a"); }); tool.increment("/spent", 2); return "noted"; } },
   *   { toolCallId: "call-2", run: async (tool) => { tool.increment("/spent", 3); } },
   * ]);
   * console.log(results[0], (await store.loadState("s-1"))?.customState);
   * // { status: 'fulfilled', value: 'noted' } { notes: [ 'a' ], spent: 5 }
   * ```
   */
  async parallel<T = any, const R extends readonly unknown[] = readonly unknown[]>(
    sessionId: string,
    stepId: string,
    calls: { readonly [I in keyof R]: ToolCall<T, R[I]> },
    options: ParallelOptions & WriteOptions & { promote?: boolean | undefined } = {},
  ): Promise<ParallelResult<R>> {
    const { promote = true, strategies = this[STORED].options.strategies, expectedVersion, fencingToken, ...rest } = checkOptions(options, PARALLEL);
    checkCalls(calls);
    checkParallel({ ...rest, strategies });
    checkFlag("the option promote", promote);
    if (!promote && options.strategies !== undefined) {
      throw refusal("what stays staged is promoted by the strategies of the store: give it the option strategies, or leave promote out");
    }
    const check = { ...(fencingToken !== undefined && { fencingToken }), ...(expectedVersion !== undefined && { expectedVersion }) };
    const { number, era, limits, base, staged } = this[STORED].read(({ sessions, staging }) => {
      const session = sessions.require(sessionId);
      session.check(check);
      const { number, custom } = session;
      return { number, era: custom[ERA], limits: custom[LIMITS], base: { state: custom.getState(), revision: custom.revision }, staged: staging.read(session, stepId) };
    });
    const same = ({ sessions }: Rooms): Session => {
      const session = sessions.require(sessionId);
      // Another session may have the id by now.
      if (session.number !== number) throw new PatchwireError("NOT_FOUND", "the session was deleted while the tools ran");
      checkEra(session.custom, era);
      session.check(check);
      return session;
    };
    const results = await runCalls<T>(calls, base.state as Immutable<T>, staged, { ...rest, limits }, (changes) => {
      this[STORED].transaction((rooms) => {
        rooms.staging.stage(same(rooms), stepId, changes, base.revision);
      });
    });
    const settle = (session: Session, { staging }: Rooms): Omit<ParallelResult<[]>, "results"> => {
      const staged = staging.read(session, stepId);
      const merged = mergeStaged(session.custom, staged, strategies, base);
      const { refused, conflicts, warnings } = merged;
      const callAt = (at: number): number => calls.findIndex(({ toolCallId }) => toolCallId === staged[at]?.changes.toolCallId);
      const known = new Set(staged.map(({ changes }) => changes.toolCallId));
      for (const [call, { toolCallId }] of calls.entries()) {
        if (results[call]!.status === "rejected" || known.has(toolCallId)) continue;
        results[call] = { status: "rejected", reason: new PatchwireError("CONFLICT", "what the call wrote was promoted or discarded by somebody else before the step ended") };
      }
      for (const [at, reason] of refused) {
        const { toolCallId } = staged[at]!.changes;
        const call = callAt(at);
        if (call !== -1) results[call] = { status: "rejected", reason };
        else warnings.push(`a call that was staged before was left out: '${reason.path}' is exclusive`);
        if (toolCallId !== undefined) staging.discard(session, stepId, toolCallId);
      }
      if (promote) {
        carryOut(session.custom, merged);
        staging.discard(session, stepId);
      }
      return { conflicts: conflicts.map((conflict) => ({ ...conflict, keptBy: callAt(conflict.keptBy), lostBy: callAt(conflict.lostBy) })), warnings };
    };
    const told = this[STORED].transaction((rooms) => {
      const session = same(rooms);
      const newVersion = session.version + 1;
      const told = settle(session, rooms);
      if (promote) session.write(newVersion);
      return told;
    });
    return { results: results as ParallelResult<R>["results"], ...told };
  }
}
