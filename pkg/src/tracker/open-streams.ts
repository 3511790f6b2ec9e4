import { call } from "../bridge/core.js";
import { isLoss } from "../bridge/engine.js";
import { PatchwireError } from "../errors.js";

/** A stream that writes. */
export interface Stream {
  /** Its number in the core. */
  id: number;
  /** It was lost with a core, and hasn't been told. */
  hasLost: boolean;
}

/** The number of no stream. */
const ENDED = 2 ** 32 - 1;

/** The streams that write. One that was lost with a core says so once; then it is closed. */
export class OpenStreams {
  private readonly writing = new Set<Stream>();

  get areNone(): boolean {
    return this.writing.size === 0;
  }

  add(id: number): Stream {
    const stream = { id, hasLost: false };
    this.writing.add(stream);
    return stream;
  }

  /** Does something with a stream. */
  on(stream: Stream, run: () => void): void {
    try {
      run();
    } catch (error) {
      if (isLoss(error)) this.close(stream);
      throw error;
    }
  }

  /** Asks the core something of a stream. Where another change took its place away, that is told once, and closes it. */
  ask<R>(stream: Stream, question: () => R): R {
    try {
      return call(question);
    } catch (error) {
      if (error instanceof PatchwireError && error.code === "PATH_NOT_FOUND") this.delete(stream);
      throw error;
    }
  }

  /** Requires that the stream wasn't lost. */
  require(stream: Stream): void {
    if (stream.hasLost) throw new PatchwireError("ENGINE_LOST", "the core failed, and what had arrived since the state was last read is lost");
  }

  delete(stream: Stream): void {
    this.writing.delete(stream);
  }

  lose(): void {
    for (const stream of this.writing) Object.assign(stream, { id: ENDED, hasLost: true });
    this.writing.clear();
  }

  private close(stream: Stream): void {
    Object.assign(stream, { id: ENDED, hasLost: false });
    this.writing.delete(stream);
  }
}
