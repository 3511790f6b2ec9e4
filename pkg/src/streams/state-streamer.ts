import { checkId, checkList, checkOptions, checkText, refusal } from "../bridge/checks.js";
import { PatchwireError } from "../errors.js";
import type { JSONPatchOperation } from "../types.js";
import type { StreamManager, StreamWriter } from "./types.js";

/** Where changes of a state are streamed to. */
export interface StateStreamerOptions {
  streamManager: StreamManager;
  streamId: string;
  /** Who changed the state; the stream's id if nothing is said. */
  agentId?: string | undefined;
  agentType?: string | undefined;
}

/**
 * Streams what changed in a state, as `state_patch` chunks.
 *
 * @example
 * ```ts
 * import { StateTracker } from "patchwire";
 * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
 * import { CustomStateStreamer } from "patchwire/helix";
 * const streamManager = new DurableStreamManager(memoryStorage());
 * const streamer = new CustomStateStreamer({ streamManager, streamId: "run-1" });
 * const tracker = new StateTracker({ notes: [] as string[] });
 * tracker.update((draft) => void draft.notes.push("a"));
 * await streamer.emitPatch(tracker.getRFC6902Patches());
 * console.log((await streamManager.getStreamInfo("run-1"))?.chunkCount); // 1
 * ```
 */
export class CustomStateStreamer {
  readonly #options: StateStreamerOptions;
  #writer: Promise<StreamWriter> | undefined;
  #isClosed = false;

  /** @throws PatchwireError `VALIDATION_FAILED` for what aren't options. */
  constructor(options: StateStreamerOptions) {
    const { streamManager, streamId, agentId = streamId, agentType = "" } = checkOptions(options, ["streamManager", "streamId", "agentId", "agentType"]);
    if (typeof streamManager?.createWriter !== "function") throw refusal("the option streamManager is a stream manager");
    checkId("the stream's id", streamId);
    this.#options = { streamManager, streamId, agentId: checkText("the option agentId", agentId), agentType: checkText("the option agentType", agentType) };
  }

  /**
   * Streams a patch; an empty one isn't. Resolves when it is stored.
   *
   * @example
   * ```ts
   * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
   * import { CustomStateStreamer } from "patchwire/helix";
   * const streamManager = new DurableStreamManager(memoryStorage());
   * const streamer = new CustomStateStreamer({ streamManager, streamId: "run-1", agentType: "writer" });
   * await streamer.emitPatch([{ op: "replace", path: "/count", value: 1 }]);
   * console.log((await streamManager.getStreamInfo("run-1"))?.latestSequence); // 1
   * ```
   */
  async emitPatch(patches: readonly JSONPatchOperation[]): Promise<void> {
    checkList("the patches", patches);
    if (this.#isClosed) throw new PatchwireError("CLOSED", "the streamer was closed");
    if (patches.length === 0) return;
    const { streamManager, streamId, agentId, agentType } = this.#options as Required<StateStreamerOptions> & { agentId: string; agentType: string };
    this.#writer ??= streamManager.createWriter(streamId, agentId, agentType);
    await (await this.#writer).write({ type: "state_patch", patches: [...patches], agentId, agentType, timestamp: Date.now() });
  }

  /**
   * Closes its writer; the stream goes on.
   *
   * @example
   * ```ts
   * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
   * import { CustomStateStreamer } from "patchwire/helix";
   * const streamer = new CustomStateStreamer({ streamManager: new DurableStreamManager(memoryStorage()), streamId: "run-1" });
   * await streamer.close();
   * await streamer.emitPatch([{ op: "replace", path: "/count", value: 1 }]).catch((error) => console.log(error.code)); // CLOSED
   * ```
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#writer)?.close();
  }
}

/**
 * The same as a function.
 *
 * @example
 * ```ts
 * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
 * import { createStateStreamer } from "patchwire/helix";
 * const streamer = createStateStreamer({ streamManager: new DurableStreamManager(memoryStorage()), streamId: "run-1" });
 * await streamer.emitPatch([{ op: "add", path: "/notes/-", value: "a" }]);
 * await streamer.close();
 * ```
 */
export const createStateStreamer = (options: StateStreamerOptions): CustomStateStreamer => new CustomStateStreamer(options);
