import { applyPatch as applyWithFast } from "fast-json-patch";
import { immutableJSONPatch } from "immutable-json-patch";
import { applyPatch as applyWithRfc } from "rfc6902";
import { expect } from "vitest";
import { applyPatch, type JSONPatchOperation } from "patchwire";

// The libraries that standard patches are applied with. Each has its own way with moves: fast-json-patch and rfc6902 look the target up
// before they remove the value.

/** rfc6902 can't replace the whole document, so this one is a member of another. */
function withRfc(before: unknown, patch: readonly JSONPatchOperation[]): unknown {
  const holder = { root: before };
  const inside = patch.map((operation) => ({ ...operation, path: `/root${operation.path}`, ...("from" in operation ? { from: `/root${operation.from}` } : {}) }));
  const [failure] = applyWithRfc(holder, inside as never).filter((result) => result !== null);
  if (failure !== undefined) throw failure;
  return holder.root;
}

const libraries: Record<string, (before: unknown, patch: readonly JSONPatchOperation[]) => unknown> = {
  patchwire: (before, patch) => applyPatch(before, patch),
  "fast-json-patch": (before, patch) => applyWithFast(before, patch as never, true).newDocument,
  "immutable-json-patch": (before, patch) => immutableJSONPatch(before, patch as never),
  rfc6902: withRfc,
};

/** A copy in which no value has two names: the peers change one in both places. */
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** The patch leads from one state to the other in all libraries. */
export function expectToLead(before: unknown, patch: readonly JSONPatchOperation[], after: unknown): void {
  for (const [library, apply] of Object.entries(libraries))
    expect({ library, state: apply(copy(before), copy(patch)) }).toEqual({ library, state: after });
}
