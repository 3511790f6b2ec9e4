import { refusal } from "../../bridge/checks.js";

/** The version of the form of checkpoint ids. */
export const CHECKPOINT_ID_VERSION = 1;
/** What checkpoint ids of this version begin with. */
export const CHECKPOINT_ID_PREFIX = `cpv${CHECKPOINT_ID_VERSION}`;

/** What a checkpoint id says. */
export interface ParsedCheckpointId {
  version: number;
  sessionId: string;
  stepCount: number;
  /** In milliseconds since 1970. */
  timestamp: number;
  random: string;
}

/**
 * An id for a checkpoint of a session: `cpv1-{session}-s{step}-t{milliseconds}-{six hexadecimal digits}`.
 *
 * @param timestamp in milliseconds since 1970: now, if nothing is said.
 * @throws PatchwireError `VALIDATION_FAILED` where the session has no id, or the step or the time is no count.
 * @example
 * ```ts
 * import { generateCheckpointId } from "patchwire/helix";
 * console.log(/^cpv1-session-123-s5-t\d+-[0-9a-f]{6}$/.test(generateCheckpointId("session-123", 5))); // true
 * ```
 */
export function generateCheckpointId(sessionId: string, stepCount: number, timestamp = Date.now()): string {
  const isCount = (count: number): boolean => Number.isSafeInteger(count) && count >= 0;
  if (typeof sessionId !== "string" || sessionId === "" || !isCount(stepCount) || !isCount(timestamp)) {
    throw refusal("a checkpoint id needs a session, the number of its steps and a time in whole milliseconds");
  }
  const random = Array.from(crypto.getRandomValues(new Uint8Array(3)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${CHECKPOINT_ID_PREFIX}-${sessionId}-s${stepCount}-t${timestamp}-${random}`;
}

/**
 * What a checkpoint id says; `null` where it isn't one. A session's id may itself have hyphens, and parts that look like
 * those after it.
 *
 * @example
 * ```ts
 * import { parseCheckpointId } from "patchwire/helix";
 * const { sessionId, stepCount } = parseCheckpointId("cpv1-session-123-s5-t1703123456789-a1b2c3")!;
 * console.log(sessionId, stepCount, parseCheckpointId("session-123")); // session-123 5 null
 * ```
 */
export function parseCheckpointId(id: string): ParsedCheckpointId | null {
  const [, version, sessionId, stepCount, timestamp, random] = /^cpv(\d+)-(.+)-s(\d+)-t(\d+)-([0-9a-f]{6})$/s.exec(id) ?? [];
  if (random === undefined || Number(version) !== CHECKPOINT_ID_VERSION) return null;
  return { version: Number(version), sessionId: sessionId!, stepCount: Number(stepCount), timestamp: Number(timestamp), random };
}
