import { call, core, passTexts } from "#merge";
import { checkOptions } from "../bridge/checks.js";
import { bounds } from "../bridge/limits.js";
import { PatchwireError } from "../errors.js";
import { jsonOf } from "../json/json.js";
import type { JSONPatchOperation, Limits } from "../types.js";
import { givenIf } from "./given.js";
import { patchText } from "../bridge/patch-text.js";

/**
 * Which places of a state a viewer may see. A JSON Pointer covers its subtree; `*` is any one segment, and the only way
 * into an array: a number names a member of an object, never an item. What is excluded is hidden, whatever includes it.
 */
export interface View {
  /** What may be seen; everything where this is missing, nothing where it is empty. */
  include?: readonly string[] | undefined;
  /** What may not. */
  exclude?: readonly string[] | undefined;
}

/**
 * The part of a patch that shows in a view: it leads from what the view showed before to what it shows after. With the base nothing
 * hidden is in it, nor in an error; without one it may tell a value that the patch itself puts somewhere and then hides. Hidden places are absent in what a view shows; a place that is only on the way to
 * included ones shows as an object or array of what may be seen in it, and otherwise as `null`. O(size of the patch).
 *
 * @param options.base the state before the patch. Needed where a `move` or `copy` brings a value from where less or more
 *   may be seen, and where a view's numeric name may be an index in the patch.
 * @throws PatchwireError `INVALID_PATCH` with `opIndex` where the base is needed and missing; `VALIDATION_FAILED` or
 *   `INVALID_POINTER` where the view is malformed.
 * @example
 * ```ts
 * import { filterPatch } from "patchwire";
 * const view = { exclude: ["/secrets", "/users/*\/token"] };
 * const patch = filterPatch([
 *   { op: "replace", path: "/secrets/key", value: "k" },
 *   { op: "add", path: "/users/-", value: { name: "Ada", token: "t" } },
 * ], view);
 * console.log(patch); // [ { op: 'add', path: '/users/-', value: { name: 'Ada' } } ]
 * ```
 */
export function filterPatch(patch: readonly JSONPatchOperation[] | string, view: View, options?: { base?: unknown; limits?: Limits | undefined }): JSONPatchOperation[] {
  const viewText = jsonOf(view);
  checkOptions(options, ["base", "limits"]);
  const limits = bounds(options?.limits);
  const base = givenIf(options?.base, options?.limits);
  const [arena, split, length] = passTexts(patchText(patch), viewText);
  return JSON.parse(call(() => core().filter_patch(base, arena, split, length, limits))) as JSONPatchOperation[];
}

/**
 * One patch for many: applied to any state to which these apply one after another, it gives the same, and it never has
 * more operations. Without the state it joins what can be known: writes into a value that an earlier operation wrote,
 * what is overwritten, a `str_ins` that continues another, increments by integers (exact for numbers that are integers
 * within ±2^53 all the way). A `test` is left out where the patches themselves make it true. About O(operations).
 *
 * @param options.base the state before the patches: the result is then their net effect on it, without tests, and within the limit
 *   of operations; without it there may be more, which whoever applies them has to allow.
 * @throws PatchwireError where a patch is malformed, or doesn't apply to the base; `opIndex` counts through all patches.
 * @example
 * ```ts
 * import { compact } from "patchwire";
 * const joined = compact([
 *   [{ op: "add", path: "/draft", value: { text: "" } }],
 *   [{ op: "str_ins", path: "/draft/text", pos: 0, str: "Hel" }],
 *   [{ op: "str_ins", path: "/draft/text", pos: 3, str: "lo" }],
 * ]);
 * console.log(joined); // [ { op: 'add', path: '/draft', value: { text: 'Hello' } } ]
 * ```
 */
export function compact(patches: readonly (readonly JSONPatchOperation[] | string)[], options?: { base?: unknown; limits?: Limits | undefined }): JSONPatchOperation[] {
  if (!Array.isArray(patches) || !patches.every((patch) => typeof patch === "string" || Array.isArray(patch))) {
    throw new PatchwireError("INVALID_PATCH", "what is compacted is a list of patches, each an array of operations or its JSON text: compact([first, second])");
  }
  const text = jsonOf(patches);
  checkOptions(options, ["base", "limits"]);
  const limits = bounds(options?.limits);
  const base = givenIf(options?.base, options?.limits);
  return JSON.parse(call(() => core().compact(base, ...passTexts(text), limits))) as JSONPatchOperation[];
}
