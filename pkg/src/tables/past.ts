import { checkCount, checkKnown, checkObject } from "../bridge/checks.js";
import type { PatchwireError } from "../errors.js";

/** How much of a state's past is kept. All bounds that are given count; what is kept goes in larger pieces, so there may be more. */
export interface Retention {
  /** How many revisions before the present one. */
  revisions?: number | undefined;
  /** For how many milliseconds a revision can be read after the next one was made. */
  age?: number | undefined;
  /** How many bytes of storage: of patches, and of parts of the state that later revisions haven't. */
  bytes?: number | undefined;
}

const BOUNDS = ["revisions", "age", "bytes"] as const satisfies readonly (keyof Retention)[];

export function checkRetention(given: Retention = {}): Retention {
  const retention = checkObject("the option retention", given);
  checkKnown("bound", retention, BOUNDS);
  const bounds = BOUNDS.filter((name) => retention[name] !== undefined);
  return Object.fromEntries(bounds.map((name) => [name, checkCount(`the option retention.${name}`, retention[name])]));
}

/** What was done to a state whose rows were damaged. */
export interface Repaired {
  /** The revision whose state the state is now. */
  restored: number;
  /** The newest revision that there may have been: those after `restored` are lost. */
  newest: number;
  /** The number that the state has now. None of the lost ones is used again. */
  revision: number;
  /** The pinned revisions among those that are lost. They aren't pinned any more. Those of a lost row of pins aren't known. */
  pins: number[];
  /** What was damaged, or the first of it. */
  damage: PatchwireError;
}
