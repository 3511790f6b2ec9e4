import type { Key } from "./containers.js";

// What a recipe did, as the log takes it.

/** A container of the state took the place of another one, which was there before the recipe. */
export class Exchanged {
  constructor(readonly before: object) {}
}

/**
 * One operation for the log, whose path is that of the container it changes; `op` is what a patch would say, if that is certain. `push` says
 * that items came to the end, `insert` that one came elsewhere, and `take` that one was taken out, which is `gone`.
 */
export type Step =
  | { kind: "set"; key: Key; value: unknown; op: "add" | "replace" | Exchanged | null }
  | { kind: "delete"; key: string; op: "remove" | null; gone?: unknown }
  | { kind: "rewrite"; value: unknown }
  | { kind: "splice"; index: number; remove: number; values: unknown[]; op: "push" | "insert" | "take" | null; gone?: unknown }
  | { kind: "permute"; order: number[] };

type Members = readonly [Key, Told][];

/** What is to be told of a container and, by their keys, of those in it; never nothing. */
export interface Told {
  /** Which container of the recipe it was to be changed; 0 for what came with a new value. */
  readonly turn: number;
  /** Containers in it that were changed before it. */
  readonly first: Members | null;
  readonly steps: readonly Step[] | null;
  readonly below: Members | null;
}

/** Containers are told of in the order in which they were changed, whatever they were read in. */
export function told(turn: number, first: [Key, Told][] | null, steps: Step[] | null, below: [Key, Told][] | null): Told | null {
  [first, steps, below] = [inTurn(first), filled(steps), inTurn(below)];
  return first === null && steps === null && below === null ? null : { turn, first, steps, below };
}

function inTurn(members: [Key, Told][] | null): [Key, Told][] | null {
  members = filled(members);
  if (members !== null) {
    for (let i = 1; i < members.length; i++) {
      if (members[i - 1]![1].turn > members[i]![1].turn) return members.sort(([, a], [, b]) => a.turn - b.turn);
    }
  }
  return members;
}

const filled = <T>(list: T[] | null): T[] | null => (list === null || list.length === 0 ? null : list);
