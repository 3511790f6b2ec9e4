import { PatchwireError } from "../errors.js";
import { checkJson, isPlain } from "../state/json.js";

const refuse = (message: string): PatchwireError => new PatchwireError("VALIDATION_FAILED", message);

/** Longer ones would make rows and indexes of megabytes. */
const LONGEST_ID = 4_096;

/** A name of something, of any characters. */
export function checkId(what: string, id: unknown): string {
  if (typeof id !== "string" || id === "" || id.length > LONGEST_ID) throw refuse(`${what} is a string of 1 to ${LONGEST_ID} characters`);
  return id;
}

/** A whole number of a range. */
export function checkCount(what: string, count: unknown, least = 0, most = Number.MAX_SAFE_INTEGER): number {
  if (!Number.isSafeInteger(count) || (count as number) < least || (count as number) > most) {
    throw refuse(`${what} is a whole number from ${least} to ${most}`);
  }
  return count as number;
}

/** One of the values of a set. */
export function checkOneOf<T extends string>(what: string, given: unknown, known: readonly T[]): T {
  if (!known.includes(given as T)) throw refuse(`${what} is one of ${known.join(", ")}`);
  return given as T;
}

export function checkList<T>(what: string, given: unknown): readonly T[] {
  if (!Array.isArray(given)) throw refuse(`${what} are a list`);
  return given as T[];
}

export function checkText(what: string, given: unknown): string {
  if (typeof given !== "string") throw refuse(`${what} is a string`);
  return given;
}

export function checkFlag(what: string, given: unknown): boolean {
  if (typeof given !== "boolean") throw refuse(`${what} is true or false`);
  return given;
}

/** A promise that nobody awaited, a Map or a Date would pass for an object without members, and set all of them back. */
export function checkObject(what: string, given: unknown, demand = "is an object"): Record<string, unknown> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw refuse(`${what} ${demand}`);
  if (!isPlain(given) && Object.keys(given).length === 0) throw refuse(`${what} ${demand}${given instanceof Promise ? ", and not a promise of one: await it" : ""}`);
  return given as Record<string, unknown>;
}

export const checkOptions = (given: unknown): Record<string, unknown> => checkObject("the options", given, "are an object");

/** The text of a value, which is refused where it isn't JSON. */
export function jsonOf(value: unknown, path: (string | number)[] = []): string {
  checkJson(value, path);
  return JSON.stringify(value);
}

/** A page: where it begins, and how much is on it at most. */
export function checkPage(options: { offset?: number; limit?: number } = {}): { offset: number; limit: number } {
  const { offset = 0, limit = 50 } = checkOptions(options) as typeof options;
  return { offset: checkCount("the option offset", offset), limit: checkCount("the option limit", limit, 1, 1_000) };
}
