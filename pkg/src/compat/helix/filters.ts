import { isTextDeltaChunk, type StreamChunk } from "./chunks.js";

type Chunks<C> = AsyncGenerator<C, void, undefined>;

/**
 * The chunks for which a function is true.
 *
 * @example
 * ```ts
 * import { collectAll, filterWith } from "patchwire/helix";
 * async function* numbers() {
 *   yield* [1, 2, 3];
 * }
 * console.log(await collectAll(filterWith(numbers(), (n) => n > 1))); // [ 2, 3 ]
 * ```
 */
export async function* filterWith<C>(stream: AsyncIterable<C>, wanted: (chunk: C) => boolean): Chunks<C> {
  for await (const chunk of stream) if (wanted(chunk)) yield chunk;
}

/**
 * The chunks of one agent.
 *
 * @example
 * ```ts
 * import { collectText, filterByAgentId } from "patchwire/helix";
 * async function* stream() {
 *   for (const agentId of ["a", "b"]) yield { type: "text_delta" as const, agentId, delta: `from ${agentId}` };
 * }
 * console.log(await collectText(filterByAgentId(stream(), "b"))); // from b
 * ```
 */
export function filterByAgentId<C extends StreamChunk>(stream: AsyncIterable<C>, agentId: string): Chunks<C> {
  return filterWith(stream, (chunk) => chunk.agentId === agentId);
}

/**
 * The chunks of one type of agent.
 *
 * @example
 * ```ts
 * import { collectText, filterByAgentType } from "patchwire/helix";
 * async function* stream() {
 *   for (const agentType of ["writer", "critic"]) yield { type: "text_delta" as const, agentId: "run-1", agentType, delta: agentType };
 * }
 * console.log(await collectText(filterByAgentType(stream(), "critic"))); // critic
 * ```
 */
export function filterByAgentType<C extends StreamChunk>(stream: AsyncIterable<C>, agentType: string): Chunks<C> {
  return filterWith(stream, (chunk) => chunk.agentType === agentType);
}

/**
 * The chunks of some types.
 *
 * @example
 * ```ts
 * import { collectAll, filterByType } from "patchwire/helix";
 * async function* stream() {
 *   yield { type: "thinking" as const, agentId: "run-1", content: "hm", isComplete: true };
 *   yield { type: "text_delta" as const, agentId: "run-1", delta: "hi" };
 * }
 * console.log((await collectAll(filterByType(stream(), ["text_delta"]))).length); // 1
 * ```
 */
export function filterByType<C extends StreamChunk, T extends C["type"]>(stream: AsyncIterable<C>, types: readonly T[]): Chunks<Extract<C, { type: T }>> {
  return filterWith(stream, ({ type }) => types.includes(type as T)) as Chunks<Extract<C, { type: T }>>;
}

/**
 * The chunks of all other types.
 *
 * @example
 * ```ts
 * import { collectAll, excludeTypes } from "patchwire/helix";
 * async function* stream() {
 *   yield { type: "thinking" as const, agentId: "run-1", content: "hm", isComplete: true };
 *   yield { type: "text_delta" as const, agentId: "run-1", delta: "hi" };
 * }
 * for (const { type } of await collectAll(excludeTypes(stream(), ["thinking"]))) console.log(type); // text_delta
 * ```
 */
export function excludeTypes<C extends StreamChunk, T extends C["type"]>(stream: AsyncIterable<C>, types: readonly T[]): Chunks<Exclude<C, { type: T }>> {
  return filterWith(stream, ({ type }) => !types.includes(type as T)) as Chunks<Exclude<C, { type: T }>>;
}

/**
 * The first chunks, and the end of the stream then.
 *
 * @example
 * ```ts
 * import { collectAll, take } from "patchwire/helix";
 * async function* numbers() {
 *   for (let n = 0; ; n++) yield n;
 * }
 * console.log(await collectAll(take(numbers(), 2))); // [ 0, 1 ]
 * ```
 */
export async function* take<C>(stream: AsyncIterable<C>, count: number): Chunks<C> {
  let left = count;
  if (left <= 0) return;
  for await (const chunk of stream) {
    yield chunk;
    if (--left <= 0) return;
  }
}

/**
 * The chunks after the first ones.
 *
 * @example
 * ```ts
 * import { collectAll, skip } from "patchwire/helix";
 * async function* numbers() {
 *   yield* [1, 2, 3];
 * }
 * console.log(await collectAll(skip(numbers(), 2))); // [ 3 ]
 * ```
 */
export function skip<C>(stream: AsyncIterable<C>, count: number): Chunks<C> {
  let left = count;
  return filterWith(stream, () => left-- <= 0);
}

/**
 * The chunks of several streams as they come. Whoever stops reading, or a stream that fails, ends them all.
 *
 * @example
 * ```ts
 * import { collectAll, combineStreams } from "patchwire/helix";
 * async function* letters(of: string) {
 *   yield* of;
 * }
 * console.log((await collectAll(combineStreams(letters("ab"), letters("c")))).sort()); // [ 'a', 'b', 'c' ]
 * ```
 */
export async function* combineStreams<C>(...streams: AsyncIterable<C>[]): Chunks<C> {
  const sources = streams.map((stream) => stream[Symbol.asyncIterator]());
  const next = (at: number) => sources[at]!.next().then((result) => ({ at, result }));
  const waiting = new Map(sources.map((_, at) => [at, next(at)]));
  try {
    while (waiting.size > 0) {
      const { at, result } = await Promise.race(waiting.values());
      if (result.done) {
        waiting.delete(at);
      } else {
        waiting.set(at, next(at));
        yield result.value;
      }
    }
  } finally {
    for (const [at, answer] of waiting) {
      answer.catch(() => {});
      void sources[at]!.return?.().catch(() => {});
    }
  }
}

/**
 * All text of a stream.
 *
 * @example
 * ```ts
 * import { collectText } from "patchwire/helix";
 * async function* stream() {
 *   for (const delta of ["Hel", "lo"]) yield { type: "text_delta" as const, agentId: "run-1", delta };
 * }
 * console.log(await collectText(stream())); // Hello
 * ```
 */
export async function collectText(stream: AsyncIterable<StreamChunk>): Promise<string> {
  let text = "";
  for await (const chunk of stream) if (isTextDeltaChunk(chunk)) text += chunk.delta;
  return text;
}

/**
 * All chunks of a stream.
 *
 * @example
 * ```ts
 * import { collectAll } from "patchwire/helix";
 * async function* numbers() {
 *   yield* [1, 2];
 * }
 * console.log(await collectAll(numbers())); // [ 1, 2 ]
 * ```
 */
export async function collectAll<C>(stream: AsyncIterable<C>): Promise<C[]> {
  const all: C[] = [];
  for await (const chunk of stream) all.push(chunk);
  return all;
}
