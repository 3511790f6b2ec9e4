import { checkJson } from "./adopt.js";
import { call, core, passTexts } from "./core.js";
import type { DiffOptions, JSONPatchOperation, Limits } from "./types.js";

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
  const [arena, split, length] = passTexts(JSON.stringify(before), JSON.stringify(after));
  const extended = options?.dialect === "extended";
  return JSON.parse(call(() => core().diff(arena, split!, length!, options?.key, extended, options?.limits))) as JSONPatchOperation[];
}
