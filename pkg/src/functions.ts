import { checkJson } from "./adopt.js";
import { call, core, passTexts, plain } from "./core.js";
import { patchText } from "./document.js";
import type { Dialect, Immutable, JSONPatchOperation, Limits, StepWrites, StepWritesInput } from "./types.js";
import { freeze } from "./containers.js";

/**
 * The state after a patch in either dialect, all of it or nothing. O(size of the state): to apply many patches
 * to one state, use a {@link StateTracker} or a {@link StateDocument}.
 *
 * @throws PatchwireError with `code`, `opIndex` and `path`; `NOT_JSON` where the state or the patch isn't JSON.
 * @example
 * ```ts
 * import { applyPatch } from "patchwire";
 * console.log(applyPatch({ count: 1 }, [{ op: "replace", path: "/count", value: 2 }])); // { count: 2 }
 * ```
 */
export function applyPatch<T>(state: T, patch: readonly JSONPatchOperation[] | string, options?: { limits?: Limits }): Immutable<T> {
  checkJson(state);
  const limits = plain(options?.limits);
  const [arena, split, length] = passTexts(JSON.stringify(state), patchText(patch));
  return freeze(JSON.parse(call(() => core().apply_patch(arena, split!, length!, limits)))) as Immutable<T>;
}

/**
 * Applies step writes in order to a state that others may have changed meanwhile: what no longer fits is left
 * out and told in a warning; what is missing is created. O(size of the state).
 *
 * @throws PatchwireError `INVALID_PATCH` where the writes are malformed, `LIMIT_EXCEEDED`.
 * @example
 * ```ts
 * import { applyStepWrites } from "patchwire";
 * const { state } = applyStepWrites({ notes: ["a"] }, { ops: [{ kind: "append", key: "notes", items: ["b"] }] });
 * console.log(state); // { notes: [ 'a', 'b' ] }
 * ```
 */
export function applyStepWrites<T>(state: T, writes: StepWrites | StepWritesInput): { state: Immutable<T>; warnings: string[] } {
  checkJson(state);
  checkJson(writes);
  const [arena, split, length] = passTexts(JSON.stringify(state), JSON.stringify(writes));
  const result = JSON.parse(call(() => core().apply_step_writes(arena, split!, length!))) as { state: T; warnings: string[] };
  return { state: freeze(result.state) as Immutable<T>, warnings: result.warnings };
}

/**
 * The patch with the same effect as step writes. O(size of the writes).
 *
 * @param options.base the state before the writes; needed where they hold `append_text` or `increment`.
 * @throws PatchwireError `INVALID_PATCH` where the base is needed and missing.
 * @example
 * ```ts
 * import { StateTracker, stepWritesToRFC6902 } from "patchwire";
 * const tracker = new StateTracker({ notes: ["a"] }, { arrayDeltaMode: true });
 * tracker.update((draft) => draft.notes.push("b"));
 * console.log(stepWritesToRFC6902(tracker.getStepWrites())); // [ { op: 'add', path: '/notes/-', value: 'b' } ]
 * ```
 */
export function stepWritesToRFC6902(writes: StepWrites | StepWritesInput, options?: { base?: unknown; dialect?: Dialect }): JSONPatchOperation[] {
  checkJson(writes);
  const texts = [JSON.stringify(writes)];
  if (options?.base !== undefined) {
    checkJson(options.base);
    texts.push(JSON.stringify(options.base));
  }
  const [arena, split, length] = passTexts(...texts);
  return JSON.parse(call(() => core().step_writes_to_patch(arena, split!, length ?? split!, options?.dialect === "extended"))) as JSONPatchOperation[];
}
