import { PatchwireError } from "../errors.js";

/**
 * The session has another version than its writer expected: somebody changed it meanwhile. Load it again, and decide anew.
 *
 * @example
 * ```ts
 * import { DurableStateStore, memoryStorage, StaleStateError } from "patchwire/durable-objects";
 * const store = new DurableStateStore(memoryStorage());
 * await store.createSession("s-1");
 * const error: unknown = await store.updateStatus("s-1", "paused", { expectedVersion: 7 }).catch((error) => error);
 * if (error instanceof StaleStateError) console.log(error.code, error.expectedVersion, error.actualVersion); // STALE_STATE 7 1
 * ```
 */
export class StaleStateError extends PatchwireError {
  override name = "StaleStateError";

  constructor(
    readonly sessionId: string,
    readonly expectedVersion: number,
    readonly actualVersion: number,
  ) {
    super("STALE_STATE", `the session has version ${actualVersion}, and not ${expectedVersion}, which its writer expected`);
  }
}

/**
 * Another executor has taken the session over: this one is to end, which is no failure.
 *
 * @example
 * ```ts
 * import { DurableStateStore, ExecutorSupersededError, memoryStorage } from "patchwire/durable-objects";
 * const store = new DurableStateStore(memoryStorage());
 * await store.createSession("s-1");
 * await store.compareAndSetStatus("s-1", ["active"], "active", { fencingToken: 1 });
 * await store.compareAndSetStatus("s-1", ["active"], "active", { fencingToken: 2 });
 * const error: unknown = await store.appendMessages("s-1", [], { fencingToken: 1 }).catch((error) => error);
 * console.log(error instanceof ExecutorSupersededError); // true
 * ```
 */
export class ExecutorSupersededError extends PatchwireError {
  override name = "ExecutorSupersededError";

  constructor(readonly sessionId: string) {
    super("STALE_STATE", "another executor has taken the session over");
  }
}

/**
 * A writer's fencing token is one that the session was never taken over with: locks and store don't agree about who it
 * belongs to.
 *
 * @example
 * ```ts
 * import { DurableStateStore, FencingTokenMismatchError, memoryStorage } from "patchwire/durable-objects";
 * const store = new DurableStateStore(memoryStorage());
 * await store.createSession("s-1");
 * await store.compareAndSetStatus("s-1", ["active"], "active", { fencingToken: 2 });
 * const error: unknown = await store.incrementStepCount("s-1", { fencingToken: 3 }).catch((error) => error);
 * if (error instanceof FencingTokenMismatchError) console.log(error.expectedToken); // 2
 * ```
 */
export class FencingTokenMismatchError extends PatchwireError {
  override name = "FencingTokenMismatchError";

  constructor(
    readonly sessionId: string,
    readonly expectedToken: number,
  ) {
    super("CONFLICT", `the session belongs to the fencing token ${expectedToken}: take it over by compareAndSetStatus before writing to it`);
  }
}

/**
 * What a reader had yet to read of a stream was removed: read again from what it has.
 *
 * @example
 * ```ts
 * import { StreamTruncatedError } from "patchwire/durable-objects";
 * const error = new StreamTruncatedError("run-1", 42, 3);
 * console.log(error.code, error.lastValidSequence, error.truncatedAtStep); // STREAM_TRUNCATED 42 3
 * ```
 */
export class StreamTruncatedError extends PatchwireError {
  override name = "StreamTruncatedError";

  constructor(
    readonly streamId: string,
    /** The last sequence that the reader was given. */
    readonly lastValidSequence: number,
    /** Chunks of later steps were removed. */
    readonly truncatedAtStep: number,
    /** The stream's last sequence when they were, where that is known. */
    readonly atSequence?: number,
  ) {
    super("STREAM_TRUNCATED", `what came after step ${truncatedAtStep} was removed from the stream: read again from sequence ${lastValidSequence}`);
  }
}

/**
 * The agent of a session runs already: for executors, which ask {@link DurableStateStore.compareAndSetStatus}.
 *
 * @example
 * ```ts
 * import { AgentAlreadyRunningError, DurableStateStore, memoryStorage } from "patchwire/durable-objects";
 * const store = new DurableStateStore(memoryStorage());
 * await store.createSession("s-1");
 * const taken = await store.compareAndSetStatus("s-1", ["paused", "interrupted"], "active");
 * if (!taken.ok && taken.currentStatus === "active") console.log(new AgentAlreadyRunningError("s-1", taken.currentStatus).name); // AgentAlreadyRunningError
 * ```
 */
export class AgentAlreadyRunningError extends PatchwireError {
  override name = "AgentAlreadyRunningError";

  constructor(
    readonly sessionId: string,
    readonly currentStatus: string,
  ) {
    super("CONFLICT", `the agent runs already: its status is ${currentStatus}`);
  }
}

/**
 * The agent of a session can't be resumed: for executors, which ask {@link DurableStateStore.compareAndSetStatus}.
 *
 * @example
 * ```ts
 * import { AgentNotResumableError, DurableStateStore, memoryStorage } from "patchwire/durable-objects";
 * const store = new DurableStateStore(memoryStorage());
 * await store.createSession("s-1");
 * await store.updateStatus("s-1", "completed");
 * const taken = await store.compareAndSetStatus("s-1", ["paused", "interrupted"], "active");
 * if (!taken.ok) console.log(new AgentNotResumableError("s-1", taken.currentStatus).message);
 * // CONFLICT: the agent can't be resumed: its status is completed
 * ```
 */
export class AgentNotResumableError extends PatchwireError {
  override name = "AgentNotResumableError";

  constructor(
    readonly sessionId: string,
    readonly currentStatus: string,
  ) {
    super("CONFLICT", `the agent can't be resumed: its status is ${currentStatus}`);
  }
}
