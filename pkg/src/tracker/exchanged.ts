import { isContainer, isObject, itemsOf, ownOf, type Container } from "../json/containers.js";
import { isEqual } from "../json/equality.js";
import { DEEPEST, pointerOf } from "../json/json.js";
import { isName, NAMES } from "../state/same.js";
import { AROUND, leastLength, lengthTo, textLength } from "../json/size.js";

/** What the way to an object is taken to add to each operation (`told_briefly` in src/diff/mod.rs). */
const WAY = 24;

/** The pointer to an item is as long, at least. */
const ITEM = '"/0"'.length;

/** So much is any operation taken to be at least. */
const LEAST = WAY + AROUND.remove + '"/"'.length;

type Operation = { op: "remove"; path: string } | { op: "add" | "replace"; path: string; value: unknown };

/** The object that is there now is told as a whole. */
export const WHOLE = "whole";
const NOTHING: readonly Operation[] = [];

/** Shorter strings the extended dialect tells as they are, in bytes of UTF-8 (`is_long_text` in src/patch/derive.rs). */
const LONG = 32;

/** Objects that nest deeper are the core's to look through. */
const DEEP = 32;

/**
 * What a patch tells of a container that took another one's place, with pointers that begin at it; null where the core has to be
 * asked: where arrays have other items, or one differs from an object, and where members may have been renamed. O(the container).
 */
export function differing(before: object, after: object, isExtended: boolean): Operation[] | typeof WHOLE | null {
  const areLists = Array.isArray(before) && Array.isArray(after);
  if (areLists ? !areNamedAlike(before, after) : Array.isArray(before) || Array.isArray(after)) return null;
  const comparison = new ObjectComparison(isExtended);
  const told = areLists ? comparison.items(before, after) : comparison.between(before as Container, after as Container, DEEP);
  if (told === null || told === WHOLE || told.length === 1) return told;
  return told.length === 0 || (comparison.comes && comparison.goes) ? null : told;
}

/**
 * What is told of a list of scalars of which some are gone at one end or both, and to which some came, as where the last hundred are kept:
 * null where that isn't all, or some are equal, so that it isn't certain which is which, or more than `most` operations would tell it.
 * O(their number).
 */
export function slid(before: readonly unknown[], after: readonly unknown[], most: number): Operation[] | typeof WHOLE | null {
  // At the beginning some are gone, or some came, and at the end as well.
  let [start, first] = [before.indexOf(after[0]), 0];
  if (start < 0) [start, first] = [0, after.indexOf(before[0])];
  if (first < 0 || after.length === 0) return null;
  let length = 1;
  while (start + length < before.length && before[start + length] === after[first + length]) length++;
  const [end, last] = [start + length, first + length];
  if ((end < before.length && last < after.length) || before.length + after.length - 2 * length > most) return null;
  if (!areDistinct([...before, ...after.slice(0, first), ...after.slice(last)])) return null;
  const least = (before.length - length) * (AROUND.remove + ITEM) + (after.length - length) * (AROUND.add + ITEM) - AROUND.replace;
  if (lengthTo(after, least, 1) < least) return WHOLE;
  return [
    ...before.slice(0, start).map(() => ({ op: "remove" as const, path: "/0" })),
    ...after.slice(0, first).map((value, i) => ({ op: "add" as const, path: `/${i}`, value })),
    ...before.slice(end).map(() => ({ op: "remove" as const, path: `/${last}` })),
    ...after.slice(last).map((value) => ({ op: "add" as const, path: "/-", value })),
  ];
}

/** What is told of a list of scalars of which one gave way to another one; null where that isn't all, or some are equal. O(their number). */
export function oneOf(before: readonly unknown[], after: readonly unknown[], isExtended: boolean): Operation[] | null {
  if (before.length !== after.length) return null;
  const at = before.findIndex((item, i) => item !== after[i]);
  if (at < 0 || (isExtended && isLong(after[at]))) return null;
  for (let i = at + 1; i < after.length; i++) if (before[i] !== after[i]) return null;
  return !areDistinct([...before, after[at]]) ? null : [{ op: "replace", path: `/${at}`, value: after[at] }];
}

/** Whether these are scalars, and no two are equal. */
const areDistinct = (values: unknown[]): boolean => new Set(values).size === values.length && !values.some(isContainer);

/** Compares two objects member by member, and those in them. */
class ObjectComparison {
  /** Whether there is something that wasn't, and was something that isn't: one may be the other, moved. */
  comes = false;
  goes = false;

  constructor(private readonly isExtended: boolean) {}

  /** What is told of an object; nothing where the two are equal. */
  between(was: Container, is: Container, deep: number): Operation[] | typeof WHOLE | null {
    const operations: Operation[] = [];
    let [count, isKnown] = [0, true];
    for (const name of Object.keys(was)) {
      const value = ownOf(is, name);
      if (was[name] === value) continue;
      const inside = this.member(was[name], value, pointerOf([name]), deep);
      if (inside?.length === 0) continue;
      if (inside === null) isKnown = false;
      else for (const operation of inside) operations.push(operation);
      // Whatever is told of two members, a short object is shorter.
      if (++count === 2 && textLength(is) < 2 * 2 * LEAST) return WHOLE;
    }
    if (!isKnown) return null;
    for (const name of Object.keys(is)) {
      if (Object.hasOwn(was, name)) continue;
      this.comes = true;
      count++;
      operations.push({ op: "add", path: pointerOf([name]), value: is[name] });
    }
    // One member is told always.
    return count <= 1 ? operations : isAsLong(is, operations);
  }

  /** What is told of lists that have the same items in the same order. */
  items(was: readonly unknown[], is: readonly unknown[]): Operation[] | null {
    const operations: Operation[] = [];
    for (let i = 0; i < is.length; i++) {
      if (was[i] === is[i]) continue;
      const inside = this.member(was[i], is[i], `/${i}`, DEEP);
      if (inside === null) return null;
      for (const operation of inside) operations.push(operation);
    }
    return operations;
  }

  /** What is told of a member that is another value, or none. */
  private member(old: unknown, value: unknown, path: string, deep: number): readonly Operation[] | null {
    if (value === undefined) {
      this.goes = true;
      return [{ op: "remove", path }];
    }
    if (!isContainer(old) && !isContainer(value)) return this.isExtended && isLong(value) ? null : [{ op: "replace", path, value }];
    if (!isContainer(old) || !isContainer(value)) return null;
    if (deep === 0 || Array.isArray(old) || Array.isArray(value)) return isEqual(old, value, DEEPEST) ? NOTHING : null;
    const inside = this.between(old as Container, value as Container, deep - 1);
    if (inside === WHOLE) {
      this.comes = this.goes = true;
      return [{ op: "replace", path, value }];
    }
    return inside?.map((operation) => ({ ...operation, path: path + operation.path })) ?? null;
  }
}

/** Whether it is a string of more than 32 bytes, maybe: the extended dialect tells its growth, if it has grown. */
export const isLong = (value: unknown): boolean => typeof value === "string" && value.length * 3 > LONG;

/** The operations where the object's text is surely longer, or else the whole. */
function isAsLong(object: Container, operations: Operation[]): Operation[] | typeof WHOLE {
  let told = 0;
  for (const operation of operations) {
    told += WAY + AROUND[operation.op] + textLength(operation.path) + (operation.op === "remove" ? 0 : textLength(operation.value));
  }
  const least = 2 * told;
  if (leastLength(object, least, DEEPEST) >= least) return operations;
  return textLength(object) >= least ? operations : WHOLE;
}

/**
 * Whether a list of objects with names took the place of another one, and has none of its names: nothing of it is found in that. The items
 * of lists of one length are told where they are, by what differs in them, unless that is surely most of each. O(their size).
 */
export function haveOtherNames(before: object, after: object, isExtended: boolean): boolean {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length < 2 || after.length < 2) return false;
  for (const name of NAMES) {
    const [old, fresh] = [distinctNames(before, name), distinctNames(after, name)];
    // The first one by which all items can be told apart counts.
    if (old === null || fresh === null) continue;
    const [first] = old;
    if (typeof first === "boolean") return false;
    for (const one of old) if (typeof one !== typeof first) return false;
    for (const one of fresh) if (typeof one !== typeof first || old.has(one)) return false;
    return before.length !== after.length || itemsOf(after).every((item, i) => isAnother(before[i] as Container, item as Container, isExtended));
  }
  return false;
}

/** Whether the items of two lists are objects with the same names in the same order, and no two in one have the same. */
function areNamedAlike(before: readonly unknown[], after: readonly unknown[]): boolean {
  if (before.length !== after.length || !isObject(before[0]) || !isObject(after[0])) return false;
  // What only some have doesn't name the others, and yet it comes first.
  const name = NAMES.find((name) => before.some((item) => nameOf(item, name) !== undefined) || after.some((item) => nameOf(item, name) !== undefined));
  if (name === undefined) return false;
  const names = new Set<unknown>();
  const others = itemsOf(after);
  return itemsOf(before).every((item, i) => {
    const one = nameOf(item, name);
    return one !== undefined && typeof one !== "boolean" && one === nameOf(others[i], name) && names.size < names.add(one).size;
  });
}

/** The names of items, if all have one and no two the same. */
function distinctNames(items: readonly unknown[], name: string): Set<unknown> | null {
  const names = new Set<unknown>();
  for (const item of items) {
    const one = nameOf(item, name);
    if (one === undefined || names.size === names.add(one).size) return null;
  }
  return names;
}

const nameOf = (item: unknown, name: string): unknown => (isObject(item) && isName(item as Container, name) ? (item as Container)[name] : undefined);

/**
 * Whether an object is surely told as a whole where another one was: several members differ, and what is told of them has more than half as
 * many bytes as the object (`told_briefly` in src/diff/mod.rs).
 */
function isAnother(was: Container, is: Container, isExtended: boolean): boolean {
  let differing = 0;
  for (const name of Object.keys(is)) if (!isContainer(is[name]) && is[name] !== ownOf(was, name) && ++differing === 2) break;
  if (differing < 2) return false;
  const most = 2 * sparedOf(was, is, isExtended, DEEP);
  return most <= 0 || leastLength(is, most, DEEPEST) >= most;
}

/** How many bytes of an object's text nothing that is told of it has, where another one was, at most; below 0 where more is told. */
function sparedOf(was: Container, is: Container, isExtended: boolean, deep: number): number {
  const [names, others] = [Object.keys(is), Object.keys(was)];
  let [spared, stayed] = [2, 0];
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    // Most have the same names in the same order.
    const isThere = others[i] === name || Object.hasOwn(was, name);
    if (isThere) stayed++;
    const [old, value] = [isThere ? was[name] : undefined, is[name]];
    const areObjects = old !== value && isObject(old) && isObject(value) && deep > 0;
    // Of two containers, and of a string that has grown, less may be told than what is there now.
    const mayShare = old === value || (isContainer(value) ? isContainer(old) : isExtended && typeof value === "string" && typeof old === "string");
    const inside = areObjects ? sparedOf(old as Container, value as Container, isExtended, deep - 1) : mayShare ? textLength(value) : null;
    // What is told has the name and the value, too.
    spared += inside === null ? -AROUND.add : Math.max(-AROUND.add, inside + textLength(name) + 2);
  }
  return spared - (others.length - stayed) * AROUND.remove;
}
