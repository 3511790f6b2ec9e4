// Shallow copies, in the kind of object that V8 copies fastest (BENCHMARKS, "Copies of objects").
import type { Container } from "./containers.js";

/** Objects of more members are hash tables in V8, whatever they were made by. */
const TABLE = 1_020;
/** Those of fewer are copied in less than a microsecond, of whatever kind they are. */
const SMALL = 16;
/** After so many copies with the same names an object is made one with a shape. */
const STAYING = 16;
/** Members that are named by numbers lie in an array, unless it would have so many times as many places as members. */
const DENSE = 4;
/** The names of a state's hash tables: listing them takes a third of what copying it takes. */
const listed = new WeakMap<object, readonly string[]>();
/** How often an object's names were copied without a change, up to `STAYING`. */
const copies = new WeakMap<object, number>();

/**
 * A shallow copy. `changesNames` says that a member is about to be added or deleted. O(its members).
 *
 * V8 copies a frozen array by `slice` in 350 µs for 10,000 items, and in 5 by spreading it.
 */
export function copyOf<T extends object>(container: T, changesNames = false): T {
  return Array.isArray(container) ? ([...container] as unknown as T) : copyOfMembers(container, Object.keys(container), changesNames);
}

/**
 * A shallow copy of an object of these members.
 *
 * An object has a shape, which lists its names, or is a hash table. `Object.assign` copies a shape at once, a table slowly.
 * Shapes come from literals, and adding a name makes another one, of all names. Objects that are filled by `object[name] =`,
 * as those that come from outside are, and those from which a member was deleted, are tables. Which one an object is can't be
 * asked. So an object is copied as a table, member by member, until its names have stayed for a while. Then spreading it,
 * which is slow, makes it a shape.
 */
export function copyOfMembers<T extends object>(container: T, names: readonly string[], changesNames: boolean): T {
  // To assign it would set the prototype.
  if (Object.hasOwn(container, "__proto__")) return { ...container };
  if (names.length < SMALL) return Object.assign({}, container);
  const isNumbered = /^\d+$/.test(names[0]!);
  if (isNumbered && Number(names.at(-1)) < DENSE * names.length) return Object.assign({}, container);
  if (isNumbered || names.length >= TABLE) return tableOf(container, names);
  const count = changesNames ? 0 : (copies.get(container) ?? 0) + 1;
  const copy = count < STAYING ? tableOf(container, names) : count === STAYING ? { ...container } : Object.assign({}, container);
  copies.set(copy, Math.min(count, STAYING));
  return copy;
}

/** The names of an object of a state, whose copies have them until {@link forgetNames} is called. */
export function namesOf(container: object): readonly string[] {
  return listed.get(container) ?? Object.keys(container);
}

/** The own keys of a container. To list many names anew takes V8 some 0.3 µs for each. */
export function keysOf(container: object): readonly (string | symbol)[] {
  return listed.get(container) ?? Reflect.ownKeys(container);
}

/** Both objects of a state have these names. */
export function haveNames(container: object, copy: object, names: readonly string[]): void {
  // Of others V8 has the names at hand, once they have stayed for a while.
  if (names.length < TABLE) return;
  listed.set(container, names);
  listed.set(copy, names);
}

/** An object is to get a name or to lose one. */
export function forgetNames(container: object): void {
  listed.delete(container);
}

/** A shallow copy of an object that came in, of which nobody knows yet how it will change. */
export function copyOfNew<T extends object>(container: T, names: readonly string[]): T {
  return names.length < SMALL || Object.hasOwn(container, "__proto__") ? { ...container } : tableOf(container, names);
}

/** An object without a prototype is a table from the beginning. */
function tableOf<T extends object>(container: T, names: readonly string[]): T {
  const copy = Object.create(null) as Container;
  for (let i = 0; i < names.length; i++) copy[names[i]!] = (container as Container)[names[i]!];
  return Object.setPrototypeOf(copy, Object.prototype) as T;
}
