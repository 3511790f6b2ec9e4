import { checkCount, checkId, checkOptions, refusal } from "../bridge/checks.js";
import type { StreamEvent } from "../compat/helix/events.js";
import { PatchwireError } from "../errors.js";
import type { HttpResponse } from "../sync/http.js";
import { StreamTruncatedError } from "../store/errors.js";
import type { ResumableStreamReader, StreamManager } from "./types.js";

/** Which stream is asked for, and from where. */
export interface ResumableStreamRequest {
  streamId: string;
  /** The number of the last chunk that the client has; see {@link extractResumePosition}. */
  resumeAt?: number | undefined;
}

/** Answers requests for streams. */
export interface ResumableStreamHandler {
  handle(request: ResumableStreamRequest): Promise<HttpResponse>;
}

/**
 * Where a client is that comes back, by its header `Last-Event-ID`; 0, the beginning, where that says nothing.
 *
 * @example
 * ```ts
 * import { extractResumePosition } from "patchwire/helix";
 * console.log(extractResumePosition("42"), extractResumePosition(null)); // 42 0
 * ```
 */
export function extractResumePosition(lastEventId: string | null | undefined): number {
  const position = /^\d+$/.test(lastEventId ?? "") ? Number(lastEventId) : 0;
  return Number.isSafeInteger(position) ? position : 0;
}

/**
 * Answers with a stream as server-sent events: each chunk with its number as the event's id, then `end`, `fail` or `truncated`. A
 * stream that there isn't is answered with 404, a position that it never had with 410: the client reads from the beginning.
 *
 * @param options.streamManager a {@link DurableStreamManager}, or any `StreamManager` with resumable readers.
 * @example
 * ```ts
 * import { DurableStreamManager, memoryStorage } from "patchwire/durable-objects";
 * import { createResumableStreamHandler, extractResumePosition } from "patchwire/helix";
 * const streamManager = new DurableStreamManager(memoryStorage());
 * const writer = await streamManager.createWriter("s-1", "run-1", "writer");
 * await writer.write({ type: "text_delta", agentId: "run-1", delta: "Hello" });
 * await streamManager.endStream("s-1");
 * const handler = createResumableStreamHandler({ streamManager });
 * const response = await handler.handle({ streamId: "s-1", resumeAt: extractResumePosition("1") });
 * console.log((await response.text()).split("\n").slice(0, 2)); // [ 'event: end', 'data: {"type":"end"}' ]
 * ```
 */
export function createResumableStreamHandler(options: { streamManager: StreamManager }): ResumableStreamHandler {
  const { streamManager } = checkOptions(options, ["streamManager"]);
  if (typeof streamManager?.createResumableReader !== "function") throw refusal("the option streamManager is a stream manager that has resumable readers");
  return {
    async handle(request) {
      const { streamId, resumeAt = 0 } = checkOptions(request, ["streamId", "resumeAt"]);
      checkId("the stream's id", streamId);
      checkCount("the position to resume at", resumeAt);
      try {
        const reader = await streamManager.createResumableReader!(streamId, { fromSequence: resumeAt });
        if (reader === null) return refused(404, "NOT_FOUND", "there is no such stream");
        return new Response(bodyOf(reader, streamManager, streamId), { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" } });
      } catch (error) {
        if (error instanceof PatchwireError && error.code === "STREAM_TRUNCATED") return refused(410, error.code, error.message.slice(error.code.length + 2));
        throw error;
      }
    },
  };
}

const refused = (status: number, code: string, message: string): Response => Response.json({ error: { code, message } }, { status });

/** A stream's events, read as fast as the client takes them. */
function bodyOf(reader: ResumableStreamReader, manager: StreamManager, streamId: string): ReadableStream<Uint8Array> {
  const chunks = reader[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const send = (event: StreamEvent, id?: number): void => {
          const named = `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
          controller.enqueue(encoder.encode(id === undefined ? named : `id: ${id}\n${named}`));
        };
        let last: StreamEvent;
        try {
          const { done, value: chunk } = await chunks.next();
          const sequence = reader.currentSequence;
          if (!done) return send({ type: "chunk", chunk, sequence }, sequence);
          const { output } = (await manager.getStreamInfo?.(streamId)) ?? {};
          last = { type: "end", ...(output !== undefined && { output }) };
        } catch (error) {
          last =
            error instanceof StreamTruncatedError
              ? { type: "truncated", truncatedAtStep: error.truncatedAtStep, ...(error.atSequence !== undefined && { atSequence: error.atSequence }) }
              : { type: "fail", error: (await manager.getStreamInfo?.(streamId))?.error ?? String((error as Error).message ?? error) };
        }
        send(last);
        controller.close();
      },
      cancel: () => reader.close(),
    },
    { highWaterMark: 0 },
  );
}
