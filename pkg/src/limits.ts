import { PatchwireError } from "./errors.js";
import type { Limits } from "./types.js";

/** Limits as the core takes them (src/wasm/limits.rs): NaN where there is none. Throws `NOT_JSON` if one isn't a number. */
export function bounds({ document, depth, operations, string, path, frame }: Limits = {}): Float64Array {
  return Float64Array.from([document, depth, operations, string, path, frame], (bound = NaN) => {
    if (typeof bound !== "number") throw new PatchwireError("NOT_JSON", "an option has the wrong type");
    return bound;
  });
}
