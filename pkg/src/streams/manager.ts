import { checkCount, checkId, checkObject, checkOptions, checkText } from "../bridge/checks.js";
import type { StreamChunk } from "../compat/helix/chunks.js";
import { PatchwireError } from "../errors.js";
import { checkJson, jsonOf } from "../json/json.js";
import { storageOf, type StorePlace } from "../store/opened.js";
import { StoredStreamReader } from "./reader.js";
import { StoredStreams } from "./stored-streams.js";
import type {
  DurableStreamManagerOptions, ResumableReaderOptions, ResumableStreamReader, StreamInfo, StreamManager, StreamReader, StreamWriter,
} from "./types.js";

const hasEnded = (status: StreamInfo["status"]): boolean => status === "ended" || status === "failed";

/** What isn't a chunk can't be sent either. Of what type it is, is the runtime's to know. */
function textOf(chunk: StreamChunk): string {
  const { type, step } = checkObject("a chunk", chunk);
  checkText("a chunk's type", type);
  if (step !== undefined) checkCount("a chunk's step", step);
  return jsonOf(chunk, ["chunk"]);
}

/**
 * The streams of agents in one storage: what runs write, chunk by chunk, is stored, and given to whoever reads, from the beginning
 * or from where a reader was. It is the `StreamManager` that Helix's runtimes work with.
 *
 * Chunks are numbered from 1 on, and no number is given twice while there is the stream, whatever was removed. A chunk writes one
 * row; some fifteen short ones share it. What a transaction of the object's own rolls back was never written, and no reader was
 * shown it.
 *
 * Rows that are damaged are `VALIDATION_FAILED`, missing ones `STREAM_TRUNCATED`, and named; then nothing has changed.
 *
 * @example
 * ```ts
 * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
 * const streams = new DurableStreamManager(memoryStorage()); // in a Durable Object: new DurableStreamManager(this.ctx)
 * const writer = await streams.createWriter("s-1", "run-1", "writer");
 * await writer.write({ type: "text_delta", agentId: "run-1", delta: "Hel", step: 1 });
 * await writer.write({ type: "text_delta", agentId: "run-1", delta: "lo", step: 1 });
 * await streams.endStream("s-1", { words: 1 });
 * for await (const chunk of (await streams.createResumableReader("s-1", { fromSequence: 1 }))!) console.log(chunk); // { type: 'text_delta', agentId: 'run-1', delta: 'lo', step: 1 }
 * console.log(await streams.getStreamInfo("s-1")); // { status: 'ended', latestSequence: 2, chunkCount: 2, output: { words: 1 } }
 * ```
 */
export class DurableStreamManager implements StreamManager {
  readonly #streams: StoredStreams;

  /**
   * Costs nothing: storage is read when something is first asked for. Managers of one storage and name are one.
   *
   * @param place the context of a Durable Object, `this.ctx`; or a storage, {@link memoryStorage} or {@link nodeStorage}.
   * @throws PatchwireError `VALIDATION_FAILED` for anything else than a place, for an unknown option, and for anything else than a
   *   name.
   */
  constructor(place: StorePlace, options: DurableStreamManagerOptions = {}) {
    const { name = "streams" } = checkOptions(options, ["name"]);
    this.#streams = StoredStreams.of(storageOf(place), checkText("the option name", name));
  }

  /**
   * Opens a stream for a run to write to. One that isn't there is made; one that is paused, has ended or failed goes on, with the
   * next number.
   *
   * @example
   * ```ts
   * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
   * const streams = new DurableStreamManager(memoryStorage());
   * const writer = await streams.createWriter("s-1", "run-1", "writer");
   * await writer.write({ type: "text_delta", agentId: "run-1", delta: "Hello" });
   * await writer.close();
   * console.log((await streams.getStreamInfo("s-1"))?.status); // active
   * ```
   */
  async createWriter(streamId: string, runId: string, agentType: string): Promise<StreamWriter> {
    checkId("the stream's id", streamId);
    checkText("the run's id", runId);
    checkText("the agent's type", agentType);
    this.#streams.change(streamId, (tables) => {
      const row = tables.find(streamId);
      if (row === undefined) tables.create(streamId);
      else if (row.status !== "active") tables.setStatus(row, "active");
    });
    let isClosed = false;
    return {
      write: async (chunk) => {
        if (isClosed) throw new PatchwireError("CLOSED", "the writer was closed: createWriter makes another one");
        const text = textOf(chunk);
        this.#streams.change(streamId, (tables) => {
          const row = tables.find(streamId);
          if (row === undefined || hasEnded(row.status)) throw new PatchwireError("CLOSED", "the stream has ended: createWriter opens it again");
          tables.append(row, text);
        });
      },
      close: async () => void (isClosed = true),
    };
  }

  /**
   * Reads a stream from its beginning, and waits for more until it ends; `null` where there is none. A stream that has failed
   * throws `CLOSED` after its last chunk, one that is deleted `NOT_FOUND`.
   *
   * @throws PatchwireError {@link StreamTruncatedError} once, by the reader, where chunks were removed before it had read all.
   * @example
   * ```ts
   * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
   * console.log(await new DurableStreamManager(memoryStorage()).createReader("s-1")); // null
   * ```
   */
  createReader(streamId: string): Promise<StreamReader | null> {
    return this.createResumableReader(streamId);
  }

  /**
   * As {@link createReader}, behind the chunk that a reader had last. A loop that is left closes its reader.
   *
   * @throws PatchwireError `STREAM_TRUNCATED` where the stream has never had a chunk of that number.
   * @example
   * ```ts
   * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
   * const streams = new DurableStreamManager(memoryStorage());
   * const writer = await streams.createWriter("s-1", "run-1", "writer");
   * for (const delta of ["a", "b", "c"]) await writer.write({ type: "text_delta", agentId: "run-1", delta });
   * const reader = (await streams.createResumableReader("s-1", { fromSequence: 2 }))!;
   * for await (const chunk of reader) {
   *   console.log(reader.currentSequence, chunk.type); // 3 text_delta
   *   break;
   * }
   * ```
   */
  async createResumableReader(streamId: string, options: ResumableReaderOptions = {}): Promise<ResumableStreamReader | null> {
    checkId("the stream's id", streamId);
    const { fromSequence = 0 } = checkOptions(options, ["fromSequence"]);
    checkCount("the option fromSequence", fromSequence);
    return this.#streams.read(streamId, (tables) => {
      const row = tables.find(streamId);
      if (row === undefined) return null;
      if (fromSequence > tables.latest(row)) {
        throw new PatchwireError("STREAM_TRUNCATED", "the stream has no chunk of that number, as it began anew: read it from its beginning");
      }
      return new StoredStreamReader(this.#streams, streamId, row, fromSequence);
    });
  }

  /**
   * Ends a stream: readers end when they have read all. A stream that has ended or failed stays as it is; one that nobody has
   * written to ends empty.
   *
   * @param output any JSON, which {@link getStreamInfo} gives.
   * @example
   * ```ts
   * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
   * const streams = new DurableStreamManager(memoryStorage());
   * await streams.endStream("s-1");
   * console.log(await streams.getStreamInfo("s-1")); // { status: 'ended', latestSequence: 0, chunkCount: 0 }
   * ```
   */
  async endStream(streamId: string, output?: unknown): Promise<void> {
    if (output !== undefined) checkJson(output, ["output"]);
    this.#finish(streamId, "ended", { ...(output !== undefined && { output }) });
  }

  /**
   * Ends a stream by what went wrong: readers fail when they have read all. A stream that has ended or failed stays as it is.
   *
   * @example
   * ```ts
   * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
   * const streams = new DurableStreamManager(memoryStorage());
   * await streams.failStream("s-1", "the model was overloaded");
   * console.log((await streams.getStreamInfo("s-1"))?.error); // the model was overloaded
   * ```
   */
  async failStream(streamId: string, error: string): Promise<void> {
    this.#finish(streamId, "failed", { error: checkText("the error", error) });
  }

  #finish(streamId: string, status: "ended" | "failed", outcome: { output?: unknown; error?: string }): void {
    checkId("the stream's id", streamId);
    this.#streams.change(streamId, (tables) => {
      const row = tables.find(streamId) ?? tables.create(streamId);
      if (!hasEnded(row.status)) tables.setStatus(row, status, outcome);
    });
  }

  /**
   * Says that a stream waits for something, as for a person's answer; readers wait with it. {@link createWriter} goes on. A stream
   * that has ended stays as it is.
   *
   * @throws PatchwireError `NOT_FOUND` where there is no such stream.
   * @example
   * ```ts
   * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
   * const streams = new DurableStreamManager(memoryStorage());
   * await streams.createWriter("s-1", "run-1", "writer");
   * await streams.pauseStream("s-1");
   * console.log((await streams.getStreamInfo("s-1"))?.status); // paused
   * ```
   */
  async pauseStream(streamId: string): Promise<void> {
    checkId("the stream's id", streamId);
    this.#streams.change(streamId, (tables) => {
      const row = tables.find(streamId);
      if (row === undefined) throw new PatchwireError("NOT_FOUND", "there is no such stream");
      if (row.status === "active") tables.setStatus(row, "paused");
    });
  }

  /**
   * Removes the chunks of steps after one, as a runtime does that goes on from a checkpoint; those that say no step stay. Readers
   * that hadn't read all fail once. O(the stream).
   *
   * @example
   * ```ts
   * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
   * const streams = new DurableStreamManager(memoryStorage());
   * const writer = await streams.createWriter("s-1", "run-1", "writer");
   * for (const step of [1, 2, 2]) await writer.write({ type: "text_delta", agentId: "run-1", delta: "a", step });
   * await streams.cleanupToStep("s-1", 1);
   * console.log(await streams.getStreamInfo("s-1")); // { status: 'active', latestSequence: 3, chunkCount: 1 }
   * ```
   */
  async cleanupToStep(streamId: string, stepCount: number): Promise<void> {
    checkId("the stream's id", streamId);
    checkCount("the count of steps", stepCount);
    this.#streams.change(streamId, (tables) => {
      const row = tables.find(streamId);
      if (row !== undefined) tables.cut(row, stepCount);
    });
  }

  /**
   * Removes all chunks of a stream, which is active then. Its numbers go on.
   *
   * @example
   * ```ts
   * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
   * const streams = new DurableStreamManager(memoryStorage());
   * const writer = await streams.createWriter("s-1", "run-1", "writer");
   * await writer.write({ type: "text_delta", agentId: "run-1", delta: "a" });
   * await streams.resetStream("s-1");
   * await writer.write({ type: "text_delta", agentId: "run-1", delta: "b" });
   * console.log(await streams.getStreamInfo("s-1")); // { status: 'active', latestSequence: 2, chunkCount: 1 }
   * ```
   */
  async resetStream(streamId: string): Promise<void> {
    checkId("the stream's id", streamId);
    this.#streams.change(streamId, (tables) => {
      const row = tables.find(streamId);
      if (row !== undefined) tables.setStatus(tables.cut(row, undefined), "active");
    });
  }

  /**
   * What a stream is at the moment; `null` where there is none.
   *
   * @example
   * ```ts
   * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
   * console.log(await new DurableStreamManager(memoryStorage()).getStreamInfo("s-1")); // null
   * ```
   */
  async getStreamInfo(streamId: string): Promise<StreamInfo | null> {
    checkId("the stream's id", streamId);
    return this.#streams.read(streamId, (tables) => {
      const row = tables.find(streamId);
      return row === undefined ? null : tables.info(row);
    });
  }

  /**
   * Deletes a stream with all that is kept of it, if there is one. Its id may begin anew.
   *
   * @example
   * ```ts
   * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
   * const streams = new DurableStreamManager(memoryStorage());
   * await streams.endStream("s-1");
   * await streams.deleteStream("s-1");
   * console.log(await streams.getStreamInfo("s-1")); // null
   * ```
   */
  async deleteStream(streamId: string): Promise<void> {
    checkId("the stream's id", streamId);
    this.#streams.change(streamId, (tables) => {
      const row = tables.find(streamId);
      if (row !== undefined) tables.delete(row);
    });
  }
}
