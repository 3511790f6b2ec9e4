import { StateTracker } from "../../tracker/tracker.js";
import type { Immutable, JSONPatchOperation } from "../../types.js";
import { diff } from "../../values/patches.js";
import { isStatePatchChunk, type StreamChunk } from "./chunks.js";

/** A part of a state, or what is made of it. */
export interface StateProjection<S, P> {
  /** What the state looks like here. */
  project(state: Immutable<S>): P;
  /** What changes here when a state becomes another. */
  patches(before: Immutable<S>, after: Immutable<S>): JSONPatchOperation[];
}

/**
 * A part of a state by a function, which must return JSON.
 *
 * @example
 * ```ts
 * import { createStateProjection } from "patchwire/helix";
 * const projection = createStateProjection<{ count: number; secret: string }, { count: number }>((state) => ({ count: state.count }));
 * console.log(projection.project({ count: 1, secret: "s" })); // { count: 1 }
 * console.log(projection.patches({ count: 1, secret: "s" }, { count: 1, secret: "t" })); // []
 * ```
 */
export function createStateProjection<S, P>(select: (state: Immutable<S>) => P): StateProjection<S, P> {
  return { project: select, patches: (before, after) => diff(select(before), select(after)) };
}

/**
 * Follows a stream of state patches and shows a projection of the state.
 *
 * @example
 * ```ts
 * import { createStateProjection, StreamProjector } from "patchwire/helix";
 * const projection = createStateProjection<{ notes: string[]; secret: string }, { count: number }>(({ notes }) => ({ count: notes.length }));
 * const projector = new StreamProjector(projection, { notes: [], secret: "s" });
 * const base = { type: "state_patch", agentId: "run-1" } as const;
 * console.log(projector.push({ ...base, patches: [{ op: "add", path: "/notes/-", value: "a" }] })?.patches);
 * // [ { op: 'replace', path: '/count', value: 1 } ]
 * console.log(projector.push({ ...base, patches: [{ op: "replace", path: "/secret", value: "t" }] }), projector.value); // undefined { count: 1 }
 * ```
 */
export class StreamProjector<S, P> {
  readonly #tracker: StateTracker<S>;
  readonly #projection: StateProjection<S, P>;

  constructor(projection: StateProjection<S, P>, initialState: S) {
    this.#projection = projection;
    this.#tracker = new StateTracker(initialState);
  }

  /**
   * What the state looks like now.
   *
   * @example
   * ```ts
   * import { createStateProjection, StreamProjector } from "patchwire/helix";
   * console.log(new StreamProjector(createStateProjection((state: { a: number }) => state.a), { a: 1 }).value); // 1
   * ```
   */
  get value(): P {
    return this.#projection.project(this.#tracker.getState());
  }

  /**
   * The chunk as it is to be shown: a state patch with the projection's operations, or nothing where the projection didn't
   * change. Other chunks are returned as they are.
   *
   * @throws PatchwireError where the patch doesn't fit the state; the state then stays as it was.
   * @example
   * ```ts
   * import { createStateProjection, StreamProjector } from "patchwire/helix";
   * const projector = new StreamProjector(createStateProjection((state: { a: number }) => state.a), { a: 1 });
   * projector.push({ type: "state_patch", agentId: "run-1", patches: [{ op: "replace", path: "/a", value: 2 }] });
   * console.log(projector.value); // 2
   * ```
   */
  push<C extends StreamChunk>(chunk: C): C | undefined {
    if (!isStatePatchChunk(chunk)) return chunk;
    const before = this.#tracker.getState();
    this.#tracker.apply(chunk.patches);
    this.#tracker.resetTracking();
    const patches = this.#projection.patches(before, this.#tracker.getState());
    return patches.length > 0 ? { ...chunk, patches } : undefined;
  }

  /**
   * A stream with every chunk as {@link push} shows it.
   *
   * @example
   * ```ts
   * import { createStateProjection, StreamProjector } from "patchwire/helix";
   * const projector = new StreamProjector(createStateProjection((state: { a: number }) => state.a), { a: 1 });
   * async function* stream() {
   *   yield { type: "text_delta" as const, agentId: "run-1", delta: "hi" };
   * }
   * for await (const chunk of projector.through(stream())) console.log(chunk.type); // text_delta
   * ```
   */
  async *through<C extends StreamChunk>(stream: AsyncIterable<C>): AsyncGenerator<C, void, undefined> {
    for await (const chunk of stream) {
      const shown = this.push(chunk);
      if (shown !== undefined) yield shown;
    }
  }
}
