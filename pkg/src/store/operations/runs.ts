import { STORED } from "../stored-sessions.js";
import type { RunMetadata, RunRecord, RunStatus, RunStatusUpdate, WriteOptions } from "../types.js";
import { ChildOperations } from "./children.js";

/** What is done with a session's runs. */
export class RunOperations extends ChildOperations {
  /**
   * Notes that a run of the session has begun.
   *
   * @throws PatchwireError `CONFLICT` where there is a run with this id.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.createRun("s-1", "run-1", { turn: 1 });
   * console.log((await store.getCurrentRun("s-1"))?.status); // running
   * ```
   */
  async createRun(sessionId: string, runId: string, metadata: RunMetadata, options: WriteOptions = {}): Promise<void> {
    this[STORED].change(sessionId, options, (session, { runs }) => runs.create(session, runId, metadata));
  }

  /**
   * Notes what became of a run.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.createRun("s-1", "run-1", { turn: 1 });
   * await store.updateRunStatus("run-1", "completed", { stepCount: 4, completedAt: 1703123456789 });
   * console.log((await store.getCurrentRun("s-1"))?.stepCount); // 4
   * ```
   */
  async updateRunStatus(runId: string, status: RunStatus, updates: RunStatusUpdate = {}, options: WriteOptions = {}): Promise<void> {
    const sessionId = this[STORED].read(({ runs }) => runs.sessionOf(runId));
    this[STORED].change(sessionId, options, (session, { runs }) => runs.update(session, runId, status, updates));
  }

  /**
   * The session's last run; `null` where there was none.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * console.log(await store.getCurrentRun("s-1")); // null
   * ```
   */
  async getCurrentRun(sessionId: string): Promise<RunRecord | null> {
    return this[STORED].read(({ sessions, runs }) => {
      const session = sessions.find(sessionId);
      return (session && runs.read(session, Math.max(0, session.row.runs - 1))[0]) ?? null;
    });
  }

  /**
   * All runs of the session, in their order.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.createRun("s-1", "run-1", { turn: 1 });
   * await store.createRun("s-1", "run-2", { turn: 2 });
   * console.log((await store.listRuns("s-1")).map(({ runId, turn }) => [runId, turn])); // [ [ 'run-1', 1 ], [ 'run-2', 2 ] ]
   * ```
   */
  async listRuns(sessionId: string): Promise<RunRecord[]> {
    return this[STORED].read(({ sessions, runs }) => runs.read(sessions.require(sessionId)));
  }
}
