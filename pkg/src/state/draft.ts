import { PatchwireError } from "../errors.js";
import { ARGUMENTS, isContainer, put, spliceItems, type Container, type Key } from "./containers.js";
import { copyOf } from "./copies.js";
import { isPlain, pointerOf } from "./json.js";
import type { Draft } from "../types.js";
import { Place, PLACE, placeOf } from "./place.js";
import { Unread } from "./unread.js";

/** What Node and Workers ask of a proxy's target when they print it. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/** The draft of a container: the same one as long as the recipe runs. */
function draftOf(place: Place): object {
  return (place.proxy ??= place.isArray ? new Proxy(arrayTarget(place), arrayTraps) : new Proxy(place, objectTraps));
}

function arrayTarget(place: Place): object {
  const target: unknown[] & { [INSPECT]?: unknown } = [place];
  target[INSPECT] = shown;
  return target;
}

/** A draft is printed as the state that it stands for. */
function shown(this: object): unknown {
  return placeOf(this)?.recipe.isOpen ? current(this) : "a draft of a recipe that has ended";
}
(Place.prototype as unknown as Record<symbol, unknown>)[INSPECT] = shown;

function open(place: Place): Place {
  if (!place.recipe.isOpen) throw new PatchwireError("DRAFT_REVOKED", "the recipe of this draft has ended: take what you need out of it, or update again");
  return place;
}

/** A slot as a recipe sees it. */
export function seen(slot: unknown): unknown {
  return slot instanceof Place ? draftOf(slot) : slot;
}

function item(place: Place, index: number): unknown {
  return seen(place.slot(index));
}

/** What the slot for a value is: a place for a draft of the same recipe, which from then on may be in two places. */
function slotFor(place: Place, value: unknown): unknown {
  if (!isContainer(value)) return value;
  const other = placeOf(value);
  if (other === undefined || other.recipe !== place.recipe) {
    if (Object.isFrozen(value)) place.recipe.putsFrozen = true;
    return value;
  }
  place.recipe.sharesParts = true;
  return other;
}

function slotsFor(place: Place, values: unknown[]): unknown[] {
  for (let i = 0; i < values.length; i++) if (isContainer(values[i])) values[i] = slotFor(place, values[i]);
  return values;
}

function isSlot(place: Place, key: Key, slot: unknown): boolean {
  return Object.is(place.peek(key), slot);
}

function refuse(what: string, place: Place): never {
  throw new PatchwireError("NOT_JSON", `${what} can't be done to a draft`, { path: pathOf(place) });
}

/** Where a draft was read, as a pointer. */
function pathOf(place: Place, ...more: Key[]): string {
  const path = more;
  for (let at = place; at.parent !== null; at = at.parent) path.unshift(at.key);
  return pointerOf(path);
}

/**
 * A member that isn't in the state. `__proto__` as a name that somebody sent leads to what all objects share: no draft has it unless
 * the state does. `constructor` leads there as well, but libraries compare and copy values by it.
 */
function inherited(place: Place, key: PropertyKey): unknown {
  return key === "__proto__" ? undefined : Reflect.get(place.now, key);
}

function unreadMember(place: Place, key: Key): PropertyDescriptor {
  return { get: () => seen(open(place).slot(key)), set: (value) => Reflect.set(place.proxy!, key, value), enumerable: true, configurable: true };
}

/** What is set through something that inherits from a draft is set there, as with a plain object. */
function setElsewhere(receiver: object, key: PropertyKey, value: unknown): boolean {
  const isThere = Object.hasOwn(receiver, key);
  return Reflect.defineProperty(receiver, key, isThere ? { value } : { value, writable: true, enumerable: true, configurable: true });
}

/** The traps that objects and arrays share; `find` gets the place from the proxy's target. */
function traps(find: (target: object) => Place): ProxyHandler<object> {
  return {
    has: (target, key) => Reflect.has(open(find(target)).holding(key), key),
    ownKeys: (target) => Reflect.ownKeys(open(find(target)).content),
    getOwnPropertyDescriptor(target, key) {
      const place = open(find(target));
      if (!Object.hasOwn(place.holding(key), key)) return undefined;
      if (place.isArray && key === "length") return { value: place.length, writable: true, enumerable: false, configurable: false };
      const at = place.isArray ? Number(key) : (key as string);
      // Object.keys asks about every member, which is no reason to read them all.
      if (place.now[at] instanceof Unread) return unreadMember(place, at);
      return { value: seen(place.slot(at)), writable: true, enumerable: true, configurable: true };
    },
    defineProperty(target, key, descriptor) {
      const place = open(find(target));
      if ("get" in descriptor || "set" in descriptor) throw new PatchwireError("NOT_JSON", "an accessor isn't JSON: assign a value", { path: pathOf(place, String(key)) });
      // What a new member isn't said to be it would not be.
      const isHidden = descriptor.enumerable === false || (descriptor.enumerable === undefined && !Object.hasOwn(place.holding(key), key));
      if (isHidden || descriptor.writable === false || descriptor.configurable === false) refuse("Fixing or hiding a member", place);
      return !("value" in descriptor) || Reflect.set(place.proxy!, key, descriptor.value);
    },
    getPrototypeOf(target) {
      const place = find(target);
      // What inherits from a draft is asked whether it is JSON when the recipe has ended.
      if (!place.recipe.isSettling) open(place);
      return place.isArray ? Array.prototype : Object.prototype;
    },
    setPrototypeOf: (target) => refuse("Setting the prototype", find(target)),
    preventExtensions: (target) => refuse("Freezing", find(target)),
  };
}

const objectTraps: ProxyHandler<Place> = {
  ...(traps((target) => target as Place) as ProxyHandler<Place>),
  get(place, key) {
    if (key === PLACE) return place;
    open(place).find(key);
    const value: unknown = place.now[key as string];
    if (typeof value !== "object" && typeof value !== "function") return value;
    if (!Object.hasOwn(place.now, key)) return inherited(place, key);
    return seen(place.slot(key as string));
  },
  set(place, key, value, receiver) {
    open(place);
    if (receiver !== place.proxy) return setElsewhere(receiver, key, value);
    if (typeof key === "symbol") throw new PatchwireError("NOT_JSON", "a symbol isn't JSON", { path: pathOf(place) });
    place.find(key);
    const has = Object.hasOwn(place.now, key);
    if (value === undefined) {
      if (has) place.removeMember(key);
      return true;
    }
    const slot = slotFor(place, value);
    // It may be the number or the string that hasn't been read.
    if (has && !isContainer(slot)) place.readMember(key);
    if (!has || !isSlot(place, key, slot)) place.setMember(key, slot);
    return true;
  },
  deleteProperty(place, key) {
    open(place).find(key);
    if (Object.hasOwn(place.now, key)) place.removeMember(key as string);
    return true;
  },
};

const arrayTraps: ProxyHandler<object> = {
  ...traps((target) => (target as Place[])[0]!),
  get(target, key) {
    const place = (target as Place[])[0]!;
    if (key === PLACE) return place;
    const value: unknown = open(place).raw(key as string);
    if (typeof value === "function") return Object.hasOwn(arrayMethods, key) ? arrayMethods[key] : inherited(place, key);
    if (typeof value !== "object" || value === null) return value;
    return typeof key === "symbol" ? value : seen(place.slot(Number(key)));
  },
  set(target, key, value, receiver) {
    const place = open((target as Place[])[0]!);
    if (receiver !== place.proxy) return setElsewhere(receiver, key, value);
    if (key === "length") {
      resize(place, value as number);
      return true;
    }
    const index = typeof key === "string" ? indexOf(key) : undefined;
    if (index === undefined) throw new PatchwireError("NOT_JSON", "an array has items only: use an object for named members", { path: pathOf(place) });
    const { length } = place;
    const slot = slotFor(place, value);
    if (index < length) {
      // It may be the number or the string that hasn't been read.
      if (!isContainer(slot)) place.read(index, index + 1);
      if (!isSlot(place, index, slot) || place.isHole(index)) place.setItem(index, slot);
    } else {
      if (index > length) resize(place, index);
      place.splice(index, 0, [slot]);
    }
    return true;
  },
  deleteProperty(target, key) {
    const place = open((target as Place[])[0]!);
    const index = typeof key === "string" ? indexOf(key) : undefined;
    // A hole: allowed only if it is gone when the recipe ends.
    if (index !== undefined && index < place.length && !place.isHole(index)) place.removeItem(index);
    return true;
  },
};

/** An array index as JavaScript writes it, or undefined. */
function indexOf(key: string): number | undefined {
  const index = Number(key);
  return Number.isInteger(index) && index >= 0 && index < 2 ** 32 - 1 && String(index) === key ? index : undefined;
}

/** The most holes that an assignment may leave in an array. */
const HOLES = 10_000_000;

function resize(place: Place, length: number): void {
  const now = place.length;
  if (!Number.isInteger(length) || length < 0 || length > 2 ** 32 - 1) throw new RangeError("Invalid array length");
  if (length > now + HOLES) throw new PatchwireError("LIMIT_EXCEEDED", "the array would grow by more than 10,000,000 holes", { path: pathOf(place) });
  if (length < now) place.splice(length, now - length, []);
  else if (length > now) place.widen(length);
}

function place(draft: unknown): Place {
  const place = isContainer(draft) ? placeOf(draft) : undefined;
  if (place === undefined || !place.isArray) throw new TypeError("this array method needs a draft");
  return open(place);
}

function clamp(index: number, length: number): number {
  return index < 0 ? Math.max(length + index, 0) : Math.min(index, length);
}

function integer(value: unknown): number {
  return Math.trunc(Number(value)) || 0;
}

/** Takes items out as a recipe sees them. */
function take(place: Place, index: number, count: number, values: unknown[]): unknown[] {
  place.read(index, index + count);
  const out = place.splice(index, count, slotsFor(place, values));
  for (let i = 0; i < out.length; i++) if (isContainer(out[i])) out[i] = seen(out[i]);
  return out;
}

/** What indexing sees, as a plain array. */
function all(place: Place, from = 0, to = place.length): unknown[] {
  place.read(from, to);
  const items: unknown[] = [];
  for (let i = from; i < to; i++) {
    if (place.isHole(i)) items.length++;
    else items.push(item(place, i));
  }
  return items;
}

type Visit<R> = (value: unknown, index: number, array: unknown[]) => R;

/** Array methods that change the array, each recorded as what it means instead of as many assignments. */
const changing = {
  push(this: unknown[], ...values: unknown[]): number {
    const array = place(this);
    if (values.length > 0) array.splice(array.length, 0, slotsFor(array, values));
    return array.length;
  },
  pop(this: unknown[]): unknown {
    const array = place(this);
    const { length } = array;
    return length === 0 ? undefined : take(array, length - 1, 1, [])[0];
  },
  shift(this: unknown[]): unknown {
    const array = place(this);
    return array.length === 0 ? undefined : take(array, 0, 1, [])[0];
  },
  unshift(this: unknown[], ...values: unknown[]): number {
    const array = place(this);
    if (values.length > 0) array.splice(0, 0, slotsFor(array, values));
    return array.length;
  },
  splice(this: unknown[], from?: number, asked?: number, ...values: unknown[]): unknown[] {
    const array = place(this);
    const { length } = array;
    const start = clamp(integer(from), length);
    const most = arguments.length === 0 ? 0 : arguments.length === 1 ? length : integer(asked);
    const count = Math.min(Math.max(most, 0), length - start);
    return (array.recipe.taken = count === 0 && values.length === 0 ? [] : take(array, start, count, values)) as unknown[];
  },
  reverse(this: unknown[]): unknown[] {
    const array = place(this);
    // `Array.from` with a function takes twenty times as long.
    const order = new Array<number>(array.length);
    for (let i = 0, from = order.length; i < order.length; i++) order[i] = --from;
    if (order.length > 1) array.permute(order);
    return this;
  },
  sort(this: unknown[], compare?: (a: unknown, b: unknown) => number): unknown[] {
    const array = place(this);
    const values = all(array);
    const order = [...values.keys()];
    // As `sort` does it, what is undefined comes last without being compared, and behind it the holes.
    const rank = (index: number): number => (values[index] !== undefined ? 0 : index in values ? 1 : 2);
    const last = (a: number, b: number): number => rank(a) - rank(b);
    if (compare !== undefined) {
      order.sort((a, b) => (values[a] === undefined || values[b] === undefined ? last(a, b) : compare(values[a], values[b])));
    } else {
      const texts = values.map((value) => (value === undefined ? undefined : String(value)));
      order.sort((a, b) => {
        const [left, right] = [texts[a], texts[b]];
        if (left === undefined || right === undefined) return last(a, b);
        return left < right ? -1 : left > right ? 1 : 0;
      });
    }
    if (order.some((from, to) => from !== to)) array.permute(order);
    return this;
  },
};

/** Array methods that look at items one by one: through indexes, which a proxy is asked for as strings, they are slower. */
const looking = {
  forEach(this: unknown[], visit: Visit<void>, self?: unknown): void {
    const array = place(this);
    const { length } = array;
    for (let i = 0; i < length && i < array.length; i++) if (!array.isHole(i)) visit.call(self, item(array, i), i, this);
  },
  map(this: unknown[], visit: Visit<unknown>, self?: unknown): unknown[] {
    const results = new Array<unknown>(place(this).length);
    looking.forEach.call(this, (value, i) => (results[i] = visit.call(self, value, i, this)));
    return results;
  },
  filter(this: unknown[], visit: Visit<unknown>, self?: unknown): unknown[] {
    const results: unknown[] = [];
    looking.forEach.call(this, (value, i) => {
      if (visit.call(self, value, i, this)) results.push(value);
    });
    return results;
  },
  findIndex(this: unknown[], visit: Visit<unknown>, self?: unknown): number {
    const array = place(this);
    const { length } = array;
    for (let i = 0; i < length; i++) if (visit.call(self, item(array, i), i, this)) return i;
    return -1;
  },
  find(this: unknown[], visit: Visit<unknown>, self?: unknown): unknown {
    let found: unknown;
    const index = looking.findIndex.call(this, (value, i) => visit.call(self, (found = value), i, this));
    return index === -1 ? undefined : found;
  },
  some(this: unknown[], visit: Visit<unknown>, self?: unknown): boolean {
    const array = place(this);
    const { length } = array;
    for (let i = 0; i < length && i < array.length; i++) if (!array.isHole(i) && visit.call(self, item(array, i), i, this)) return true;
    return false;
  },
  every(this: unknown[], visit: Visit<unknown>, self?: unknown): boolean {
    return !looking.some.call(this, (value, i) => !visit.call(self, value, i, this));
  },
  slice(this: unknown[], start?: number, end?: number): unknown[] {
    const array = place(this);
    const { length } = array;
    return all(array, clamp(integer(start), length), end === undefined ? length : clamp(integer(end), length));
  },
  indexOf(this: unknown[], value: unknown, from?: number): number {
    const array = place(this);
    const { length } = array;
    return search(array, value, (slot) => array.items.indexOf(slot, from), clamp(integer(from), length));
  },
  includes(this: unknown[], value: unknown, from?: number): boolean {
    const array = place(this);
    if (value === undefined || typeof value === "number") return array.items.includes(value, from);
    return looking.indexOf.call(this, value, from) !== -1;
  },
  values(this: unknown[]): IterableIterator<unknown> {
    return iterate(place(this));
  },
  [Symbol.iterator](this: unknown[]): IterableIterator<unknown> {
    return iterate(place(this));
  },
};

type ArrayMethod = (this: unknown[], ...args: unknown[]) => unknown;

/** What takes any number of values, for more of them than one call takes as arguments. */
const many: Record<string, (items: unknown[], args: unknown[]) => unknown[]> = {
  toSpliced(items, args) {
    const start = clamp(integer(args[0]), items.length);
    spliceItems(items, start, Math.min(Math.max(integer(args[1]), 0), items.length - start), args.slice(2));
    return items;
  },
  concat(items, args) {
    for (let i = 0; i < args.length; i += ARGUMENTS) items = items.concat(...args.slice(i, i + ARGUMENTS));
    return items;
  },
};

/** Array methods that make another value of all items: of those that this platform has. */
const making = Object.fromEntries(
  ["with", "toSorted", "toReversed", "toSpliced", "concat", "flat", "join"].flatMap((name) => {
    const method = (Array.prototype as unknown as Record<string, ArrayMethod | undefined>)[name];
    if (method === undefined) return [];
    const make = function (this: unknown[], ...args: unknown[]): unknown {
      const items = all(place(this));
      return args.length > ARGUMENTS && name in many ? many[name]!(items, args) : method.apply(items, args);
    };
    return [[name, make as ArrayMethod]];
  }),
);

const arrayMethods: Record<PropertyKey, unknown> = { ...changing, ...looking, ...making };

/** Looks for a value in slots. A container of the state that has no draft yet is nobody's to look for. */
function search(array: Place, value: unknown, find: (slot: unknown) => number, from: number): number {
  if (!isContainer(value)) {
    array.read(from, array.length);
    return find(value);
  }
  const other = placeOf(value);
  if (other !== undefined) return array.indexOfPlace(other, from);
  return array.recipe.isOurs(value) ? -1 : find(value);
}

/** What all iterators inherit: that they are iterable, and helpers such as `map` where the platform has them. */
const ITERATOR = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())) as object;

/** As an array's own iterator, which is asked for each item once. */
function iterate(array: Place): IterableIterator<unknown> {
  let i = 0;
  const next = (): IteratorResult<unknown> => (i < open(array).length ? { value: item(array, i++), done: false } : ((i = Infinity), { value: undefined, done: true }));
  return { __proto__: ITERATOR, next } as unknown as IterableIterator<unknown>;
}

/**
 * Whether a value is a draft of a recipe that is running.
 *
 * @example
 * ```ts
 * import { isDraft, StateTracker } from "patchwire";
 * new StateTracker({ plan: ["search"] }).update((draft) => {
 *   console.log(isDraft(draft.plan), isDraft([...draft.plan])); // true false
 * });
 * ```
 */
export function isDraft(value: unknown): boolean {
  return isContainer(value) && placeOf(value)?.recipe.isOpen === true;
}

/**
 * The value itself, typed as a draft: for a value of the state that is put back into a draft. One that is put there itself, as
 * `draft.rows = castDraft(rows)`, can be changed there in the same recipe. A new list or object of such values can be changed,
 * but what is in it is frozen until the recipe has ended.
 *
 * @example
 * ```ts
 * import { castDraft, StateTracker } from "patchwire";
 * const tracker = new StateTracker({ rows: [{ id: 1 }, { id: 2 }] });
 * const { rows } = tracker.getState();
 * tracker.update((draft) => { draft.rows = castDraft(rows.filter((row) => row.id > 1)); });
 * console.log(tracker.getState().rows[0] === rows[1]); // true
 * ```
 */
export function castDraft<T>(value: T): Draft<T> {
  return value as Draft<T>;
}

/**
 * What a draft stood for when its recipe began: plain and frozen. Undefined for what isn't a draft. O(1), but for a large
 * array that was changed without its state having been read: then O(its length).
 *
 * @throws PatchwireError `DRAFT_REVOKED` where the recipe has ended.
 * @example
 * ```ts
 * import { original, StateTracker } from "patchwire";
 * new StateTracker({ plan: ["search"] }).update((draft) => {
 *   draft.plan.push("read");
 *   console.log(original(draft.plan), draft.plan.length); // [ 'search' ] 2
 * });
 * ```
 */
export function original<T>(draft: T): T | undefined {
  const place = isContainer(draft) ? placeOf(draft) : undefined;
  if (place === undefined) return undefined;
  open(place).standApart();
  return place.recipe.published(place.base) as T;
}

/**
 * A plain copy of a draft as it is now, which later changes don't reach. It shares with the state what hasn't changed:
 * O(what has changed). What isn't a draft comes back as it is.
 *
 * @throws PatchwireError `DRAFT_REVOKED` where the recipe has ended.
 * @example
 * ```ts
 * import { current, StateTracker } from "patchwire";
 * new StateTracker({ plan: ["search"] }).update((draft) => {
 *   draft.plan.push("read");
 *   const now = current(draft.plan);
 *   draft.plan.push("answer");
 *   console.log(now); // [ 'search', 'read' ]
 * });
 * ```
 */
export function current<T>(draft: T): T {
  const place = isContainer(draft) ? placeOf(draft) : undefined;
  if (place === undefined) return draft;
  open(place).recipe.share();
  return snapshot(place, new Map()) as T;
}

/** The state of a place; `known` are those on the way, and what they share. */
function snapshot(place: Place, known: Map<object, unknown>): unknown {
  if (!place.isChanged) return place.recipe.published(place.base);
  if (known.has(place)) return known.get(place);
  place.seated();
  const copy = place.copied();
  place.recipe.copied(place.now, copy);
  known.set(place, copy);
  if (place.isInPlace) for (const kid of place.drafted ?? []) put(copy, kid.key, kid);
  fill(place, copy, known);
  return place.recipe.whole(copy);
}

/** Puts plain values into the slots of a copy: only drafts, and what the recipe put there, can be anything else. */
function fill(place: Place, copy: Container, known: Map<object, unknown>): void {
  const keys = place.written();
  for (const key of keys) {
    // A member that has gone may have the name of one that all objects inherit.
    const slot: unknown = Object.hasOwn(copy, key) ? copy[key] : undefined;
    if (isContainer(slot)) put(copy, key, plainOf(slot, place, known));
  }
}

function plainOf(value: object, place: Place, known: Map<object, unknown>): unknown {
  const inner = placeOf(value);
  if (inner !== undefined) return inner.recipe.isOpen ? snapshot(inner, known) : value;
  if (place.recipe.isOurs(value) || !isPlain(value)) return value;
  if (known.has(value)) return known.get(value);
  const copy = copyOf(value) as Container;
  known.set(value, copy);
  for (const key of Object.keys(copy)) if (isContainer(copy[key])) put(copy, key, plainOf(copy[key] as object, place, known));
  return copy;
}

