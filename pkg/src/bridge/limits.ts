import { PatchwireError } from "../errors.js";
import type { Limits } from "../types.js";

/** In the order in which the core takes them. */
const NAMES = ["document", "depth", "operations", "string", "path", "frame"] as const;

/** Limits as the core takes them (src/wasm/limits.rs): NaN where there is none. Throws `NOT_JSON` if one isn't a number. */
export function bounds(limits: Limits = {}): Float64Array {
  return Float64Array.from(NAMES, (name) => {
    const { [name]: bound = NaN } = limits;
    if (typeof bound !== "number") throw new PatchwireError("NOT_JSON", `the limit ${name} is a number`);
    return bound;
  });
}
