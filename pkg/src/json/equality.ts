import { isContainer, type Container } from "./containers.js";
import { beginsWithHole, DEEPEST, isPlain } from "./json.js";

/** How many items ahead of the present one its like is looked for. */
const AHEAD = 8;
/** After so many items in a row of which there was none, equal ones aren't looked for. */
const MISSES = 4;

/**
 * Whether two values are the same or equal JSON: the order of members doesn't count, nor do members that are undefined.
 * What isn't JSON equals nothing but itself: whoever looks into it then refuses it.
 */
export function isEqual(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return isJsonScalar(a) || isContainer(a);
  if (!isContainer(a) || !isContainer(b) || depth === 0 || !isJsonContainer(a) || !isJsonContainer(b)) return false;
  return Array.isArray(a) ? Array.isArray(b) && areItemsEqual(a, b, depth - 1) : !Array.isArray(b) && areMembersEqual(a as Container, b as Container, depth - 1);
}

/** Whether this is a value of JSON that holds no other. */
export const isJsonScalar = (value: unknown): boolean => value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);

function areItemsEqual(a: unknown[], b: unknown[], depth: number): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!isEqual(a[i], b[i], depth)) return false;
  return true;
}

function areMembersEqual(a: Container, b: Container, depth: number): boolean {
  const [names, others] = [Object.keys(a), Object.keys(b)];
  // Most have the same names in the same order, and then none has to be looked up.
  let isInOrder = names.length === others.length;
  let count = 0;
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    isInOrder &&= name === others[i];
    const item = a[name];
    if (item === undefined) continue;
    if ((!isInOrder && !Object.hasOwn(b, name)) || !isEqual(item, b[name], depth)) return false;
    count++;
  }
  return others.length === count || others.filter((name) => b[name] !== undefined).length === count;
}

/** Whether a container is an array or an object as JSON has them, but for what they hold. An array may be long in name only. */
export function isJsonContainer(value: object): boolean {
  return isPlain(value) && Object.getOwnPropertySymbols(value).length === 0 && !(Array.isArray(value) && beginsWithHole(value));
}

/** Of arrays the runs that each shares with one other. */
export type KnownRuns = Map<unknown[], { other: unknown[]; runs: Uint32Array }>;

/** Runs up to an index of both arrays. */
export interface Start {
  runs: number[];
  at: number;
}

/** Runs of items that are equal in both, ascending in both: three numbers for each, its starts and its length. It goes on from those that are known. */
export function sharedRuns(a: unknown[], b: unknown[], { runs, at }: Start = { runs: [], at: 0 }): Uint32Array {
  const head = runLength(a, b, at, at, 1, Math.min(a.length, b.length) - at);
  if (head > 0) runs.push(at, at, head);
  // What was put in or left out at one place is all that differs then.
  const tail = runLength(a, b, a.length - 1, b.length - 1, -1, Math.min(a.length, b.length) - at - head);
  const [from, to] = [a.length - tail, b.length - tail];
  let missed = 0;
  for (let i = at + head, j = at + head; i < from && j < to; ) {
    const length = runLength(a, b, i, j, 1, Math.min(from - i, to - j));
    if (length > 0) {
      runs.push(i, j, length);
      [i, j] = [i + length, j + length];
      missed = 0;
      continue;
    }
    const leftOut = ahead(a, i, b[j], missed < MISSES);
    const putIn = ahead(b, j, a[i], missed < MISSES);
    missed++;
    if (leftOut > 0 && (putIn < 0 || leftOut <= putIn)) i += leftOut;
    else if (putIn > 0) j += putIn;
    else [i, j] = [i + 1, j + 1];
  }
  if (tail > 0) runs.push(from, to, tail);
  return Uint32Array.from(runs);
}

/** How many items, at most so many, are equal from these on, in one direction or the other. */
function runLength(a: unknown[], b: unknown[], i: number, j: number, step: 1 | -1, most: number): number {
  let length = 0;
  for (; length < most; length++, i += step, j += step) {
    const [one, other] = [a[i], b[j]];
    if ((one !== other || !isContainer(one)) && !isEqual(one, other, DEEPEST)) break;
  }
  return length;
}

/** Whether an item of the other array is a few items ahead. */
export const isAhead = (items: unknown[], at: number, sought: unknown): boolean => ahead(items, at, sought) > 0;

/** How far ahead this container is, or one that is equal if that is asked for; or -1. */
function ahead(items: unknown[], at: number, sought: unknown, orEqual = false): number {
  if (!isContainer(sought)) return -1;
  for (let i = 1; i <= AHEAD && at + i < items.length; i++) if (items[at + i] === sought) return i;
  for (let i = 1; orEqual && i <= AHEAD && at + i < items.length; i++) if (isEqual(items[at + i], sought, DEEPEST)) return i;
  return -1;
}
