import { PatchwireError } from "../errors.js";
import { jsonOf } from "../json/json.js";
import type { JSONPatchOperation } from "../types.js";

/** JSON text of a patch given as text or as operations. */
export function patchText(patch: readonly JSONPatchOperation[] | string): string {
  if (typeof patch === "string") return patch;
  if (!Array.isArray(patch)) throw new PatchwireError("INVALID_PATCH", "a patch is an array of operations, or its JSON text");
  return jsonOf(patch);
}
