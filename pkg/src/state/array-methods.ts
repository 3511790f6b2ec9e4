import { ArrayPlace } from "./array-place.js";
import { ARGUMENTS, isContainer, spliceItems } from "../json/containers.js";
import { slotsFor } from "./draft.js";
import { placeOf, requireOpen, seen } from "./place.js";

function place(draft: unknown): ArrayPlace {
  const place = isContainer(draft) ? placeOf(draft) : undefined;
  if (!(place instanceof ArrayPlace)) throw new TypeError("this array method needs a draft");
  return requireOpen(place);
}

function item(place: ArrayPlace, index: number): unknown {
  return seen(place.slot(index));
}

function clamp(index: number, length: number): number {
  return index < 0 ? Math.max(length + index, 0) : Math.min(index, length);
}

function integer(value: unknown): number {
  return Math.trunc(Number(value)) || 0;
}

/** Takes items out as a recipe sees them. */
function take(place: ArrayPlace, index: number, count: number, values: unknown[]): unknown[] {
  place.read(index, index + count);
  const out = place.splice(index, count, slotsFor(place, values));
  for (let i = 0; i < out.length; i++) if (isContainer(out[i])) out[i] = seen(out[i]);
  return out;
}

/** What indexing sees, as a plain array. */
function all(place: ArrayPlace, from = 0, to = place.length): unknown[] {
  place.read(from, to);
  const items: unknown[] = [];
  for (let i = from; i < to; i++) {
    if (place.isHole(i)) items.length++;
    else items.push(item(place, i));
  }
  return items;
}

type Visit<R> = (value: unknown, index: number, array: unknown[]) => R;

/** Throws what arrays throw for a callback that is no function. */
function requireFunction(visit: unknown): void {
  if (typeof visit !== "function") throw new TypeError(`${String(visit)} is not a function`);
}

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
    if (compare !== undefined && typeof compare !== "function") throw new TypeError("the comparison function has to be a function or undefined");
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
    if (!has(array, values)) rewrite(this, values, order);
    else if (order.some((from, to) => from !== to)) array.permute(order);
    return this;
  },
};

/** Whether an array has these items still. */
function has(array: ArrayPlace, values: readonly unknown[]): boolean {
  if (array.length !== values.length) return false;
  for (let i = 0; i < values.length; i++) if (!Object.is(item(array, i), values[i]) || array.isHole(i) === i in values) return false;
  return true;
}

/** What `sort` does to an array that its comparator has changed: it has taken the items out before, and puts them in one by one. */
function rewrite(draft: unknown[], values: readonly unknown[], order: readonly number[]): void {
  for (let i = 0; i < order.length; i++) {
    if (order[i]! in values) draft[i] = values[order[i]!];
    else delete draft[i];
  }
}

/** Array methods that look at items one by one: through indexes, which a proxy is asked for as strings, they are slower. */
const looking = {
  forEach(this: unknown[], visit: Visit<void>, self?: unknown): void {
    const array = place(this);
    requireFunction(visit);
    const { length } = array;
    for (let i = 0; i < length && i < array.length; i++) if (!array.isHole(i)) visit.call(self, item(array, i), i, this);
  },
  map(this: unknown[], visit: Visit<unknown>, self?: unknown): unknown[] {
    requireFunction(visit);
    const results = new Array<unknown>(place(this).length);
    looking.forEach.call(this, (value, i) => (results[i] = visit.call(self, value, i, this)));
    return results;
  },
  filter(this: unknown[], visit: Visit<unknown>, self?: unknown): unknown[] {
    requireFunction(visit);
    const results: unknown[] = [];
    looking.forEach.call(this, (value, i) => {
      if (visit.call(self, value, i, this)) results.push(value);
    });
    return results;
  },
  findIndex(this: unknown[], visit: Visit<unknown>, self?: unknown): number {
    const array = place(this);
    requireFunction(visit);
    const { length } = array;
    for (let i = 0; i < length; i++) if (visit.call(self, item(array, i), i, this)) return i;
    return -1;
  },
  find(this: unknown[], visit: Visit<unknown>, self?: unknown): unknown {
    requireFunction(visit);
    let found: unknown;
    const index = looking.findIndex.call(this, (value, i) => visit.call(self, (found = value), i, this));
    return index === -1 ? undefined : found;
  },
  some(this: unknown[], visit: Visit<unknown>, self?: unknown): boolean {
    const array = place(this);
    requireFunction(visit);
    const { length } = array;
    for (let i = 0; i < length && i < array.length; i++) if (!array.isHole(i) && visit.call(self, item(array, i), i, this)) return true;
    return false;
  },
  every(this: unknown[], visit: Visit<unknown>, self?: unknown): boolean {
    requireFunction(visit);
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
    if (value === undefined || typeof value === "number") {
      array.read(clamp(integer(from), array.length), array.length);
      return array.items.includes(value, from);
    }
    return looking.indexOf.call(this, value, from) !== -1;
  },
  join(this: unknown[], separator?: string): string {
    const items = all(place(this));
    // An array that is in itself is known by itself.
    return Array.prototype.join.call(items.some(isContainer) ? this : items, separator);
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
  ["with", "toSorted", "toReversed", "toSpliced", "concat", "flat"].flatMap((name) => {
    const method = (Array.prototype as unknown as Record<string, ArrayMethod | undefined>)[name];
    if (method === undefined) return [];
    const make = function (this: unknown[], ...args: unknown[]): unknown {
      const items = all(place(this));
      return args.length > ARGUMENTS && name in many ? many[name]!(items, args) : method.apply(items, args);
    };
    return [[name, make as ArrayMethod]];
  }),
);

export const arrayMethods: Record<PropertyKey, unknown> = { ...changing, ...looking, ...making };

/** Looks for a value in slots. A container of the state that has no draft yet is nobody's to look for. */
function search(array: ArrayPlace, value: unknown, find: (slot: unknown) => number, from: number): number {
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
function iterate(array: ArrayPlace): IterableIterator<unknown> {
  let i = 0;
  const next = (): IteratorResult<unknown> => (i < requireOpen(array).length ? { value: item(array, i++), done: false } : ((i = Infinity), { value: undefined, done: true }));
  return { __proto__: ITERATOR, next } as unknown as IterableIterator<unknown>;
}
