import { PatchwireError } from "../errors.js";
import type { Limits } from "../types.js";

/** In the order in which the core takes them. */
const NAMES = ["document", "depth", "operations", "string", "path", "frame"] as const;

/** Of none. It is only read. */
const NONE = new Float64Array(NAMES.length).fill(NaN);

/** Limits as the core takes them (src/wasm/limits.rs): NaN where there is none. Throws `NOT_JSON` if one isn't a number. */
export function bounds(limits: Limits | undefined): Float64Array {
  if (limits === undefined) return NONE;
  return Float64Array.from(NAMES, (name) => {
    const { [name]: bound = NaN } = limits;
    if (typeof bound !== "number") throw new PatchwireError("NOT_JSON", `the limit ${name} is a number`);
    return bound;
  });
}
