import { expect, test } from "vitest";
import { parseNamedSSEEvent, parseStreamEvent, serializeStreamEvent, StreamChunkEventSchema, StreamEventSchema } from "patchwire/helix";

// The schema of events looked at no more than the type of a chunk. Reading an event checked the chunk afterwards, by itself, and told
// places in it as if they were in the event; writing one didn't, so that events were written that couldn't be read.

const event = { type: "chunk", chunk: { type: "text_delta", agentId: "run-1", delta: 5 } };

test.each([
  ["read", () => parseStreamEvent(JSON.stringify(event))],
  ["read by its name", () => parseNamedSSEEvent("chunk", JSON.stringify(event.chunk))],
  ["written", () => serializeStreamEvent(event as never)],
  ["checked", () => StreamEventSchema.parse(event)],
  ["checked as a chunk's", () => StreamChunkEventSchema.parse(event)],
])("a chunk's member is told by its place in the event that is %s", (_name, use) => {
  expect(use).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED", path: "/chunk/delta" }));
});

test("so is a type that isn't known", () => {
  expect(StreamEventSchema.safeParse({ type: "chunk", chunk: { type: "later" } })).toMatchObject({ issues: [{ path: ["chunk", "type"] }] });
  expect(StreamEventSchema.safeParse({ type: "later" })).toMatchObject({ issues: [{ path: ["type"] }] });
});
