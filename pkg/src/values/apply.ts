import { call, core, passTexts } from "../bridge/core.js";
import { patchText } from "../bridge/patch-text.js";
import { derive, type PlainEdit } from "../state/edits.js";
import { jsonOf } from "../json/json.js";
import { patchPlainly } from "../state/plain-patch.js";
import { bounds } from "../bridge/limits.js";
import { checkOptions, isExtended } from "../bridge/checks.js";
import { checkSize, given, givenIf } from "./given.js";
import type { Dialect, Immutable, JSONPatchOperation, Limits, RFC6902Operation, StepWrites, StepWritesInput } from "../types.js";

/** What comes in with a patch is held against the limits where it is larger, or deeper. */
const LARGE = 1 << 18;
const SHALLOW = 256;

/**
 * The state after a patch in either dialect, all of it or nothing. The state isn't copied, isn't frozen and isn't looked
 * at where the patch doesn't lead: the result has what is new, frozen, and shares the rest with it, `===`. What isn't
 * JSON is refused where it is looked at. O(what is touched · the members, items and strings around it).
 *
 * @param options.limits bounds on what is accepted. A `document` limit of yours is held against all of the state before
 *   and after, which costs O(size of the state).
 * @throws PatchwireError `INVALID_PATCH`, `INVALID_POINTER`, `PATH_NOT_FOUND`, `INDEX_OUT_OF_RANGE`, `TEST_FAILED`,
 *   with `opIndex` and `path`; `INVALID_JSON` with `offset` where the patch is text; `NOT_JSON` where the state or the
 *   patch isn't JSON; `LIMIT_EXCEEDED`.
 * @example
 * ```ts
 * import { applyPatch } from "patchwire";
 * const state = { count: 1, answer: "Hel" };
 * console.log(applyPatch(state, [{ op: "replace", path: "/count", value: 2 }])); // { count: 2, answer: 'Hel' }
 * console.log(applyPatch(state, '[{"op":"str_ins","path":"/answer","pos":3,"str":"lo"}]')); // { count: 1, answer: 'Hello' }
 * ```
 */
export function applyPatch<T>(state: T, patch: readonly JSONPatchOperation[] | string, options?: { limits?: Limits | undefined }): Immutable<T> {
  checkOptions(options, ["limits"]);
  const patched = options?.limits === undefined ? patchPlainly(state, patch) : undefined;
  if (patched !== undefined && patched.bytes <= LARGE && patched.depth <= SHALLOW) return patched.value as Immutable<T>;
  const limits = bounds(options?.limits);
  checkSize(state, options?.limits);
  const text = patchText(patch);
  const edits = call(() => core().apply_patch(given([state], options?.limits), ...passTexts(text), limits));
  const after = derive(state, JSON.parse(edits) as PlainEdit[]);
  checkSize(after, options?.limits);
  return after as Immutable<T>;
}

/**
 * Applies step writes in order to a state that others may have changed meanwhile: what no longer fits is left
 * out and told in a warning; what is missing is created. The result shares with the state what no write touched, as that
 * of {@link applyPatch} does. O(what is touched · the members, items and strings around it).
 *
 * @throws PatchwireError `INVALID_PATCH` where the writes are malformed, `NOT_JSON`, `LIMIT_EXCEEDED`.
 * @example
 * ```ts
 * import { applyStepWrites } from "patchwire";
 * const { state, warnings } = applyStepWrites({ notes: ["a"] }, {
 *   ops: [{ kind: "append", key: "notes", items: ["b"] }, { kind: "append_text", path: "/notes", text: "c" }],
 * });
 * console.log(state, warnings); // { notes: [ 'a', 'b' ] } [ "'/notes' is no string; the write was left out" ]
 * ```
 */
export function applyStepWrites<T>(state: T, writes: StepWrites | StepWritesInput): { state: Immutable<T>; warnings: string[] } {
  const text = jsonOf(writes);
  const answer = call(() => core().apply_step_writes(given([state]), ...passTexts(text)));
  const { edits, warnings } = JSON.parse(answer) as { edits: PlainEdit[]; warnings: string[] };
  return { state: derive(state, edits) as Immutable<T>, warnings };
}

/**
 * The patch with the same effect as step writes. O(size of the writes).
 *
 * @param options.base the state before the writes; needed where they hold `append_text` or `increment`.
 * @param options.dialect `'extended'` for a peer that understands `str_ins` and `inc`: increments then need no base.
 * @throws PatchwireError `INVALID_PATCH` where the writes are malformed, or the base is needed and missing; `NOT_JSON`,
 *   `LIMIT_EXCEEDED`.
 * @example
 * ```ts
 * import { StateTracker, stepWritesToRFC6902 } from "patchwire";
 * const tracker = new StateTracker({ notes: ["a"] }, { arrayDeltaMode: true });
 * tracker.update((draft) => draft.notes.push("b"));
 * console.log(stepWritesToRFC6902(tracker.getStepWrites())); // [ { op: 'add', path: '/notes/-', value: 'b' } ]
 * const spent = { ops: [{ kind: "increment", path: "/tokens", by: 5 }] } as const;
 * console.log(stepWritesToRFC6902(spent, { base: { tokens: 10 } })); // [ { op: 'replace', path: '/tokens', value: 15 } ]
 * console.log(stepWritesToRFC6902(spent, { dialect: "extended" })); // [ { op: 'inc', path: '/tokens', inc: 5 } ]
 * ```
 */
export function stepWritesToRFC6902(writes: StepWrites | StepWritesInput, options?: { base?: unknown; dialect?: "rfc6902" | undefined }): RFC6902Operation[];
export function stepWritesToRFC6902(writes: StepWrites | StepWritesInput, options?: { base?: unknown; dialect?: Dialect | undefined }): JSONPatchOperation[];
export function stepWritesToRFC6902(writes: StepWrites | StepWritesInput, options?: { base?: unknown; dialect?: Dialect | undefined }): JSONPatchOperation[] {
  const text = jsonOf(writes);
  const extended = isExtended(options, "base");
  const { base } = options ?? {};
  return JSON.parse(call(() => core().step_writes_to_patch(givenIf(base), ...passTexts(text), extended))) as JSONPatchOperation[];
}
