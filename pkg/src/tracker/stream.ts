import { refusal } from "../bridge/checks.js";
import { asBytes, seamOf } from "../bridge/wtf8.js";

/** A stream as its tracker carries it on. */
interface StreamSteps {
  /** Takes a string that doesn't end within a surrogate pair or an escape, or bytes. */
  write(piece: string | Uint8Array): void;
  end(): void;
  abort(): void;
}

/**
 * JSON text that arrives in pieces at one place of the state: see {@link StateTracker.stream}.
 *
 * @example
 * ```ts
 * import { StateTracker } from "patchwire";
 * const tracker = new StateTracker<{ answer?: unknown }>({});
 * const answer = tracker.stream("/answer");
 * for (const chunk of ['{"title":"On st', 'reams","pa', 'ges":1', "2}"]) {
 *   answer.write(chunk);
 *   console.log(tracker.getState().answer);
 *   // { title: 'On st' }
 *   // { title: 'On streams' }
 *   // { title: 'On streams' }
 *   // { title: 'On streams', pages: 12 }
 * }
 * answer.end();
 * ```
 */
export class StreamedValue {
  readonly #steps: StreamSteps;
  /** The first half of a surrogate pair, or a backslash, which the next chunk completes. */
  #held = "";

  /** {@link StateTracker.stream} makes streams. */
  constructor(steps: StreamSteps) {
    this.#steps = steps;
  }

  /**
   * Takes the next chunk, cut anywhere. What is certain then is in the state: strings grow, numbers and literals
   * appear when they are complete, containers open and fill. O(chunk), and the number of streams that are open: what came before isn't read again.
   *
   * @throws PatchwireError `INVALID_JSON` with the `offset` in the whole text's bytes, or `LIMIT_EXCEEDED`: the chunk
   *   has changed nothing, and the stream can only be aborted. `PATH_NOT_FOUND` where another change took the place
   *   away; that closes the stream. `VALIDATION_FAILED` where the chunk is neither a string nor bytes. `CLOSED` after `end` or
   *   `abort`. `TRACKER_BUSY`.
   * @example
   * ```ts
   * import { PatchwireError, StateTracker } from "patchwire";
   * const tracker = new StateTracker<{ answer?: unknown }>({});
   * const answer = tracker.stream("/answer");
   * answer.write('{"ok":tr');
   * console.log(tracker.getState()); // { answer: {} }
   * try {
   *   answer.write("eu");
   * } catch (error) {
   *   if (error instanceof PatchwireError) console.log(error.code, error.offset); // INVALID_JSON 6
   * }
   * answer.abort();
   * ```
   */
  write(chunk: string | Uint8Array): void {
    if (typeof chunk !== "string") {
      const bytes = asBytes(chunk);
      if (bytes === undefined) throw refusal("a chunk is a string, or bytes");
      this.#writeHeld();
      return this.#steps.write(bytes);
    }
    const text = this.#held + chunk;
    const seam = seamOf(text);
    this.#steps.write(text.slice(0, seam));
    this.#held = text.slice(seam);
  }

  /**
   * The text is complete. The value is now what `JSON.parse` makes of the whole text.
   *
   * @throws PatchwireError `INVALID_JSON` with the `offset` where more must come: nothing has changed, and more may
   *   come. `VALIDATION_FAILED`: the stream can only be aborted. Otherwise as {@link write}.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ pages: 0 });
   * const pages = tracker.stream("/pages");
   * pages.write("12");
   * console.log(tracker.getState()); // { pages: 0 }
   * pages.end();
   * console.log(tracker.getState()); // { pages: 12 }
   * ```
   */
  end(): void {
    this.#writeHeld();
    this.#steps.end();
  }

  /**
   * Puts back what was at the place before, whatever limits and `validate` say of it. If another change took the place away,
   * that change stays. Nothing of the stream is left for {@link StateTracker.undo} then; but if other changes were made since
   * it began to write, what it wrote and its end are steps among theirs.
   *
   * @throws PatchwireError `CLOSED` after `end` or `abort`; `TRACKER_BUSY`.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker<{ answer: unknown }>({ answer: "none yet" });
   * const answer = tracker.stream("/answer");
   * answer.write('["a","b');
   * console.log(tracker.getState()); // { answer: [ 'a', 'b' ] }
   * answer.abort();
   * console.log(tracker.getState()); // { answer: 'none yet' }
   * ```
   */
  abort(): void {
    this.#steps.abort();
  }

  #writeHeld(): void {
    const held = this.#held;
    if (held === "") return;
    this.#steps.write(held);
    this.#held = "";
  }
}
