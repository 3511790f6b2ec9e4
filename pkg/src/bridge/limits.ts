import { checkKnown, refusal } from "./checks.js";
import { isObject } from "../json/containers.js";
import { isPlain } from "../json/json.js";
import type { Limits } from "../types.js";

/** What is accepted where nothing else is asked for (`Limits::default` in src/limits.rs), in the order in which the core takes them. */
export const DEFAULTS = { document: 64 << 20, depth: 512, operations: 10_000, string: 16 << 20, path: 1_024, frame: 8 << 20 } as const satisfies Required<Limits>;

const NAMES = Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[];

/** Of none. It is only read. */
const NONE = new Float64Array(NAMES.length).fill(NaN);

/** What can be asked for at most, where that isn't bounded by memory. */
const MOST: Partial<Record<(typeof NAMES)[number], number>> = { depth: 2_000 };

/** What can be asked for at least: a frame has room for more than what is around what it carries. */
const LEAST: Partial<Record<(typeof NAMES)[number], number>> = { frame: 1_024 };

/** Limits as the core takes them (src/wasm/limits.rs): NaN where there is none. Throws `VALIDATION_FAILED` if one isn't a number in its range, and where there is no such limit. */
export function bounds(limits: Limits | undefined): Float64Array {
  if (limits === undefined) return NONE;
  if (!isObject(limits) || !isPlain(limits)) throw refusal("limits are a plain object, such as { document: 1e6 }");
  checkKnown("limit", limits, NAMES);
  return Float64Array.from(NAMES, (name) => {
    const { [name]: bound } = limits;
    if (bound === undefined) return NaN;
    const [least, most] = [LEAST[name] ?? 0, MOST[name] ?? Infinity];
    if (typeof bound !== "number" || !(bound >= least && bound <= most)) {
      throw refusal(`the limit ${name} is a number from ${least} ${most < Infinity ? `to ${most}` : "on"}`);
    }
    return bound;
  });
}
