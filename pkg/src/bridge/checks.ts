import { PatchwireError } from "../errors.js";
import { isContainer, isObject } from "../json/containers.js";
import { isPlain } from "../json/json.js";
import type { Dialect } from "../types.js";

// Who writes JavaScript, or an `any`, gets by these what types would have said: a mistyped name would quietly mean nothing.

/** An argument or an option is none that is taken. */
export const refusal = (message: string): PatchwireError => new PatchwireError("VALIDATION_FAILED", message);

/** Longer ones would make rows and indexes of megabytes. */
const LONGEST_ID = 4_096;

/** A name of something, of any characters. */
export function checkId(what: string, id: unknown): string {
  if (typeof id !== "string" || id === "" || id.length > LONGEST_ID) throw refusal(`${what} is a string of 1 to ${LONGEST_ID} characters`);
  return id;
}

/** A whole number of a range. */
export function checkCount(what: string, count: unknown, least = 0, most = Number.MAX_SAFE_INTEGER): number {
  if (!Number.isSafeInteger(count) || (count as number) < least || (count as number) > most) {
    throw refusal(`${what} is a whole number from ${least} to ${most}`);
  }
  return count as number;
}

/** One of the values of a set. */
export function checkOneOf<T>(what: string, given: unknown, known: readonly T[]): T {
  if (!known.includes(given as T)) throw refusal(`${what} is one of ${known.map((one) => JSON.stringify(one)).join(", ")}`);
  return given as T;
}

export function checkList<T>(what: string, given: readonly T[]): readonly T[] {
  if (!Array.isArray(given)) throw refusal(`${what} are a list`);
  return given;
}

export function checkPointers(what: string, given: unknown): void {
  if (!Array.isArray(given) || ![...given].every((pointer) => typeof pointer === "string")) throw refusal(`${what} is a list of pointers, such as ["/a/b"]`);
  const deep = (given as string[]).find((pointer) => pointer.split("/").includes("**"));
  if (deep !== undefined) throw new PatchwireError("INVALID_POINTER", "`*` is any one segment, and there is no `**`: give a pointer for each depth", { path: deep });
}

export function checkText(what: string, given: unknown): string {
  if (typeof given !== "string") throw refusal(`${what} is a string`);
  return given;
}

export function checkFlag(what: string, given: unknown): boolean {
  if (typeof given !== "boolean") throw refusal(`${what} is true or false`);
  return given;
}

export function checkFunction(what: string, given: unknown): void {
  if (given !== undefined && typeof given !== "function") throw refusal(`${what} is a function`);
}

/** Whether a function that may not wait has returned a promise. Nobody will look at that: what it rejects with is nobody's, and would end a process. */
export function isPromise(returned: unknown): boolean {
  if (!isContainer(returned) || typeof (returned as { then?: unknown }).then !== "function") return false;
  Promise.resolve(returned).catch(() => {});
  return true;
}

/** A promise that nobody awaited, a Map or a Date would pass for an object without members. */
export function checkObject<T>(what: string, given: T, demand = "is an object"): T & object {
  if (!isObject(given)) throw refusal(`${what} ${demand}`);
  if (!isPlain(given) && Object.keys(given).length === 0) throw refusal(`${what} ${demand}${given instanceof Promise ? ", and not a promise of one: await it" : ""}`);
  return given;
}

export function checkKnown(kind: "option" | "limit" | "bound", given: object, known: readonly string[]): void {
  const stray = Object.keys(given).find((name) => !known.includes(name));
  if (stray !== undefined) throw refusal(`there is no ${kind} ${stray}: the ${kind}s are ${known.join(", ")}`);
}

/** Options, which needn't be given. */
export function checkOptions<T extends object>(given: T | undefined, known: readonly string[]): T {
  if (given === undefined) return {} as T;
  const options = checkObject("the options", given, "are an object");
  checkKnown("option", options, known);
  return options;
}

/** Whether the options, of which there may be others, ask for the extended dialect. */
export function isExtended(options: { dialect?: Dialect } | undefined, ...others: string[]): boolean {
  // Each small update asks.
  if (options === undefined) return false;
  const { dialect = "rfc6902" } = checkOptions(options, ["dialect", ...others]);
  return checkOneOf("the option dialect", dialect, ["rfc6902", "extended"]) === "extended";
}

/** A page: where it begins, and how much is on it at most. There may be other options. */
export function checkPage(options: { offset?: number; limit?: number }, ...others: string[]): { offset: number; limit: number } {
  const { offset = 0, limit = 50 } = checkOptions(options, ["offset", "limit", ...others]);
  return { offset: checkCount("the option offset", offset), limit: checkCount("the option limit", limit, 1, 1_000) };
}
