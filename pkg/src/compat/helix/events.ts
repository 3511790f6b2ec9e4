import { PatchwireError } from "../../errors.js";
import { isObject } from "../../json/containers.js";
import { chunkIssues, type StreamChunk } from "./chunks.js";
import { anyOf, schema, schemaOf, type Schema } from "./schema.js";

/** A chunk of the stream, with its place in it. */
export interface StreamChunkEvent { type: "chunk"; chunk: StreamChunk; sequence?: number }
/** The stream is complete. */
export interface StreamEndEvent { type: "end"; output?: unknown }
/** The stream has failed. */
export interface StreamFailEvent { type: "fail"; error: unknown }
/** The stream pauses, or goes on. */
export interface StreamStatusEvent { type: "status"; status: "paused" | "active" }
/** Chunks of steps after `truncatedAtStep` were removed. */
export interface StreamTruncatedEvent {
  type: "truncated";
  truncatedAtStep: number;
  /** The highest sequence number when they were. */
  atSequence?: number;
}

/** What travels over SSE and WebSocket. */
export type StreamEvent = StreamChunkEvent | StreamEndEvent | StreamFailEvent | StreamStatusEvent | StreamTruncatedEvent;

const members = {
  chunk: { chunk: chunkIssues, "sequence?": "number" },
  end: {},
  fail: { error: "present" },
  status: { status: ["paused", "active"] },
  truncated: { truncatedAtStep: "number", "atSequence?": "number" },
} as const;

const of = <E>(type: keyof typeof members): Schema<E> => schemaOf<E>({ type: [type], ...members[type] });

export const StreamEventSchema = /* @__PURE__ */ schema<StreamEvent>(/* @__PURE__ */ anyOf(members));
export const StreamChunkEventSchema = /* @__PURE__ */ of<StreamChunkEvent>("chunk");
export const StreamEndEventSchema = /* @__PURE__ */ of<StreamEndEvent>("end");
export const StreamFailEventSchema = /* @__PURE__ */ of<StreamFailEvent>("fail");
export const StreamStatusEventSchema = /* @__PURE__ */ of<StreamStatusEvent>("status");
export const StreamTruncatedEventSchema = /* @__PURE__ */ of<StreamTruncatedEvent>("truncated");

function is<E extends StreamEvent>(type: E["type"]): (event: StreamEvent) => event is E {
  return (event): event is E => event.type === type;
}

export const isStreamChunkEvent = /* @__PURE__ */ is<StreamChunkEvent>("chunk");
export const isStreamEndEvent = /* @__PURE__ */ is<StreamEndEvent>("end");
export const isStreamFailEvent = /* @__PURE__ */ is<StreamFailEvent>("fail");
export const isStreamTruncatedEvent = /* @__PURE__ */ is<StreamTruncatedEvent>("truncated");
/** Whether nothing comes after this event. */
export const isStreamEnd = (event: StreamEvent): event is StreamEndEvent | StreamFailEvent => event.type === "end" || event.type === "fail";

/**
 * An event from its JSON text.
 *
 * @throws PatchwireError `INVALID_JSON`; `VALIDATION_FAILED` with the place of what isn't as it should be.
 * @example
 * ```ts
 * import { parseStreamEvent } from "patchwire/helix";
 * console.log(parseStreamEvent('{"type":"status","status":"paused"}')); // { type: 'status', status: 'paused' }
 * ```
 */
export function parseStreamEvent(text: string): StreamEvent {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new PatchwireError("INVALID_JSON", "the event isn't JSON");
  }
  return StreamEventSchema.parse(value);
}

/**
 * An event from a named server-sent event: its name is the type where the data has none.
 *
 * @throws PatchwireError as {@link parseStreamEvent}.
 * @example
 * ```ts
 * import { parseNamedSSEEvent } from "patchwire/helix";
 * console.log(parseNamedSSEEvent("truncated", '{"truncatedAtStep":3}')); // { type: 'truncated', truncatedAtStep: 3 }
 * ```
 */
export function parseNamedSSEEvent(name: string, data: string): StreamEvent {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw new PatchwireError("INVALID_JSON", "the event isn't JSON");
  }
  const isEvent = typeof value === "object" && value !== null && Object.hasOwn(value, "type") && Object.hasOwn(members, (value as StreamEvent).type);
  if (!isEvent && name !== "chunk" && !isObject(value)) throw new PatchwireError("VALIDATION_FAILED", `the data of the event '${name}' is an object`);
  const event = isEvent ? value : name === "chunk" ? { type: name, chunk: value } : { type: name, ...(value as object) };
  return parseStreamEvent(JSON.stringify(event));
}

/**
 * An event as its JSON text.
 *
 * @throws PatchwireError `VALIDATION_FAILED` with the place of what isn't as it should be.
 * @example
 * ```ts
 * import { serializeStreamEvent } from "patchwire/helix";
 * console.log(serializeStreamEvent({ type: "end", output: { ok: true } })); // {"type":"end","output":{"ok":true}}
 * ```
 */
export function serializeStreamEvent(event: StreamEvent): string {
  return JSON.stringify(StreamEventSchema.parse(event));
}
