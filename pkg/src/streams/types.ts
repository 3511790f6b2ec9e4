import type { StreamChunk } from "../compat/helix/chunks.js";

/** What a stream is at the moment. */
export interface StreamInfo {
  status: "active" | "paused" | "ended" | "failed";
  /** The number of the last chunk that was ever written, of one too that was removed since; 0 before the first. */
  latestSequence: number;
  /** How many chunks there are. */
  chunkCount: number;
  /** What the stream ended with, if it was given anything. */
  output?: unknown;
  /** What the stream failed with. */
  error?: string;
}

/** Writes the chunks of one run into a stream. */
export interface StreamWriter {
  /** Adds a chunk, which is stored when the promise resolves. */
  write(chunk: StreamChunk): Promise<void>;
  /** Closes this writer; the stream goes on. */
  close(): Promise<void>;
}

/** Reads a stream from its beginning, and goes on with what is written until it ends. */
export interface StreamReader extends AsyncIterable<StreamChunk> {
  [Symbol.asyncIterator](): AsyncIterator<StreamChunk>;
  close(): Promise<void>;
}

/** A reader that knows where it is. */
export interface ResumableStreamReader extends StreamReader {
  /** The number of the chunk that was read last; before the first one the number to go on from. */
  readonly currentSequence: number;
  /** How many chunks the stream has. */
  readonly totalChunks: number;
  /** The number of the last chunk that was written. */
  readonly latestSequence: number;
}

export interface ResumableReaderOptions {
  /** Reading goes on behind this number; from the beginning if nothing is said. */
  fromSequence?: number | undefined;
}

/** What Helix's runtimes ask of what carries streams. */
export interface StreamManager {
  createWriter(streamId: string, runId: string, agentType: string): Promise<StreamWriter>;
  createReader(streamId: string): Promise<StreamReader | null>;
  createResumableReader?(streamId: string, options?: ResumableReaderOptions): Promise<ResumableStreamReader | null>;
  endStream(streamId: string, output?: unknown): Promise<void>;
  failStream(streamId: string, error: string): Promise<void>;
  cleanupToStep(streamId: string, stepCount: number): Promise<void>;
  resetStream(streamId: string): Promise<void>;
  getStreamInfo?(streamId: string): Promise<StreamInfo | null>;
}

/** How streams are kept. */
export interface DurableStreamManagerOptions {
  /** Tells several managers of one storage from each other; `"streams"` if nothing is said. */
  name?: string | undefined;
}
