import { PLACE, placeOf } from "./adopt.js";
import { Foreign, isContainer, type Key, type Slot } from "./containers.js";
import { PatchwireError } from "../errors.js";
import { notJson, pointerOf } from "./json.js";
import type { Recording } from "./recording.js";
import { Place } from "./place.js";
import { readAll, readSlot } from "./reading.js";
import { Unread } from "./unread.js";

/** The draft of a container: one proxy for its whole life, usable while a recipe runs. */
function draftOf(place: Place): object {
  return (place.proxy ??= place.isArray ? new Proxy([place] as unknown as object, arrayTraps) : new Proxy(place, objectTraps));
}

function open(place: Place): Recording {
  const tree = place.tree as Recording;
  if (!tree.open) throw new PatchwireError("DRAFT_REVOKED", "the recipe of this draft has ended: take what you need out of it, or update again");
  return tree;
}

/** A slot as a recipe sees it. */
export function seen(slot: Slot): unknown {
  if (slot instanceof Place) return draftOf(slot);
  return slot instanceof Foreign ? slot.value : slot;
}

function read(place: Place, key: Key): unknown {
  const tree = open(place);
  const slot = place.twin[key];
  if (typeof slot === "function") return place.isArray && Object.hasOwn(arrayMethods, key) ? arrayMethods[key as keyof typeof arrayMethods] : slot;
  if (typeof slot !== "object" || slot === null) return slot;
  if (slot instanceof Place) return draftOf(slot);
  if (slot instanceof Foreign) return slot.value;
  if (!Object.hasOwn(place.twin, key)) return slot;
  return seen(tree.child(place, key));
}

function refuse(what: string): never {
  throw new TypeError(`${what} can't be done to a draft`);
}

/** Object.keys asks about every member, which is no reason to read them all. */
function unreadMember(place: Place, key: string): PropertyDescriptor {
  return { get: () => read(place, key), set: (value) => Reflect.set(place.proxy!, key, value), enumerable: true, configurable: true };
}

/** The traps that objects and arrays share; `find` gets the place from the proxy's target. */
function traps(find: (target: object) => Place): ProxyHandler<object> {
  return {
    has: (target, key) => (open(find(target)), Reflect.has(find(target).twin, key)),
    ownKeys: (target) => (open(find(target)), Reflect.ownKeys(find(target).twin)),
    getOwnPropertyDescriptor(target, key) {
      const place = find(target);
      open(place);
      const descriptor = Reflect.getOwnPropertyDescriptor(place.twin, key);
      if (descriptor === undefined) return undefined;
      const isLength = place.isArray && key === "length";
      if (descriptor.value instanceof Unread) return unreadMember(place, key as string);
      // Object.keys asks this of every member: no drafts are made for it.
      return { value: seen(descriptor.value), writable: true, enumerable: !isLength, configurable: !isLength };
    },
    defineProperty(target, key, descriptor) {
      if (!("value" in descriptor)) throw notJson(() => {}, [String(key)]);
      return Reflect.set(find(target).proxy!, key, descriptor.value);
    },
    getPrototypeOf: (target) => Reflect.getPrototypeOf(find(target).twin),
    setPrototypeOf: () => refuse("Setting the prototype"),
    preventExtensions: () => refuse("Freezing"),
  };
}

function symbolKey(key: symbol): never {
  throw notJson(key, []);
}

const objectTraps: ProxyHandler<Place> = {
  ...(traps((target) => target as Place) as ProxyHandler<Place>),
  get: (place, key) => (key === PLACE ? place : read(place, key as string)),
  set(place, key, value) {
    const tree = open(place);
    if (typeof key === "symbol") symbolKey(key);
    const has = Object.hasOwn(place.twin, key);
    if (value === undefined) {
      if (has) tree.delete(place, key);
    } else if (!has || !Object.is(place.twin[key], value)) {
      tree.assign(place, key, value);
    }
    return true;
  },
  deleteProperty(place, key) {
    const tree = open(place);
    if (typeof key === "string" && Object.hasOwn(place.twin, key)) tree.delete(place, key);
    return true;
  },
};

const arrayTraps: ProxyHandler<object> = {
  ...traps((target) => (target as Place[])[0]!),
  get(target, key) {
    const place = (target as Place[])[0]!;
    return key === PLACE ? place : read(place, key as Key);
  },
  set(target, key, value) {
    const place = (target as Place[])[0]!;
    const tree = open(place);
    const items = place.twin as unknown as Slot[];
    if (key === "length") {
      resize(tree, place, value as number);
      return true;
    }
    const index = typeof key === "string" ? indexOf(key) : undefined;
    if (index === undefined) throw new PatchwireError("NOT_JSON", "an array has items only: use an object for named members");
    if (index < items.length) {
      // It may be the same number or string.
      if (!isContainer(value)) readSlot(place, index);
      if (!Object.is(items[index], value)) tree.assign(place, index, value);
    } else {
      if (index > items.length) resize(tree, place, index);
      tree.spliceItems(place, index, 0, [value]);
    }
    return true;
  },
  deleteProperty(target, key) {
    const place = (target as Place[])[0]!;
    const index = typeof key === "string" ? indexOf(key) : undefined;
    // A hole: allowed only if it is gone when the recipe ends.
    if (index !== undefined && index < (place.twin as unknown as Slot[]).length) open(place).assign(place, index, undefined);
    return true;
  },
};

/** An array index as JavaScript writes it, or undefined. */
function indexOf(key: string): number | undefined {
  const index = Number(key);
  return Number.isInteger(index) && index >= 0 && index < 2 ** 32 - 1 && String(index) === key ? index : undefined;
}

function resize(tree: Recording, place: Place, length: number): void {
  const now = (place.twin as unknown as Slot[]).length;
  if (!Number.isInteger(length) || length < 0 || length > 2 ** 32 - 1) throw new RangeError("Invalid array length");
  if (length > now + 10_000_000) throw new PatchwireError("LIMIT_EXCEEDED", "the array would grow by more than 10,000,000 holes", { path: pointerOf([]) });
  if (length < now) tree.spliceItems(place, length, now - length, []);
  else if (length > now) tree.spliceItems(place, now, 0, new Array(length - now).fill(undefined));
}

function place(draft: unknown[]): Place {
  const place = placeOf(draft);
  if (place === undefined || !place.isArray) throw new TypeError("this array method needs a draft");
  open(place);
  return place;
}

function clamp(index: number, length: number): number {
  return index < 0 ? Math.max(length + index, 0) : Math.min(index, length);
}

/** Array methods that change the array, each logged as what it means instead of as many assignments. */
const arrayMethods = {
  push(this: unknown[], ...values: unknown[]): number {
    const array = place(this);
    const items = array.twin as unknown as Slot[];
    if (values.length > 0) (array.tree as Recording).spliceItems(array, items.length, 0, values);
    return (array.twin as unknown as Slot[]).length;
  },
  pop(this: unknown[]): unknown {
    const array = place(this);
    const { length } = array.twin as unknown as Slot[];
    return length === 0 ? undefined : seen((array.tree as Recording).takeItems(array, length - 1, 1, [])[0]);
  },
  shift(this: unknown[]): unknown {
    const array = place(this);
    const { length } = array.twin as unknown as Slot[];
    return length === 0 ? undefined : seen((array.tree as Recording).takeItems(array, 0, 1, [])[0]);
  },
  unshift(this: unknown[], ...values: unknown[]): number {
    const array = place(this);
    if (values.length > 0) (array.tree as Recording).spliceItems(array, 0, 0, values);
    return (array.twin as unknown as Slot[]).length;
  },
  splice(this: unknown[], ...args: [start?: number, count?: number, ...values: unknown[]]): unknown[] {
    const array = place(this);
    const { length } = array.twin as unknown as Slot[];
    const start = clamp(Math.trunc(Number(args[0] ?? 0)) || 0, length);
    const asked = args.length === 0 ? 0 : args.length === 1 ? length : Math.trunc(Number(args[1])) || 0;
    const count = Math.min(Math.max(asked, 0), length - start);
    const values = args.slice(2);
    return count === 0 && values.length === 0 ? [] : (array.tree as Recording).takeItems(array, start, count, values).map(seen);
  },
  reverse(this: unknown[]): unknown[] {
    const array = place(this);
    const { length } = array.twin as unknown as Slot[];
    (array.tree as Recording).reorder(array, Array.from({ length }, (_, i) => length - 1 - i));
    return this;
  },
  sort(this: unknown[], compare?: (a: unknown, b: unknown) => number): unknown[] {
    const array = place(this);
    readAll(array);
    const values = (array.twin as unknown as Slot[]).map(seen);
    const order = values.map((_, i) => i);
    if (compare !== undefined) {
      order.sort((a, b) => (values[a] === undefined || values[b] === undefined ? Number(values[a] === undefined) - Number(values[b] === undefined) : compare(values[a], values[b])));
    } else {
      const texts = values.map((value) => (value === undefined ? undefined : String(value)));
      order.sort((a, b) => {
        const [left, right] = [texts[a], texts[b]];
        if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
        return left < right ? -1 : left > right ? 1 : 0;
      });
    }
    (array.tree as Recording).reorder(array, order);
    return this;
  },
};
