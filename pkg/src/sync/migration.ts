import { PatchwireError } from "../errors.js";

/** How a state of an earlier version of the application becomes one of the present version. */
export interface Migration<T> {
  /** The version of the state's shape, from 1 on; a state that was stored without one has 0. */
  version?: number;
  /** Makes a state of an earlier version one of the present version, when it is first opened. Its result must be JSON. */
  migrate?: (state: any, fromVersion: number) => T;
}

/** The state in the shape of the present version. */
export function migrated<T>(state: unknown, from: number, { version = 0, migrate }: Migration<T>): unknown {
  if (from === version) return state;
  if (from > version) throw new PatchwireError("VALIDATION_FAILED", `the state has version ${from}, which is later than ${version}: a later version of the application wrote it`);
  return migrate === undefined ? state : migrate(state, from);
}
