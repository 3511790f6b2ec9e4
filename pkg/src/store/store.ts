import { StagingOperations } from "./operations/staging.js";
import type { StorePlace } from "./opened.js";
import { StoredSessions } from "./stored-sessions.js";
import type { DurableStateStoreOptions, SessionStateStore } from "./types.js";

// The operations are in operations/, a class for each subject. Each class extends another one, so that all operations are
// methods of the store, and none is declared twice.
/**
 * The sessions of agents in one storage: their states, messages, runs, checkpoints, and what tools have staged. It is the
 * `SessionStateStore` that Helix's runtimes work with, and says more than that asks for.
 *
 * Every operation is one transaction: it is done as a whole when its promise resolves, or nothing is, which holds where the
 * process is killed in the middle, too. What changes a session raises its `version` by exactly one; what only stages
 * something for later changes nothing yet.
 *
 * A session's custom state is a {@link SyncedState}: what is written follows what changed, and clients can watch it.
 *
 * Where there is no such session, run, child or checkpoint, operations throw `NOT_FOUND`; the ones that may answer `null` do.
 * Whatever isn't what it should be is `VALIDATION_FAILED`, what isn't JSON `NOT_JSON`. Rows that are damaged are
 * `VALIDATION_FAILED`, too, missing ones `STREAM_TRUNCATED`, and named. Then nothing has changed. What is called within an operation, as a
 * function that merges is, may read, and is refused where it writes (`TRACKER_BUSY`).
 *
 * @example
 * ```ts
 * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
 * const store = new DurableStateStore(memoryStorage()); // in a Durable Object: new DurableStateStore(this.ctx)
 * await store.createSession("s-1", { agentType: "writer", customState: { notes: ["plan"] } });
 * await store.appendMessages("s-1", [{ role: "user", content: "Go on" }]);
 * await store.mergeCustomState("s-1", { ops: [{ kind: "append", key: "notes", items: ["search"] }] });
 * const { customState, version } = (await store.loadState("s-1"))!;
 * console.log(customState, version); // { notes: [ 'plan', 'search' ] } 3
 * ```
 */
export class DurableStateStore extends StagingOperations implements SessionStateStore {
  /**
   * Costs nothing: storage is read when something is first asked for.
   *
   * @param place the context of a Durable Object, `this.ctx`; or a storage, {@link memoryStorage} or {@link nodeStorage}.
   *   Without a context custom states have no sockets.
   * @throws PatchwireError `VALIDATION_FAILED` for anything else than a place, for an unknown option, for anything else than a
   *   name, and if a limit isn't a number in its range.
   */
  constructor(place: StorePlace, options: DurableStateStoreOptions = {}) {
    super(new StoredSessions(place, options));
  }
}
