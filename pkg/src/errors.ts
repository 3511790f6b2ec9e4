/** What went wrong, as a stable code. */
export type PatchwireErrorCode =
  | "INVALID_JSON" | "NOT_JSON" | "INVALID_POINTER" | "INVALID_PATCH" | "PATH_NOT_FOUND" | "INDEX_OUT_OF_RANGE"
  | "TEST_FAILED" | "LIMIT_EXCEEDED" | "DRAFT_REVOKED" | "ASYNC_RECIPE"
  | "RECIPE_RESULT" | "TRACKER_BUSY" | "VALIDATION_FAILED"
  | "FORBIDDEN_PATH" | "NOT_FOUND" | "CONFLICT" | "STALE_STATE" | "STREAM_TRUNCATED" | "ENGINE_LOST" | "ENGINE_BLOCKED" | "CLOSED";

/** Where it went wrong. */
export interface ErrorPlace {
  /** In the document, as a JSON Pointer. */
  path?: string;
  /** Which operation of a patch, counted from 0. */
  opIndex?: number;
  /** Which byte of a text, counted from 0. */
  offset?: number;
}

/**
 * The one error of Patchwire. When it is thrown nothing has changed. Its text never contains state values.
 *
 * `ENGINE_LOST` means that the core failed (it ran out of memory, or trapped) and was replaced; `cause` says how. It is
 * for who made the call: trackers, synced states and clients go on by themselves, a {@link StateDocument} has to be
 * parsed again.
 *
 * `ENGINE_BLOCKED` means that the core can't start where it is: the page's Content Security Policy forbids it
 * (docs/csp.md), or the platform lacks something that the message names. Trying again doesn't help.
 *
 * @example
 * ```ts
 * import { applyPatch, PatchwireError } from "patchwire";
 * try {
 *   applyPatch({ a: 1 }, [{ op: "remove", path: "/b" }]);
 * } catch (error) {
 *   if (error instanceof PatchwireError) console.log(error.code, error.path, error.opIndex); // PATH_NOT_FOUND /b 0
 * }
 * ```
 */
export class PatchwireError extends Error implements ErrorPlace {
  override name = "PatchwireError";
  /** What went wrong: for programs, where the message is for people. */
  readonly code: PatchwireErrorCode;
  readonly path?: string;
  readonly opIndex?: number;
  readonly offset?: number;

  /**
   * For what takes part in Patchwire's work and refuses in its words: a rule in `validate`, a function that merges.
   *
   * @param message what is wrong; the code is put before it. Put no state values into it.
   * @param options.cause what may hold them.
   * @example
   * ```ts
   * import { PatchwireError } from "patchwire";
   * const error = new PatchwireError("CONFLICT", "another tool wrote the plan", { path: "/plan" });
   * console.log(error.message, error.path); // CONFLICT: another tool wrote the plan /plan
   * ```
   */
  constructor(code: PatchwireErrorCode, message = "", place: ErrorPlace = {}, options?: { cause: unknown }) {
    super(message.startsWith(code) ? message : `${code}: ${message}`, options);
    this.code = code;
    this.path = place.path;
    this.opIndex = place.opIndex;
    this.offset = place.offset;
  }
}
