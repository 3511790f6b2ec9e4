import { call, core, passTexts } from "../bridge/core.js";
import { patchText } from "../bridge/patch-text.js";
import { bounds } from "../bridge/limits.js";
import { isExtended, refusal } from "../bridge/checks.js";
import type { KnownRuns } from "../json/equality.js";
import { notJson } from "../json/json.js";
import { isShort } from "../json/size.js";
import type { Dialect, DiffOptions, JSONPatchOperation, Limits, RFC6902Operation } from "../types.js";
import type { Pair } from "./differing.js";
import { checkSize, compared, given } from "./given.js";
import { Narrowed } from "./narrowed.js";
import { passVersions } from "./versions.js";

/** Of what is short all is looked at, and reading its text takes less time than asking for its parts: so many bytes, and no deeper. */
const SHORT = 2048;
const SHALLOW = 256;
/** So does reading longer values of which much differs. */
const MUCH = 4 << 20;

/**
 * The patch that makes `after` of `before`: items of arrays that were inserted, removed or moved, edits inside of
 * those that changed. A container whose edits would be longer than itself is replaced; the patch never has more bytes than
 * replacing everything. The order of an object's members doesn't count.
 *
 * An array or object that is `===` in both isn't looked at; names, items and strings around what changed are. Otherwise
 * O(n log n) in the size of both, and of what nests deep O(n · depth) at worst. What lies below 128 levels is told as a whole.
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
export function diff(before: unknown, after: unknown, options?: DiffOptions & { dialect?: "rfc6902" | undefined; limits?: Limits | undefined }): RFC6902Operation[];
export function diff(before: unknown, after: unknown, options?: DiffOptions & { limits?: Limits | undefined }): JSONPatchOperation[];
export function diff(before: unknown, after: unknown, options?: DiffOptions & { limits?: Limits | undefined }): JSONPatchOperation[] {
  if (arguments.length < 2) throw refusal("two values are compared: diff(before, after)");
  if (before === undefined || after === undefined) throw notJson(undefined, []);
  const extended = isExtended(options, ...OTHERS);
  const key = options?.key;
  // Whoever has limits has them held against all that is given; the core refuses what is no name.
  if (options?.limits !== undefined || (key !== undefined && typeof key !== "string")) return compare(before, after, options);
  const narrowed = new Narrowed(before, after, key);
  if (narrowed.root === undefined) return [];
  const told = narrowed.told(extended);
  if (told !== undefined) return told;
  const short = narrowed.isMuch ? MUCH : SHORT;
  const pair = narrowed.asked(after);
  const patch = pair === undefined ? undefined : compareIfFit(pair, options, short, narrowed.runs);
  return patch === undefined || narrowed.replacesPart(patch) ? compare(before, after, options, short, narrowed.runs) : patch;
}

/** The options of a difference beside the dialect. */
const OTHERS = ["key", "limits"];

/** Undefined where something is refused, which is then said of all that was given. */
function compareIfFit({ before, after }: Pair, options: DiffOptions | undefined, short: number, runs: KnownRuns | undefined): JSONPatchOperation[] | undefined {
  try {
    return compare(before, after, options, short, runs);
  } catch {
    return undefined;
  }
}

/** Values of up to `short` bytes are compared by their texts. */
function compare(before: unknown, after: unknown, options?: DiffOptions & { limits?: Limits | undefined }, short = 0, runs?: KnownRuns): JSONPatchOperation[] {
  const [extended, limits] = [isExtended(options, ...OTHERS), bounds(options?.limits)];
  if (isShort(before, short, SHALLOW) && isShort(after, short, SHALLOW)) {
    return diffTexts(JSON.stringify(before), JSON.stringify(after), options);
  }
  checkSize(before, options?.limits);
  checkSize(after, options?.limits);
  const patch = call(() => core().diff(compared([before, after], options?.limits, runs), options?.key, extended, limits));
  return JSON.parse(patch) as JSONPatchOperation[];
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
export function diffTexts(before: string | Uint8Array, after: string | Uint8Array, options?: DiffOptions & { dialect?: "rfc6902" | undefined; limits?: Limits | undefined }): RFC6902Operation[];
export function diffTexts(before: string | Uint8Array, after: string | Uint8Array, options?: DiffOptions & { limits?: Limits | undefined }): JSONPatchOperation[];
export function diffTexts(before: string | Uint8Array, after: string | Uint8Array, options?: DiffOptions & { limits?: Limits | undefined }): JSONPatchOperation[] {
  const [extended, limits] = [isExtended(options, ...OTHERS), bounds(options?.limits)];
  const [arena, split, length] = passVersions(before, after);
  return JSON.parse(call(() => core().diff_texts(arena, split, length, options?.key, extended, limits))) as JSONPatchOperation[];
}

/**
 * The patch that takes a patch back: applied to what `patch` makes of `before`, it gives `before` again (but for the
 * order of members). It is the net effect, so what the patch did and undid itself isn't in it, nor are its tests.
 * O(what is touched · the members, items and strings around it).
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
export function invert(before: unknown, patch: readonly JSONPatchOperation[] | string, options?: { dialect?: "rfc6902" | undefined; limits?: Limits | undefined }): RFC6902Operation[];
export function invert(before: unknown, patch: readonly JSONPatchOperation[] | string, options?: { dialect?: Dialect | undefined; limits?: Limits | undefined }): JSONPatchOperation[];
export function invert(before: unknown, patch: readonly JSONPatchOperation[] | string, options?: { dialect?: Dialect | undefined; limits?: Limits | undefined }): JSONPatchOperation[] {
  const [extended, limits] = [isExtended(options, "limits"), bounds(options?.limits)];
  checkSize(before, options?.limits);
  const text = patchText(patch);
  const back = call(() => core().invert(given([before], options?.limits), ...passTexts(text), extended, limits));
  return JSON.parse(back) as JSONPatchOperation[];
}
