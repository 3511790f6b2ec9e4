import { PatchwireError } from "../errors.js";
import type { StreamChunk } from "../compat/helix/chunks.js";
import { StreamTruncatedError } from "../store/errors.js";
import type { StoredStreams } from "./stored-streams.js";
import type { Entry, StreamRow, StreamTables } from "./tables.js";
import type { ResumableStreamReader } from "./types.js";

/**
 * Reads one stream. It holds no more than a row of chunks, and reads on when it is asked: a reader who is slow or has gone costs
 * nothing.
 */
export class StoredStreamReader implements ResumableStreamReader, AsyncIterator<StreamChunk, undefined> {
  #last: number;
  /** Chunks that were read already, which are those to give next as long as nothing has changed. */
  #ahead: Entry[] = [];
  #changes = -1;
  readonly #life: number;
  readonly #cuts: number;
  #isDone = false;
  #stopWaiting: (() => void) | undefined;
  /** One answer after another, also where several are asked for at once. */
  #answered: Promise<void> = Promise.resolve();

  constructor(
    private readonly streams: StoredStreams,
    private readonly id: string,
    row: StreamRow,
    fromSequence: number,
  ) {
    this.#last = fromSequence;
    this.#life = row.life;
    this.#cuts = row.cuts;
  }

  get currentSequence(): number {
    return this.#last;
  }

  get totalChunks(): number {
    return this.#ask((tables, row) => tables.info(row).chunkCount);
  }

  get latestSequence(): number {
    return this.#ask((tables, row) => tables.latest(row));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<StreamChunk, undefined>> {
    return new Promise((resolve, reject) => {
      this.#answered = this.#answered.then(async () => {
        try {
          resolve(await this.#next());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  async return(): Promise<IteratorResult<StreamChunk, undefined>> {
    await this.close();
    return { done: true, value: undefined };
  }

  async close(): Promise<void> {
    this.#isDone = true;
    this.#ahead = [];
    this.#stopWaiting?.();
  }

  async #next(): Promise<IteratorResult<StreamChunk, undefined>> {
    while (!this.#isDone) {
      try {
        const entry = this.#take();
        if (entry !== undefined) {
          this.#last = entry[0];
          return { done: false, value: entry[1] };
        }
      } catch (error) {
        this.#isDone = true;
        throw error;
      }
      if (this.#isDone) break;
      const { promise, stop } = this.streams.changed(this.id);
      this.#stopWaiting = stop;
      await promise;
    }
    return { done: true, value: undefined };
  }

  /** The next chunk, if it is there. */
  #take(): Entry | undefined {
    if (this.#ahead.length === 0 || this.#changes !== this.streams.changes) {
      if (this.streams.isInTransaction(this.id)) return undefined;
      this.#changes = this.streams.changes;
      // Backwards, so that taking one is short.
      this.#ahead = this.#ask((tables, row) => this.#read(tables, row)).reverse();
    }
    return this.#ahead.pop();
  }

  #read(tables: StreamTables, row: StreamRow): Entry[] {
    if (row.cuts > this.#cuts && row.cutAt > this.#last) throw new StreamTruncatedError(this.id, this.#last, row.cutStep, row.cutAt);
    const entries = tables.after(row, this.#last);
    if (entries.length > 0) return entries;
    if (row.status === "failed") throw new PatchwireError("CLOSED", `the stream has failed: ${tables.info(row).error}`);
    this.#isDone = row.status === "ended";
    return [];
  }

  #ask<R>(run: (tables: StreamTables, row: StreamRow) => R): R {
    return this.streams.read(this.id, (tables) => {
      const row = tables.find(this.id);
      if (row?.life !== this.#life) throw new PatchwireError("NOT_FOUND", "the stream was deleted");
      return run(tables, row!);
    });
  }
}
