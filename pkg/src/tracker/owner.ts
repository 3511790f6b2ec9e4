import { DEFAULTS } from "../bridge/limits.js";
import { PatchwireError } from "../errors.js";
import type { Immutable, JSONPatchOperation, Limits } from "../types.js";

// Who keeps a state, for those who work out a change of it and have it carried out.

/** The owner's member that is another value once it was deleted, or a commit taken back: what tools began before that isn't merged. */
export const ERA: unique symbol = Symbol("era");

/** The owner's member that is its limits: what tools do, and what is made of it, is held to these. */
export const LIMITS: unique symbol = Symbol("limits");

/** What can be shared by tools: a {@link StateTracker}, a {@link SyncedState}. */
export interface ParallelOwner<T> {
  getState(): Immutable<T>;
  apply(patch: readonly JSONPatchOperation[]): void;
  /** @internal */
  readonly [ERA]?: unknown;
  /** @internal */
  readonly [LIMITS]?: Limits | undefined;
}

/** Refuses to go on with what tools did to a state that there isn't any more. */
export function checkEra(owner: { readonly [ERA]?: unknown }, era: unknown): void {
  if (owner[ERA] !== era) throw new PatchwireError("CLOSED", "the state that the tools began with was deleted while they ran, or a commit of it taken back");
}

/** What is worked out of a state by ourselves has no limits: its owner holds what comes of it against its own, when it is carried out. */
export const UNLIMITED = { document: Infinity, depth: 2_000, operations: Infinity, string: Infinity, path: Infinity } as const satisfies Limits;

/** Makes the state what was worked out: by the patch, or where its limits don't accept so many operations by all of the state. */
export function carryOut(
  owner: { apply(patch: readonly JSONPatchOperation[]): void; readonly [LIMITS]?: Limits | undefined },
  { patch, state }: { patch: readonly JSONPatchOperation[]; state: unknown },
): void {
  const { operations = DEFAULTS.operations } = owner[LIMITS] ?? {};
  if (patch.length > 0) owner.apply(patch.length <= operations ? patch : whole(state));
}

/** The patch that makes a state another one. What leads to it is found when it is told: what both have stays as it is. */
export const whole = (state: unknown): JSONPatchOperation[] => [{ op: "replace", path: "", value: state }];
