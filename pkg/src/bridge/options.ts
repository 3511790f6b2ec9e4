import { PatchwireError } from "../errors.js";
import type { Dialect } from "../types.js";

export function requireObject(what: string, given: unknown): void {
  if (typeof given !== "object" || given === null) throw new PatchwireError("NOT_JSON", `${what} should be an object`);
}

/** Without types a mistyped mode would quietly be the default. */
export function requireOneOf(option: string, given: unknown, known: readonly unknown[]): void {
  if (!known.includes(given)) throw new PatchwireError("NOT_JSON", `the option ${option} is one of ${known.map((one) => JSON.stringify(one)).join(", ")}`);
}

/** Without types a mistyped name would quietly mean nothing. */
export function requireKnown(kind: "option" | "limit" | "bound", given: object, known: readonly string[]): void {
  const stray = Object.keys(given).find((name) => !known.includes(name));
  if (stray !== undefined) throw new PatchwireError("VALIDATION_FAILED", `there is no ${kind} ${stray}: the ${kind}s are ${known.join(", ")}`);
}

export function requireFunction(option: string, given: unknown): void {
  if (given !== undefined && typeof given !== "function") throw new PatchwireError("VALIDATION_FAILED", `the option ${option} is a function`);
}

export function requirePointers(option: string, given: unknown): void {
  if (Array.isArray(given) && [...given].every((pointer) => typeof pointer === "string")) return;
  throw new PatchwireError("NOT_JSON", `the option ${option} is a list of pointers, such as ["/a/b"]`);
}

/** Whether the extended dialect is asked for. */
export function isExtended(options?: { dialect?: Dialect }): boolean {
  if (options === undefined) return false;
  requireObject("the options", options);
  const { dialect = "rfc6902" } = options;
  requireOneOf("dialect", dialect, ["rfc6902", "extended"]);
  return dialect === "extended";
}
