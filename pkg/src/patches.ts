import { checkJson } from "./adopt.js";
import { call, core, passTexts } from "./core.js";
import { patchText } from "./document.js";
import type { Dialect, JSONPatchOperation, Limits } from "./types.js";

/**
 * The patch that takes a patch back: applied to what `patch` makes of `before`, it gives `before` again (but for the
 * order of members). It is the net effect, so what the patch did and undid itself isn't in it, nor are its tests.
 * O(size of the state).
 *
 * @param options.dialect which operations the result may have; the patch may have those of either.
 * @throws PatchwireError where the patch doesn't apply to `before`, as {@link applyPatch}.
 * @example
 * ```ts
 * import { applyPatch, invert, type JSONPatchOperation } from "patchwire";
 * const before = { notes: ["a", "b"], count: 1 };
 * const patch: JSONPatchOperation[] = [{ op: "remove", path: "/notes/0" }, { op: "replace", path: "/count", value: 2 }];
 * const back = invert(before, patch);
 * console.log(JSON.stringify(back));
 * // [{"op":"replace","path":"/count","value":1},{"op":"add","path":"/notes/0","value":"a"}]
 * console.log(applyPatch(applyPatch(before, patch), back)); // { notes: [ 'a', 'b' ], count: 1 }
 * ```
 */
export function invert(before: unknown, patch: readonly JSONPatchOperation[] | string, options?: { dialect?: Dialect; limits?: Limits }): JSONPatchOperation[] {
  checkJson(before);
  const [arena, split, length] = passTexts(JSON.stringify(before), patchText(patch));
  const extended = options?.dialect === "extended";
  return JSON.parse(call(() => core().invert(arena, split!, length!, extended, options?.limits))) as JSONPatchOperation[];
}
