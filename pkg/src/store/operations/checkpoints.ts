import { sessionOf } from "../checkpoints.js";
import { checkId, checkPage } from "../../bridge/checks.js";
import { keptCustom, restoreCustom } from "../custom.js";
import { STORED } from "../stored-sessions.js";
import type { Checkpoint, CreateCheckpointParams, ListCheckpointsOptions, PaginatedCheckpoints, WriteOptions } from "../types.js";
import { RunOperations } from "./runs.js";

/** What is done with a session's checkpoints. */
export class CheckpointOperations extends RunOperations {
  /**
   * Keeps the session as it is, under an id. Messages are kept by their count.
   *
   * @throws PatchwireError `VALIDATION_FAILED` where the session hasn't so many messages.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { count: 0 } });
   * const id = await store.createCheckpoint("s-1", { streamSequence: 42 });
   * console.log(/^cpv1-s-1-s0-t\d+-[0-9a-f]{6}$/.test(id)); // true
   * ```
   */
  async createCheckpoint(sessionId: string, params: CreateCheckpointParams = {}, options: WriteOptions = {}): Promise<string> {
    return this[STORED].change(sessionId, options, (session, { checkpoints }) => checkpoints.create(session, params));
  }

  /**
   * A checkpoint with the whole state that it has; `null` where there is none.
   *
   * @throws PatchwireError `VALIDATION_FAILED` where it is no checkpoint's id; `STALE_STATE` where messages that it counts
   *   were truncated.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { count: 0 } });
   * const id = await store.createCheckpoint("s-1");
   * store.synced("s-1").increment("/count");
   * console.log((await store.getCheckpoint(id))?.state.customState); // { count: 0 }
   * ```
   */
  async getCheckpoint(checkpointId: string): Promise<Checkpoint | null> {
    const id = sessionOf(checkpointId);
    return this[STORED].read(({ sessions, checkpoints }) => {
      const session = sessions.find(id);
      return session === undefined ? null : checkpoints.read(session, checkpoints.find(session, checkpointId));
    });
  }

  /**
   * The session's last checkpoint that can be gone back to; `null` where there is none. After going back that is still the one that was
   * made last, unless messages that it counts went with it.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * await store.createCheckpoint("s-1", { stepCount: 3 });
   * console.log((await store.getLatestCheckpoint("s-1"))?.stepCount); // 3
   * ```
   */
  async getLatestCheckpoint(sessionId: string): Promise<Checkpoint | null> {
    return this[STORED].read(({ sessions, checkpoints }) => {
      const session = sessions.find(sessionId);
      return session === undefined ? null : checkpoints.read(session, checkpoints.latest(session));
    });
  }

  /**
   * A page of the session's checkpoints, the last one first.
   *
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1");
   * for (const stepCount of [1, 2, 3]) await store.createCheckpoint("s-1", { stepCount });
   * const { items, total, hasMore } = await store.listCheckpoints("s-1", { limit: 2 });
   * console.log(items.map(({ stepCount }) => stepCount), total, hasMore); // [ 3, 2 ] 3 true
   * ```
   */
  async listCheckpoints(sessionId: string, options: ListCheckpointsOptions = {}): Promise<PaginatedCheckpoints> {
    const page = checkPage(options);
    return this[STORED].read(({ sessions, checkpoints }) => checkpoints.list(sessions.require(sessionId), page));
  }

  /**
   * Takes a session back to a checkpoint: its state, its children and its messages are as they were, what is staged is
   * discarded. Its `version` and its count of resumes go on.
   *
   * @throws PatchwireError `VALIDATION_FAILED` where it is no checkpoint's id; `STALE_STATE` where messages that it counts
   *   were truncated.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { count: 0 } });
   * const id = await store.createCheckpoint("s-1");
   * store.synced("s-1").increment("/count");
   * await store.restoreCheckpoint(id);
   * console.log((await store.loadState("s-1"))?.customState); // { count: 0 }
   * ```
   */
  async restoreCheckpoint(checkpointId: string, options: WriteOptions = {}): Promise<void> {
    this[STORED].change(sessionOf(checkpointId), options, (session, rooms) => {
      const row = rooms.checkpoints.require(session, checkpointId);
      const kept = rooms.checkpoints.kept(session, row);
      rooms.checkpoints.goTo(session, row, kept);
      rooms.messages.truncate(session, row.messages);
      rooms.staging.delete(session);
      restoreCustom(session.custom, kept);
    });
  }

  /**
   * Begins another session as the one of a checkpoint was then. Its messages are copied. A `streamId` that was the session's own id
   * becomes the new one's.
   *
   * @throws PatchwireError as {@link restoreCheckpoint}; `CONFLICT` where there is a session with the new id.
   * @example
   * ```ts
   * import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";
   * const store = new DurableStateStore(memoryStorage());
   * await store.createSession("s-1", { customState: { count: 0 } });
   * await store.branchFromCheckpoint(await store.createCheckpoint("s-1"), "s-2");
   * store.synced("s-2").increment("/count");
   * console.log((await store.loadState("s-1"))?.customState, (await store.loadState("s-2"))?.customState); // { count: 0 } { count: 1 }
   * ```
   */
  async branchFromCheckpoint(checkpointId: string, sessionId: string): Promise<void> {
    const from = sessionOf(checkpointId);
    checkId("the session's id", sessionId);
    this[STORED].transaction((rooms) => {
      const origin = rooms.sessions.require(from);
      const row = rooms.checkpoints.require(origin, checkpointId);
      const kept = rooms.checkpoints.kept(origin, row);
      const session = rooms.sessions.create(sessionId, keptCustom(origin.custom, kept));
      const { details } = kept;
      // Two sessions don't write to one stream because nobody named another.
      const streamId = details.streamId === from ? sessionId : details.streamId;
      rooms.checkpoints.goTo(session, row, { ...kept, details: { ...details, streamId } });
      rooms.messages.copy(origin, session, row.messages);
      session.write(1);
    });
  }
}
