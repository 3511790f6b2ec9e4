import type { JSONPatchOperation } from "../types.js";

export type Key = string | number;
/** An array or an object, by the keys of its members. */
export type Container = Record<Key, unknown> & { length?: number };

export function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether a value is an object, and no array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value);
}

/** A member, unless it is inherited, as `toString` and `__proto__` may be. */
export function ownOf(object: object, key: Key): unknown {
  return Object.hasOwn(object, key) ? (object as Container)[key] : undefined;
}

/** Containers of more items or members stay unfrozen until somebody reads the state: the next update may change them where they are. */
export const LARGE = 256;

/** An array's items: of a container that is known to be an array. */
export function itemsOf(container: object): unknown[] {
  return container as unknown[];
}

/** Longer arrays aren't copied to be read: one may be long in name only. */
const LONGEST_COPY = 1 << 16;

/** Whether a test holds for all items, holes among them. Of a frozen array V8 spreads ten items in the time in which it reads one. */
export function holdsForAll(items: readonly unknown[], test: (item: unknown) => boolean): boolean {
  const read = items.length <= LONGEST_COPY ? [...items] : items;
  for (let i = 0; i < read.length; i++) if (!test(read[i])) return false;
  return true;
}

/** Sets an own member whatever its name: assigning `__proto__` would set the prototype. */
export function put(target: object, key: Key, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  else (target as Container)[key] = value;
}

/** A copy of a value of the state as the core would answer it: it may be written to, and has 0 for -0. */
export function thawed(value: unknown): unknown {
  if (!isContainer(value)) return value === 0 ? 0 : value;
  if (Array.isArray(value)) {
    // Of a frozen array V8 spreads ten items in the time in which it reads one.
    const items: unknown[] = [...value];
    for (let i = 0; i < items.length; i++) if (items[i] === 0 || isContainer(items[i])) items[i] = thawed(items[i]);
    return items;
  }
  const copy = {};
  for (const key of Object.keys(value)) {
    const member = (value as Container)[key];
    if (member !== undefined) put(copy, key, thawed(member));
  }
  return copy;
}

/** The operations with copies of the containers that they put somewhere. */
export function withThawed(operations: JSONPatchOperation[]): JSONPatchOperation[] {
  for (const operation of operations) if ("value" in operation) operation.value = thawed(operation.value);
  return operations;
}

/** How many items one call takes as arguments: V8 has no stack for much more than a hundred thousand. */
export const ARGUMENTS = 1 << 10;

/** `Array.prototype.splice` for lists of any length. */
export function spliceItems<T>(items: T[], index: number, remove: number, insert: readonly T[]): T[] {
  if (insert.length === 0) return items.splice(index, remove);
  if (insert.length <= ARGUMENTS) return items.splice(index, remove, ...insert);
  const out = items.slice(index, index + remove);
  const tail = items.slice(index + remove);
  items.length = index;
  for (let i = 0; i < insert.length; i++) items.push(insert[i]!);
  for (let i = 0; i < tail.length; i++) items.push(tail[i]!);
  return out;
}

/** Freezes a value that nobody else holds. O(its size). */
export function freeze<T>(value: T): T {
  if (!isContainer(value) || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (let i = 0; i < value.length; i++) freeze(value[i]);
  else for (const key of Object.keys(value)) freeze((value as Container)[key]);
  return Object.freeze(value);
}
