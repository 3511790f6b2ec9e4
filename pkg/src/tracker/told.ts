import { isContainer, put } from "../state/containers.js";
import { pointerOf } from "../state/json.js";
import type { Lone } from "../state/state.js";
import type { JSONPatchOperation } from "../types.js";
import type { MeaningOptions } from "./core-side.js";

/**
 * The operations of one change, where no core is needed to know them: `tests/node/tracking/told-laws.test.ts` holds this to the
 * core's own answer. The log can then cross later, many changes at once. Null where the core has to be asked.
 */
export function told({ path, parts }: Lone, isExtended: boolean, options: MeaningOptions): JSONPatchOperation[] | null {
  if (options.byKey || options.counters.length > 0 || options.texts.length > 0) return null;
  const isInArray = path.some((step) => typeof step === "number");
  const place = pointerOf(path);
  const operations: JSONPatchOperation[] = [];
  for (const { op, key, value } of parts) {
    if (!options.precise && (isInArray || typeof key === "number" || (key === undefined && !options.append))) return null;
    // A string may have grown.
    if (isExtended && typeof value === "string" && op === "replace") return null;
    operations.push({ op, path: place + pointerOf([key ?? "-"]), value: thawed(value) });
  }
  return operations;
}

/** A copy of a value of the state that may be written to, as those are that the core answers. */
function thawed(value: unknown): unknown {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(thawed);
  const copy = {};
  for (const key of Object.keys(value)) put(copy, key, thawed((value as Record<string, unknown>)[key]));
  return copy;
}
