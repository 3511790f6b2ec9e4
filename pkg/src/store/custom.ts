import type { CustomState } from "./opened.js";
import { PatchwireError } from "../errors.js";
import { migrated } from "../sync/migration.js";
import { isEqual } from "../json/equality.js";
import { checkJson, DEEPEST, pointerOf } from "../json/json.js";
import { memberOf, segmentsOf } from "../json/pointer.js";
import { carryOut, LIMITS, UNLIMITED, whole } from "../tracker/owner.js";
import { mergeTools, type MergedTools } from "../tracker/parallel.js";
import type { StepWrites, StepWritesInput } from "../types.js";
import { mergeWrites, type MergeStrategies } from "../values/merge.js";
import type { StateDocument } from "../bridge/document.js";
import type { Staged } from "./staging.js";
import type { Promotion } from "./types.js";

/** Makes a custom state another one: one commit of what differs. */
export function replaceCustom(custom: CustomState, next: unknown): void {
  checkJson(next, ["customState"]);
  custom.apply(whole(next));
}

/** Merges step writes into a custom state. */
export function mergeCustom(custom: CustomState, writes: StepWrites | StepWritesInput): Omit<Promotion, "refused"> {
  const merged = mergeWrites(custom.getState(), [writes], { dialect: "extended", limits: UNLIMITED });
  carryOut(custom, merged);
  return { conflicts: merged.conflicts, warnings: merged.warnings };
}

/** What has been staged, merged in the order of the calls: what is to be done to the custom state, and who was refused. */
export function mergeStaged(custom: CustomState, staged: readonly Staged[], strategies: MergeStrategies | undefined, base?: { state: unknown; revision: number }): MergedTools {
  const present = custom.getState();
  // What all of them began from is known where they ran just now.
  const isBase = base !== undefined && staged.every(({ revision }) => revision === base.revision);
  if (!isBase) requireFitting(custom, staged);
  return mergeTools(isBase ? base.state : present, present, staged.map(({ changes }) => changes.writes), strategies, custom[LIMITS]);
}

/** What whoever promotes is told. */
export function promotionOf({ conflicts, warnings, refused }: MergedTools, staged: readonly Staged[]): Promotion {
  const calls = [...refused].map(([at, { path }]) => {
    const { toolCallId } = staged[at]!.changes;
    return { ...(toolCallId !== undefined && { toolCallId }), path: path! };
  });
  return { conflicts, warnings, refused: calls };
}

/**
 * Refuses writes to items of lists by their index, where the list isn't any more what it was when the call began, or where
 * that isn't known: another item may have the index by now.
 */
function requireFitting(custom: CustomState, staged: readonly Staged[]): void {
  for (const { changes, revision } of staged) {
    if (revision === custom.revision) continue;
    for (const op of changes.writes.ops) {
      const list = listOf(op, custom.getState());
      if (list === undefined || wasAlready(custom, revision, list)) continue;
      throw new PatchwireError("STALE_STATE", "a list that a call wrote to by index has changed since the call began: run it again", { path: op.path! });
    }
  }
}

/** The list whose item, counted from its beginning, is written to, and where it is. */
function listOf({ kind, path = "" }: { kind: string; path?: string }, state: unknown): { pointer: string; list: unknown } | undefined {
  const names = segmentsOf(path);
  let value = state;
  for (const [depth, name] of names.entries()) {
    if (Array.isArray(value)) return { pointer: pointerOf(names.slice(0, depth)), list: value };
    value = memberOf(value, name);
  }
  return kind === "splice" || kind === "move" ? { pointer: path, list: value } : undefined;
}

/** Whether a list was at a revision what it is now; no, where the revision isn't kept any more. */
function wasAlready(custom: CustomState, revision: number, { pointer, list }: { pointer: string; list: unknown }): boolean {
  try {
    return withPast(custom, revision, (past) => isSame(past.get(pointer), list));
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/**
 * Refuses a custom state that is saved with staged writes, unless it is the one before them, or the one that they lead to:
 * of any other it can't be told whether it has them.
 */
export function requireBase(custom: CustomState, given: unknown, merged: MergedTools): void {
  checkJson(given, ["customState"]);
  if (isSame(custom.getState(), given) || isSame(merged.state, given)) return;
  throw new PatchwireError("CONFLICT", "the custom state that is saved is neither the committed one nor the one with the staged writes: stage what else has changed");
}

const isSame = (before: unknown, after: unknown): boolean => before === after || isEqual(before, after, DEEPEST);

/** A custom state as a checkpoint keeps it: a revision that is pinned, and the version of the application that it has the shape of. */
export interface KeptCustom {
  revision: number;
  version: number;
}

export function keepCustom(custom: CustomState): KeptCustom {
  return { revision: custom.pin(), version: custom.migration.version ?? 0 };
}

/** In the shape of the present version. */
export function keptCustom(custom: CustomState, { revision, version }: KeptCustom): unknown {
  const state = whilePinned(custom, revision, () => withPast(custom, revision, (past) => past.toJSON()));
  return migrated(state, version, custom.migration);
}

/** Makes a custom state what was kept of it: one commit of what differs. */
export function restoreCustom(custom: CustomState, kept: KeptCustom): void {
  if ((custom.migration.version ?? 0) === kept.version) whilePinned(custom, kept.revision, () => custom.restore(kept.revision));
  else replaceCustom(custom, keptCustom(custom, kept));
}

/** Reads a revision that was pinned. Without the pin it isn't kept for ever. */
function whilePinned<R>(custom: CustomState, revision: number, run: () => R): R {
  try {
    return run();
  } catch (error) {
    if (!isGone(error) || custom.pins.includes(revision)) throw error;
    throw new PatchwireError("STREAM_TRUNCATED", `the storage lacks a row: row […, ${revision}] of pins`);
  }
}

const isGone = (error: unknown): boolean => error instanceof PatchwireError && error.code === "NOT_FOUND";

function withPast<R>(custom: CustomState, revision: number, run: (past: StateDocument) => R): R {
  const past = custom.at(revision);
  try {
    return run(past);
  } finally {
    past.free();
  }
}
