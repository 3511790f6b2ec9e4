import { checkJson } from "../state/json.js";
import type { JSONPatchOperation } from "../types.js";

/** JSON text of a patch given as text or as operations. */
export function patchText(patch: readonly JSONPatchOperation[] | string): string {
  if (typeof patch === "string") return patch;
  checkJson(patch);
  return JSON.stringify(patch);
}
