import { holdsForAll, isContainer, itemsOf, type Container } from "../json/containers.js";
import { DEEPEST } from "../json/json.js";
import { isEqual, isJsonContainer, isJsonScalar } from "../json/equality.js";
import { AROUND, isNumber, textLength } from "../json/size.js";

/** Bytes of the shortest `add` without its value, of the shortest `str_ins` without its text, and of the shortest `remove`, each with a comma. */
const ARRIVAL = AROUND.add + '"/0"'.length;
const GROWTH = '{"op":"str_ins","path":"/0","pos":0,"str":""},'.length;
const REMOVAL = AROUND.remove + '"/0"'.length;

/** An item that is longer may have moved elsewhere, and is told in fewer bytes then. */
const SHORT = 48;
/** So many items of a list are looked for in the other one first. */
const SAMPLES = 8;
/** Where so many bytes of items more are in both than is told of the others, the rest isn't looked at. */
const MUCH = 1 << 12;

/** The scalars of the old list; it may have others, too. */
type Scalars = Pick<ReadonlySet<unknown>, "has">;
/** What has any scalar: where a list is so short that the removals alone are longer, nobody asks which there were. */
const EVERYTHING: Scalars = { has: () => true };

/** A number, and its bits. */
const number = new Float64Array(1);
const halves = new Int32Array(number.buffer);
/** A bit for each of so many hashes: a set would have to hash objects of V8's. */
const HASHES = 1 << 17;
const bits = new Int32Array(HASHES / 32);

/** Scalars, of which numbers are known by their hashes (a Bloom filter of one function). There is one at a time. */
class Hashed implements Scalars {
  private readonly others = new Set<unknown>();

  constructor() {
    bits.fill(0);
  }

  add(value: unknown): void {
    if (typeof value !== "number") return void this.others.add(value);
    const hash = hashOf(value);
    bits[hash >>> 5]! |= 1 << hash;
  }

  has(value: unknown): boolean {
    if (typeof value !== "number") return this.others.has(value);
    const hash = hashOf(value);
    return (bits[hash >>> 5]! & (1 << hash)) !== 0;
  }
}

function hashOf(value: number): number {
  // 0 for -0.
  number[0] = value + 0;
  return Math.imul(halves[0]! ^ Math.imul(halves[1]!, 0x9e3779b1), 0x85ebca6b) >>> 15;
}

/**
 * Whether so little of a list is in the one that was there before that any patch that tells it part by part is longer than one that tells
 * it as a whole. What both have may cost nothing to tell: a scalar that is anywhere in the old list, an empty container, a literal. Every
 * other scalar needs an operation of its own, or is in a container that is told by one. O(their size).
 */
export function areUnlike({ before, after }: { before: unknown; after: unknown }, isExtended: boolean): boolean {
  if (!Array.isArray(before) || !Array.isArray(after)) return false;
  const removals = Math.max(0, before.length - after.length) * REMOVAL;
  if (removals > 0 && areLonger(after, EVERYTHING, removals, isExtended)) return true;
  const there = new Hashed();
  return collect(before, there, DEEPEST) && areLonger(after, there, removals, isExtended);
}

/** Whether what is told of a list's items, and so many bytes beside it, is longer than the list told as a whole. */
function areLonger(items: readonly unknown[], there: Scalars, beside: number, isExtended: boolean): boolean {
  let beyond = beside - 1;
  const isOpen = holdsForAll(items, (item) => {
    beyond += beyondOf(item, there, isExtended, DEEPEST) - 1;
    // NaN is what isn't JSON.
    return beyond >= -MUCH;
  });
  return isOpen && beyond > AROUND.replace;
}

/** Whether some items of one list are in the other, at any place or, if they are only equal, at the same: few of them are looked for. */
export function haveCommon({ before, after }: { before: unknown; after: unknown }): boolean {
  if (!Array.isArray(before) || !Array.isArray(after)) return false;
  const step = Math.max(1, Math.floor(after.length / SAMPLES));
  for (let i = 0; i < after.length; i += step) {
    const item = after[i];
    if (isContainer(item) && (isEqual(before[i], item, DEEPEST) || before.includes(item))) return true;
  }
  return false;
}

/** Gathers the scalars of a value. False where it isn't JSON, or nests too deeply. */
function collect(value: unknown, there: Hashed, deep: number): boolean {
  if (!isContainer(value)) {
    there.add(value);
    return isJsonScalar(value);
  }
  if (deep === 0 || !isJsonContainer(value)) return false;
  return holdsForAll(Array.isArray(value) ? itemsOf(value) : Object.values(value), (item) => collect(item, there, deep - 1));
}

/** How many bytes what is told of a value has at least beyond the value's text; NaN where that isn't JSON, or nests too deeply. */
function beyondOf(value: unknown, there: Scalars, isExtended: boolean, deep: number): number {
  if (typeof value === "number") return !isNumber(value) ? NaN : there.has(value) ? -String(value).length : ARRIVAL;
  if (typeof value === "string") return there.has(value) ? -textLength(value) : isExtended ? Math.min(ARRIVAL, GROWTH - textLength(value)) : ARRIVAL;
  if (!isContainer(value)) return value === null || typeof value === "boolean" ? -5 : NaN;
  if (deep === 0 || !isJsonContainer(value)) return NaN;
  let beyond = -1;
  if (Array.isArray(value)) {
    const items = itemsOf(value);
    for (let i = 0; i < items.length; i++) beyond += beyondOf(items[i], there, isExtended, deep - 1) - 1;
    return Math.min(ARRIVAL, beyond);
  }
  for (const name of Object.keys(value)) {
    const item = (value as Container)[name];
    if (item === undefined) continue;
    const inside = beyondOf(item, there, isExtended, deep - 1);
    // The pointer has the name of a scalar that is told.
    beyond += inside - (inside === ARRIVAL && !isContainer(item) ? 3 : textLength(name) + 2);
  }
  return Math.min(ARRIVAL, beyond);
}

/** Whether none of the items of a list is worth moving. */
export function areShort(list: object): boolean {
  return itemsOf(list).every((item) => !isContainer(item) && (typeof item !== "string" || textLength(item) < SHORT));
}
