import type { Key } from "../json/containers.js";
import { Items, Composite, Ref } from "./payload.js";
import { Place } from "./place.js";

// What a recipe did, as the log takes it.

/** A container of the state took the place of another one, which was there before the recipe. */
export class Exchanged {
  constructor(readonly before: object) {}
}

/** What was done to an array: items came to its end, or elsewhere in it, or were taken out beside each other, or one came that was elsewhere. */
export type SpliceOp = "push" | "insert" | "take" | "arrive";

/** One operation for the log, whose path is that of the container it changes; `op` is what a patch would say, if that is certain. */
export type Step =
  | { kind: "set"; key: Key; value: unknown; op: "add" | "replace" | Exchanged | null }
  | { kind: "delete"; key: string; op: "remove" | null; gone?: unknown }
  | { kind: "rewrite"; value: unknown; op: "replace" | Exchanged | null }
  | { kind: "splice"; index: number; remove: number; values: unknown[]; op: SpliceOp | null; gone: readonly unknown[] }
  | { kind: "permute"; order: number[] };

type Inside = readonly [Key, Told][];

/** What is to be told of a container and, by their keys, of those in it; never nothing. */
export interface Told {
  /** See {@link Place.turn}; 0 for what came with a new value. */
  readonly turn: number;
  /** Containers in it that were changed before it. */
  readonly first: Inside | null;
  readonly steps: readonly Step[] | null;
  readonly below: Inside | null;
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

/** So many items beside each other are told one by one. */
const SEVERAL = 64;

const NONE: readonly unknown[] = [];

/** Items that gave way to others, whose payloads these are. */
export function spliceStep(index: number, out: readonly unknown[], values: unknown[], isAtEnd: boolean): Step {
  const op = spliceOf(out.length, values, isAtEnd);
  const gone = op === "take" ? out.map((slot) => (slot instanceof Place ? slot.base : slot)) : NONE;
  return { kind: "splice", index, remove: out.length, values, op, gone };
}

function spliceOf(remove: number, values: unknown[], isAtEnd: boolean): SpliceOp | null {
  if (values.length === 0) return remove <= SEVERAL ? "take" : null;
  if (remove > 0) return null;
  if (values.length === 1 && values[0] instanceof Ref) return "arrive";
  return !values.every(isPlainValue) ? null : isAtEnd ? "push" : "insert";
}

/** Whether it refers to nothing, and prints as what it is. */
export function isPlainValue(value: unknown): boolean {
  return !Object.is(value, -0) && !(value instanceof Ref || value instanceof Items || value instanceof Composite);
}
