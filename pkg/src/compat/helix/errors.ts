import { PatchwireError, type PatchwireErrorCode } from "../../errors.js";

/** The part of the system that failed. */
export type ErrorCategory = "provider" | "tool" | "state" | "transport" | "validation" | "framework";

/** What went wrong; the category is what comes before the first `_`. */
export type ErrorCode =
  | "provider_overloaded" | "provider_rate_limited" | "provider_auth_error" | "provider_content_filtered" | "provider_refused"
  | "provider_timeout" | "provider_invalid_request" | "provider_error"
  | "tool_input_invalid" | "tool_execution_failed" | "tool_not_found" | "tool_timeout"
  | "state_concurrency_conflict" | "state_session_not_found" | "state_already_running" | "state_not_resumable"
  | "transport_error" | "validation_error"
  | "framework_internal_error" | "framework_not_supported" | "framework_cancelled";

/** What a {@link HelixError} says. */
export interface HelixErrorOptions {
  message: string;
  code: ErrorCode;
  /** Whether trying again may help: `false`. */
  retryable?: boolean;
  /** Of HTTP. */
  statusCode?: number;
  cause?: unknown;
}

const MARK = Symbol.for("helix.agents.error");

/**
 * An error with one of Helix's codes.
 *
 * @example
 * ```ts
 * import { HelixError } from "patchwire/helix";
 * const error = new HelixError({ message: "overloaded", code: "provider_overloaded", retryable: true, statusCode: 503 });
 * console.log(error.category, error.retryable, HelixError.isInstance(error)); // provider true true
 * ```
 */
export class HelixError extends Error {
  override name = "HelixError";
  readonly code: ErrorCode;
  readonly category: ErrorCategory;
  readonly retryable: boolean;
  readonly statusCode?: number;

  constructor({ message, code, retryable = false, statusCode, ...rest }: HelixErrorOptions) {
    super(message, rest);
    this.code = code;
    this.category = code.slice(0, code.indexOf("_")) as ErrorCategory;
    this.retryable = retryable;
    if (statusCode !== undefined) this.statusCode = statusCode;
    Object.defineProperty(this, MARK, { value: true });
  }

  /**
   * Whether it is one, of whatever package and version.
   *
   * @example
   * ```ts
   * import { HelixError } from "patchwire/helix";
   * console.log(HelixError.isInstance(new Error("no"))); // false
   * ```
   */
  static isInstance(error: unknown): error is HelixError {
    return typeof error === "object" && error !== null && (error as { [MARK]?: unknown })[MARK] === true;
  }
}

/** The errors of state stores, by their names. */
const STORE_ERRORS: { readonly [name: string]: ErrorCode } = {
  StaleStateError: "state_concurrency_conflict",
  FencingTokenMismatchError: "state_concurrency_conflict",
  ExecutorSupersededError: "state_concurrency_conflict",
  LockNotAcquiredError: "state_concurrency_conflict",
  LockLostError: "state_concurrency_conflict",
  AgentAlreadyRunningError: "state_already_running",
  AgentNotResumableError: "state_not_resumable",
  StreamTruncatedError: "transport_error",
};

const CORE_ERRORS: { readonly [code in PatchwireErrorCode]?: ErrorCode } = {
  STALE_STATE: "state_concurrency_conflict",
  CONFLICT: "state_concurrency_conflict",
  NOT_FOUND: "state_session_not_found",
  VALIDATION_FAILED: "validation_error",
  INVALID_JSON: "validation_error",
  NOT_JSON: "validation_error",
  FORBIDDEN_PATH: "validation_error",
  STREAM_TRUNCATED: "transport_error",
};

/**
 * Any error as a {@link HelixError}, with itself as the cause. One that is one already is returned.
 *
 * @example
 * ```ts
 * import { classifyError } from "patchwire/helix";
 * console.log(classifyError(new DOMException("stop", "AbortError")).code, classifyError("what?").code); // framework_cancelled framework_internal_error
 * ```
 */
export function classifyError(error: unknown): HelixError {
  if (HelixError.isInstance(error)) return error;
  const name = typeof error === "object" && error !== null && "name" in error ? String(error.name) : "";
  const message = extractErrorMessage(error);
  const byName = Object.hasOwn(STORE_ERRORS, name) ? STORE_ERRORS[name] : undefined;
  const byCode = error instanceof PatchwireError ? CORE_ERRORS[error.code] : undefined;
  const code = name === "AbortError" ? "framework_cancelled" : (byName ?? byCode ?? "framework_internal_error");
  return new HelixError({ message, code, retryable: code === "state_concurrency_conflict", cause: error });
}

/**
 * What an error says, whatever it is.
 *
 * @example
 * ```ts
 * import { extractErrorMessage } from "patchwire/helix";
 * console.log(extractErrorMessage(new Error("test")), extractErrorMessage({ message: "Overloaded" }), extractErrorMessage(null)); // test Overloaded null
 * ```
 */
export function extractErrorMessage(error: unknown): string {
  if (typeof error === "object" && error !== null && "message" in error && typeof error.message === "string") return error.message;
  // What has no text, such as an object without a prototype, isn't to hide the error that it stands for.
  try {
    return String(error);
  } catch {
    return typeof error;
  }
}

/**
 * An `Error`, with what it was made of as its cause.
 *
 * @example
 * ```ts
 * import { ensureError } from "patchwire/helix";
 * const error = ensureError({ message: "Overloaded" });
 * console.log(error instanceof Error, error.message); // true Overloaded
 * ```
 */
export function ensureError(error: unknown): Error {
  return error instanceof Error ? error : new Error(extractErrorMessage(error), { cause: error });
}
