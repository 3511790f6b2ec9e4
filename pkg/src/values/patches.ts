import { call, core, passTexts } from "../bridge/core.js";
import { patchText } from "./document.js";
import { checkJson } from "../state/json.js";
import { bounds } from "../bridge/limits.js";
import type { Dialect, DiffOptions, JSONPatchOperation, Limits } from "../types.js";
import { passVersions } from "./versions.js";

/**
 * The patch that makes `after` of `before`: items of arrays that were inserted, removed or moved, edits inside of
 * those that changed. A container whose edits would be longer than itself is replaced; the patch is never longer than
 * replacing everything. The order of an object's members doesn't count.
 *
 * O(n log n) in the size of both; where you have both as documents, {@link StateDocument.diff} skips what they share.
 *
 * @throws PatchwireError `NOT_JSON` with the pointer, `LIMIT_EXCEEDED`.
 * @example
 * ```ts
 * import { diff } from "patchwire";
 * const before = { todo: [{ id: 1, text: "buy oat milk" }, { id: 2, text: "write tests" }], done: 0 };
 * const after = { todo: [{ id: 2, text: "write tests" }, { id: 1, text: "buy oat milk" }], done: 1 };
 * for (const operation of diff(before, after)) console.log(operation);
 * // { op: 'move', from: '/todo/1', path: '/todo/0' }
 * // { op: 'replace', path: '/done', value: 1 }
 * ```
 */
export function diff(before: unknown, after: unknown, options?: DiffOptions & { limits?: Limits }): JSONPatchOperation[] {
  checkJson(before);
  checkJson(after);
  return diffTexts(JSON.stringify(before), JSON.stringify(after), options);
}

/**
 * The patch between two values that are given as JSON text, or as its UTF-8 bytes. The second text is read beside the
 * first: what both have isn't read again. O(n log n) at worst, and hardly more than reading the first text where
 * little has changed and the texts are as `JSON.stringify` prints them.
 *
 * @throws PatchwireError `INVALID_JSON` with the `offset` in bytes of the text that isn't JSON; `LIMIT_EXCEEDED`.
 * @example
 * ```ts
 * import { diffTexts } from "patchwire";
 * const patch = diffTexts('{"todo":["buy milk","write tests"],"done":0}', '{"todo":["buy milk","write tests"],"done":1}');
 * console.log(patch); // [ { op: 'replace', path: '/done', value: 1 } ]
 * ```
 */
export function diffTexts(before: string | Uint8Array, after: string | Uint8Array, options?: DiffOptions & { limits?: Limits }): JSONPatchOperation[] {
  const [extended, limits] = [options?.dialect === "extended", bounds(options?.limits)];
  const [arena, split, length] = passVersions(before, after);
  return JSON.parse(call(() => core().diff(arena, split, length, options?.key, extended, limits))) as JSONPatchOperation[];
}

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
  const [extended, limits] = [options?.dialect === "extended", bounds(options?.limits)];
  const [arena, split, length] = passTexts(JSON.stringify(before), patchText(patch));
  return JSON.parse(call(() => core().invert(arena, split!, length!, extended, limits))) as JSONPatchOperation[];
}

/**
 * Which places of a state a viewer may see. A JSON Pointer covers its subtree; `*` is any one segment, and the only way
 * into an array: a number names a member of an object, never an item. What is excluded is hidden, whatever includes it.
 */
export interface View {
  /** What may be seen; everything where this is missing, nothing where it is empty. */
  include?: readonly string[];
  /** What may not. */
  exclude?: readonly string[];
}

/**
 * The part of a patch that shows in a view: it leads from what the view showed before to what it shows after. Nothing
 * hidden is in it, nor in an error. Hidden places are absent in what a view shows; a place that is only on the way to
 * included ones shows as an object or array of what may be seen in it, and otherwise as `null`. O(size of the patch).
 *
 * @param options.base the state before the patch. Needed where a `move` or `copy` brings a value from where less or more
 *   may be seen, and where a view's numeric name may be an index in the patch. It costs O(size of the state).
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
export function filterPatch(patch: readonly JSONPatchOperation[] | string, view: View, options?: { base?: unknown; limits?: Limits }): JSONPatchOperation[] {
  checkJson(view);
  const texts = [patchText(patch), JSON.stringify(view)];
  if (options?.base !== undefined) {
    checkJson(options.base);
    texts.push(JSON.stringify(options.base));
  }
  const limits = bounds(options?.limits);
  const [arena, split, end, length] = passTexts(...texts);
  return JSON.parse(call(() => core().filter_patch(arena, split!, end!, length ?? end!, limits))) as JSONPatchOperation[];
}

/**
 * One patch for many: applied to any state to which these apply one after another, it gives the same, and it never has
 * more operations. Without the state it joins what can be known: writes into a value that an earlier operation wrote,
 * what is overwritten, a `str_ins` that continues another, increments by integers (exact for numbers that are integers
 * within ±2^53 all the way). A `test` is left out where the patches themselves make it true. About O(operations).
 *
 * @param options.base the state before the patches: the result is then their net effect on it, without tests, at a cost of
 *   O(size of the state).
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
export function compact(patches: readonly (readonly JSONPatchOperation[] | string)[], options?: { base?: unknown; limits?: Limits }): JSONPatchOperation[] {
  checkJson(patches);
  const texts = [JSON.stringify(patches)];
  if (options?.base !== undefined) {
    checkJson(options.base);
    texts.push(JSON.stringify(options.base));
  }
  const limits = bounds(options?.limits);
  const [arena, split, length] = passTexts(...texts);
  return JSON.parse(call(() => core().compact(arena, split!, length ?? split!, limits))) as JSONPatchOperation[];
}
