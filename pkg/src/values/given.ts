import { Values } from "../bridge/host.js";
import { checkJson, tooLarge } from "../json/json.js";
import { textLength } from "../json/size.js";
import type { KnownRuns } from "../json/equality.js";
import type { Limits } from "../types.js";

/** Values of the caller's, for one call: the core reads of them what it looks into. */
export function given(values: readonly unknown[], limits: Limits = {}): Values {
  return Values.given(values, limits.depth, limits.string);
}

/** Values of the caller's that are compared, for one call: of what isn't in both all is looked into. */
export function compared(values: readonly unknown[], limits: Limits = {}, known?: KnownRuns): Values {
  return Values.compared(values, limits.depth, limits.string, known);
}

/** Takes a value that may be missing. */
export function givenIf(value: unknown, limits?: Limits): Values | undefined {
  return value === undefined ? undefined : given([value], limits);
}

/** Holds a limit of the caller's against all of a state, of which the core may know but a part. O(its size) where there is one. */
export function checkSize(state: unknown, limits: Limits | undefined): void {
  const most = limits?.document;
  if (most === undefined || most === Infinity) return;
  checkJson(state);
  if (textLength(state) > most) throw tooLarge();
}
