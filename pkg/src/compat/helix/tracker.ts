import { checkOptions } from "../../bridge/checks.js";
import { StateTracker } from "../../tracker/tracker.js";
import type { Draft, Immutable, RFC6902Operation, StepWrites, WriteCursor } from "../../types.js";

/** How an {@link ImmerStateTracker} tells changes in arrays. */
export interface ImmerStateTrackerOptions {
  /** Whether a pure push is told as `append`, for tools that run in parallel; otherwise any change replaces the array. */
  arrayDeltaMode?: boolean;
}

/**
 * Helix's tracker: a {@link StateTracker} that tells one write per top-level key, `append`, `replace` or `delete`.
 *
 * @example
 * ```ts
 * import { ImmerStateTracker } from "patchwire/helix";
 * const tracker = new ImmerStateTracker({ notes: ["a"], user: { name: "Ada", age: 36 } }, { arrayDeltaMode: true });
 * tracker.update((draft) => {
 *   draft.notes.push("b");
 *   draft.user.age = 37;
 * });
 * console.log(tracker.getRFC6902Patches());
 * // [ { op: 'add', path: '/notes/-', value: 'b' }, { op: 'replace', path: '/user', value: { name: 'Ada', age: 37 } } ]
 * ```
 */
export class ImmerStateTracker<T> {
  readonly #tracker: StateTracker<T>;

  constructor(initialState: T, options: ImmerStateTrackerOptions = {}) {
    checkOptions(options, ["arrayDeltaMode"]);
    this.#tracker = new StateTracker<T>(initialState, { granularity: "key", arrayDeltaMode: options.arrayDeltaMode ?? false });
  }

  /**
   * The state, frozen.
   *
   * @example
   * ```ts
   * import { ImmerStateTracker } from "patchwire/helix";
   * console.log(new ImmerStateTracker({ count: 0 }).getState()); // { count: 0 }
   * ```
   */
  getState(): Immutable<T> {
    return this.#tracker.getState();
  }

  /**
   * Changes the state by a recipe, or not at all if it throws; returns the state.
   *
   * @throws PatchwireError `NOT_JSON` with the pointer, where the recipe leaves what isn't JSON.
   * @example
   * ```ts
   * import { ImmerStateTracker } from "patchwire/helix";
   * console.log(new ImmerStateTracker({ count: 0 }).update((draft) => { draft.count = 5; })); // { count: 5 }
   * ```
   */
  update(recipe: (draft: Draft<T>) => void): Immutable<T> {
    this.#tracker.update(recipe);
    return this.#tracker.getState();
  }

  /**
   * The net effect since the last reset: what wire and storage both derive from.
   *
   * @example
   * ```ts
   * import { ImmerStateTracker } from "patchwire/helix";
   * const tracker = new ImmerStateTracker({ items: [1, 2, 3] });
   * tracker.update((draft) => void draft.items.splice(1, 1));
   * console.log(tracker.getStepWrites().ops); // [ { kind: 'replace', key: 'items', path: '/items', value: [ 1, 3 ] } ]
   * ```
   */
  getStepWrites(): StepWrites {
    return this.#tracker.getStepWrites();
  }

  /**
   * What has changed, as JSON Patch operations.
   *
   * @example
   * ```ts
   * import { ImmerStateTracker } from "patchwire/helix";
   * const tracker = new ImmerStateTracker<{ count: number }>({ count: 0 });
   * tracker.update((draft) => { draft.count = 5; });
   * console.log(tracker.getRFC6902Patches()); // [ { op: 'replace', path: '/count', value: 5 } ]
   * ```
   */
  getRFC6902Patches(): RFC6902Operation[] {
    return this.#tracker.getRFC6902Patches();
  }

  /**
   * Begins a new step: what was written so far isn't told again. Cursors keep their own beginnings.
   *
   * @example
   * ```ts
   * import { ImmerStateTracker } from "patchwire/helix";
   * const tracker = new ImmerStateTracker({ count: 0 });
   * tracker.update((draft) => { draft.count = 1; });
   * tracker.resetTracking();
   * console.log(tracker.getStepWrites().ops); // []
   * ```
   */
  resetTracking(): void {
    this.#tracker.resetTracking();
  }

  /**
   * An independent reader of the changes: what it has told is told again by no one but others.
   *
   * @example
   * ```ts
   * import { ImmerStateTracker } from "patchwire/helix";
   * const tracker = new ImmerStateTracker({ count: 0 });
   * const wire = tracker.cursor();
   * tracker.update((draft) => { draft.count = 1; });
   * wire.advance();
   * console.log(wire.patches(), tracker.getRFC6902Patches()); // [] [ { op: 'replace', path: '/count', value: 1 } ]
   * ```
   */
  cursor(): WriteCursor {
    return this.#tracker.cursor();
  }
}

/**
 * A tracker, as `new` makes it.
 *
 * @example
 * ```ts
 * import { createImmerStateTracker } from "patchwire/helix";
 * console.log(createImmerStateTracker({ count: 0 }).getState()); // { count: 0 }
 * ```
 */
export function createImmerStateTracker<T>(initialState: T, options?: ImmerStateTrackerOptions): ImmerStateTracker<T> {
  return new ImmerStateTracker(initialState, options);
}
