import { ArrayPlace } from "./array-place.js";
import { isContainer, type Key } from "../json/containers.js";
import { keysOf } from "../json/copies.js";
import { current } from "./current.js";
import { notJsonAt, pointerOf } from "../json/json.js";
import { placeOf, requireOpen, seen, type Place } from "./place.js";
import { Unread } from "./unread.js";

/** What Node and Workers ask of a proxy's target when they print it. */
export const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/** A draft is printed as the state that it stands for. */
export function shown(this: object): unknown {
  return placeOf(this)?.recipe.isOpen ? current(this) : "a draft of a recipe that has ended";
}

/** What the slot for a value is: a place for a draft of the same recipe, which from then on may be in two places. */
export function slotFor(place: Place, value: unknown): unknown {
  if (!isContainer(value)) return value;
  const other = placeOf(value);
  if (other === undefined || other.recipe !== place.recipe) {
    if (Object.isFrozen(value)) place.recipe.putsFrozen = true;
    return value;
  }
  place.recipe.sharesParts = true;
  return other;
}

export function slotsFor(place: Place, values: unknown[]): unknown[] {
  for (let i = 0; i < values.length; i++) if (isContainer(values[i])) values[i] = slotFor(place, values[i]);
  return values;
}

export function isSlot(place: Place, key: Key, slot: unknown): boolean {
  return Object.is(place.peek(key), slot);
}

function refuse(what: string, place: Place): never {
  throw notJsonAt(`${what} can't be done to a draft: take current(draft), which is a plain copy`, pathOf(place));
}

/** Where a draft was read, as a pointer. */
export function pathOf(place: Place, ...more: Key[]): string {
  const path = more;
  for (let at = place; at.parent !== null; at = at.parent) path.unshift(at.key);
  return pointerOf(path);
}

/**
 * A member that isn't in the state. `__proto__` as a name that somebody sent leads to what all objects share: no draft has it unless
 * the state does. `constructor` leads there as well, but libraries compare and copy values by it.
 */
export function inherited(place: Place, key: PropertyKey): unknown {
  return key === "__proto__" ? undefined : Reflect.get(place.now, key);
}

/**
 * The property of a member that nobody has read: Object.keys asks about every member, which is no reason to read them all. Defined on
 * another object, its getter works there until the recipe ends.
 */
function unreadMember(place: Place, key: Key): PropertyDescriptor {
  return {
    get() {
      if (place.recipe.isSettling) throw notJsonAt("a draft's property was given to another object as it is described: give its value, as { ...draft } does", pathOf(place, key));
      return seen(requireOpen(place).slot(key));
    },
    set(this: object, value: unknown) {
      Reflect.defineProperty(this, key, { value, writable: true, enumerable: true, configurable: true });
    },
    enumerable: true,
    configurable: true,
  };
}

/** What is set through something that inherits from a draft is set there, as with a plain object. */
export function setElsewhere(receiver: object, key: PropertyKey, value: unknown): boolean {
  const isThere = Object.hasOwn(receiver, key);
  return Reflect.defineProperty(receiver, key, isThere ? { value } : { value, writable: true, enumerable: true, configurable: true });
}

/** The traps that objects and arrays share; `find` gets the place from the proxy's target. */
export function traps(find: (target: object) => Place): ProxyHandler<object> {
  return {
    has: (target, key) => Reflect.has(requireOpen(find(target)).holding(key), key),
    ownKeys: (target) => keysOf(requireOpen(find(target)).content),
    getOwnPropertyDescriptor(target, key) {
      const place = requireOpen(find(target));
      if (!Object.hasOwn(place.holding(key), key)) return undefined;
      if (place instanceof ArrayPlace && key === "length") return { value: place.length, writable: true, enumerable: false, configurable: false };
      const at = place instanceof ArrayPlace ? Number(key) : (key as string);
      if (place.now[at] instanceof Unread) return unreadMember(place, at);
      return { value: seen(place.slot(at)), writable: true, enumerable: true, configurable: true };
    },
    defineProperty(target, key, descriptor) {
      const place = requireOpen(find(target));
      if ("get" in descriptor || "set" in descriptor) throw notJsonAt("an accessor isn't JSON: assign a value", pathOf(place, String(key)));
      // What isn't said of a new member is false, and a draft can't have one that isn't enumerable.
      const isHidden = descriptor.enumerable === false || (descriptor.enumerable === undefined && !Object.hasOwn(place.holding(key), key));
      if (isHidden || descriptor.writable === false || descriptor.configurable === false) refuse("Fixing or hiding a member", place);
      return !("value" in descriptor) || Reflect.set(place.proxy!, key, descriptor.value);
    },
    getPrototypeOf(target) {
      const place = find(target);
      // What inherits from a draft is asked whether it is JSON when the recipe has ended.
      if (!place.recipe.isSettling) requireOpen(place);
      return place instanceof ArrayPlace ? Array.prototype : Object.prototype;
    },
    setPrototypeOf: (target) => refuse("Setting the prototype", find(target)),
    preventExtensions: (target) => refuse("Freezing", find(target)),
  };
}
