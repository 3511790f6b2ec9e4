import { checkCount, checkFunction, isPromise, refusal } from "../bridge/checks.js";
import { checkJson } from "../json/json.js";

/** How a state of an earlier version of the application becomes one of the present version. */
export interface Migration<T> {
  /**
   * The version of the state's shape, from 1 on; without it, and of a state that was stored without one, it is 0. Without `migrate`, a state of
   * an earlier version has the same shape, and is of this version from then on. A state of a later version is refused.
   */
  version?: number | undefined;
  /**
   * Makes a state of an earlier version one of the present version, when it is first opened. The earlier state is frozen: return
   * another one, such as `{ ...state, tags: [] }`, which must be JSON.
   */
  migrate?: ((state: any, fromVersion: number) => T) | undefined;
}

/** A version that isn't a number would be stored as another one than it is compared with. */
export function checkMigration({ version, migrate }: Migration<never>): void {
  if (version !== undefined) checkCount("the option version", version, 1);
  checkFunction("the option migrate", migrate);
  if (migrate !== undefined && version === undefined) throw refusal("the option migrate needs the option version, the number of the present shape");
}

/** Refuses a state that a later version of the application wrote: this one would write what that one doesn't know. */
export function requireEarlier(from: number, version: number): void {
  if (from > version) throw refusal(`the state has version ${from}, which is later than ${version}: a later version of the application wrote it`);
}

/** A state of a version in the shape of the present one. */
export function migrated<T>(state: unknown, from: number, { version = 0, migrate }: Migration<T>): unknown {
  requireEarlier(from, version);
  if (from === version || migrate === undefined) return state;
  const next: unknown = migrate(state, from);
  if (next === undefined) throw refusal("migrate returned nothing: return the state in its present shape");
  if (isPromise(next)) throw refusal("migrate returned a promise: return the state itself");
  checkJson(next);
  return next;
}
