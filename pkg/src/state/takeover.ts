import { isContainer, LARGE, put, type Container, type Key } from "../json/containers.js";
import { copyOf, copyOfNew } from "../json/copies.js";
import { Gathered, isEdited, repeatsIn, replaced, shifted } from "./gathered.js";
import { homeOf, type Home } from "./home.js";
import { beginsWithHole, DEEPEST, hasSymbols, isPlain, notJson, notJsonAt, pointerOf, refuseHoles, symbolNotJson, tooDeep, tooLarge } from "../json/json.js";
import { Items, Composite, Ref, Run, Trail, type Grown } from "./payload.js";
import { hasPlace, isHeir, placeOf, type Place } from "./place.js";
import type { Recipe } from "./recipe.js";
import { namesakeOf, type Indexes } from "./same.js";
import type { Told } from "./told.js";
import { Unread } from "./unread.js";

/** Arrays up to this length are copied in a few microseconds: V8 gives longer ones memory pages of their own. */
const LONG = 16_000;
/** Arrays of so few scalars are shorter than a reference to where they were. */
const SHORT = 64;
/** So deep most values aren't. */
const DEEP = 64;
/** How far ahead an item is looked for in what was there, and how many are looked for everywhere before an index is made. */
const AHEAD = 32;
const SEARCHES = 16;

/**
 * Takes values over, as they are when a recipe has ended: turns the recipe's own ones into plain frozen ones, which share
 * with the state what was in it, and finds out how to tell of them. Refuses what isn't JSON.
 */
export abstract class Takeover {
  /** Bounds of what came in, so that the core is asked where a limit may be near: bytes, nesting, the longest string. */
  bytes = 0;
  depth = 0;
  longest = 0;
  grown: Grown | null = null;
  /** What of the state was put elsewhere: what a place holds comes before it. */
  readonly puts: Place[] = [];
  /**
   * Frozen containers of the state that a new value keeps at the same key, and arrays of which it keeps items; none of them has a place.
   * What came is measured by them too, where what held them was put elsewhere.
   */
  readonly kept: object[] = [];
  /** How often the items of arrays were repeated that have no places of their own. */
  repeats = 0;
  /** Large containers that nobody has seen. */
  readonly unseen: object[] = [];
  /** Containers with unread slots that others took the place of. */
  left: object[] | null = null;
  /** Whether the recipe put something of the state anywhere: it may be in two places then. */
  hasPut = false;
  /** Whether the recipe's result is in the state. */
  hasResult = false;
  /** What the log takes for the value that was taken over last, and what is to be told inside of it. */
  protected payload: unknown = undefined;
  protected told: Told | null = null;
  /** Whether that value is the one that was there before, with what is to be told inside of it. */
  protected isHint = false;
  private least = 0;
  /** Whether the container that is being taken over holds what a copy isn't enough for. */
  private isMixed = false;
  readonly path: Key[] = [];
  /** The values around the one that is taken over. */
  private readonly around: object[] = [];
  /** Where arrays that were there had their items, of those that this had to be looked up for. */
  private indexes: Map<object, Map<unknown, number>> | null = null;
  private searches = 0;

  constructor(
    protected readonly recipe: Recipe,
    private readonly result: unknown,
    private readonly mostBytes: number,
  ) {}

  /** What a place became. */
  abstract settle(place: Place): object;

  /** A member that was put in; `hint` is what was there before, at a key that it may not have any more. */
  protected value(key: Key, slot: unknown, hint: unknown, place: Place, hintKey = key): unknown {
    this.path.push(key);
    this.told = null;
    this.isHint = false;
    let final = slot;
    if (isContainer(slot)) {
      const above = isContainer(hint) ? homeOf(place) : undefined;
      const home = above === undefined ? undefined : new Trail(above, hintKey);
      final = this.container(slot, hint, home);
      this.isHint = this.payload instanceof Ref && this.payload.home === home;
    } else {
      this.scalar(slot);
      this.payload = slot;
    }
    this.path.pop();
    return final;
  }

  /** Takes over a container of the recipe's, a frozen one, or a draft: sets `payload` and `told`. */
  private container(value: object, hint: unknown, home: Home): object {
    if (home !== undefined || this.isMixed) return this.mixed(value, hint, home);
    const { bytes, depth, longest, least } = this;
    const plain = this.plain(value, this.path.length + 1);
    if (plain !== null) {
      this.payload = plain;
      this.told = null;
      return plain;
    }
    [this.bytes, this.depth, this.longest, this.least] = [bytes, depth, longest, least];
    this.isMixed = true;
    const final = this.mixed(value, hint, home);
    this.isMixed = false;
    return final;
  }

  /**
   * Takes over a container in whose place nothing was that it could have parts of, if nothing in it needs more than a copy. Null where something
   * does, or must be refused.
   */
  private plain(value: object, depth: number): object | null {
    if (hasPlace(value) || depth > DEEP || !isPlain(value) || hasSymbols(value) || this.recipe.state.source(value) !== null) return null;
    if (value === this.result) this.hasResult = true;
    if (depth > this.depth) this.depth = depth;
    this.bytes += 6;
    this.least += 2;
    let isSame = Object.isFrozen(value);
    let copy: object;
    if (Array.isArray(value)) {
      if (beginsWithHole(value) || value.length * 2 > this.mostBytes) return null;
      const items = (copy = copyOf(value));
      for (let i = 0; i < items.length; i++) {
        const item: unknown = items[i];
        const final = isContainer(item) ? this.plain(item, depth + 1) : this.isScalar(item) ? item : null;
        if (final === null && item !== null) return null;
        if (final === item) continue;
        items[i] = final;
        isSame = false;
      }
    } else {
      const names = Object.keys(value);
      const members = (copy = copyOfNew(value as Container, names));
      for (let i = 0; i < names.length; i++) {
        const name = names[i]!;
        const item = members[name];
        const final = isContainer(item) ? this.plain(item, depth + 1) : this.isScalar(item) ? item : null;
        if (final === null && item !== null) return null;
        this.bytes += name.length * 3 + 4;
        this.least += name.length + 3;
        if (final === item) continue;
        put(members, name, final);
        isSame = false;
      }
    }
    if (this.least > this.mostBytes) return null;
    return isSame ? value : Object.freeze(copy);
  }

  /** Takes over any container. */
  private mixed(value: object, hint: unknown, home: Home): object {
    const place = placeOf(value);
    if (place !== undefined && place.recipe === this.recipe) return this.place(place);
    if (value === this.result) this.hasResult = true;
    if (value === hint && home !== undefined && this.recipe.isOurs(value)) {
      this.kept.push(value);
      this.payload = new Ref(home);
      return value;
    }
    if (isHeir(value)) throw notJsonAt("an object that inherits from a draft isn't JSON: `__proto__` was assigned to it, as a name", pointerOf(this.path));
    if (!isPlain(value)) throw notJson(value, this.path);
    if (hasSymbols(value)) throw symbolNotJson(pointerOf(this.path));
    const depth = this.path.length + 1;
    if (depth > this.depth) this.depth = depth;
    this.bytes += 4;
    this.weigh(2);
    const { around } = this;
    // Looking for a cycle costs the depth: most values aren't so deep.
    if (depth > DEEP && around.includes(value)) this.refuseCycle();
    if (depth > DEEPEST) throw tooDeep(this.path);
    if (Array.isArray(value)) this.refuseLength(value);
    around.push(value);
    const final = Array.isArray(value) ? this.list(value, hint, home, Object.isFrozen(value), false) : this.members(value as Container, hint, home);
    around.pop();
    return final;
  }

  /** Refuses an array that is long in name only, or too long, before it is copied: memory may not suffice for that. */
  private refuseLength(array: readonly unknown[]): void {
    refuseHoles(array, this.path);
    if (array.length * 2 > this.mostBytes) throw tooLarge(this.path);
  }

  private refuseCycle(): never {
    const { around, path } = this;
    // Where one that is around it already is met again: it may be another one than this.
    const again = around.findIndex((container, i) => around.indexOf(container) < i);
    throw notJson({}, path.slice(0, path.length - around.length + (again === -1 ? around.length : again)));
  }

  private place(place: Place): object {
    this.hasPut = true;
    const home = homeOf(place);
    // What stands for a frozen value that wasn't in the state is taken over as any value of the recipe's.
    if (home === undefined) return this.container(place.seated(), undefined, undefined);
    const final = this.settle(place);
    this.take(place);
    this.payload = new Ref(home);
    this.told = place.told;
    return final;
  }

  /** What was read at a place is here now, or here as well. */
  private take(place: Place): void {
    if (++place.puts === 1) this.puts.push(place);
    this.bytes++;
    this.weigh(2);
    if (this.path.length > place.deepest) place.deepest = this.path.length;
  }

  /** Takes over an object; its members that are `undefined` aren't there, as JSON has it. */
  private members(value: Container, hint: unknown, home: Home): object {
    const { path } = this;
    const was = isContainer(hint) && !Array.isArray(hint) && !(hint instanceof Unread) ? (hint as Container) : undefined;
    if (was !== undefined) this.recipe.state.list(was);
    const names = Object.keys(value);
    // The same members in the same order are the same value: it is copied from the first difference on.
    const there = was !== undefined && home !== undefined && this.recipe.isOurs(was) ? Object.keys(was) : null;
    let copy: Container | null = there === null ? copyOfNew(value, names) : null;
    let payloads: unknown[] | null = null;
    let below: [Key, Told][] | null = null;
    let [isSame, isAsBefore, hasGaps] = [Object.isFrozen(value), there !== null, false];
    const at = path.push("") - 1;
    for (let i = 0; i < names.length; i++) {
      const name = names[i]!;
      const isInTurn = copy === null && name === there![i];
      // Each member is read once: of what was copied, the copy is looked at.
      const item = copy === null ? value[name] : copy[name];
      if (isInTurn && item === was![name] && !isContainer(item)) continue;
      path[at] = name;
      const before = isInTurn || (was !== undefined && Object.hasOwn(was, name)) ? was![name] : undefined;
      let final = item;
      if (isContainer(item)) {
        this.told = null;
        final = this.container(item, before, home === undefined || before === undefined ? undefined : new Trail(home, name));
        if (isInTurn && final === before && this.told === null) {
          isSame &&= final === item;
          continue;
        }
        if (this.told !== null) (below ??= []).push([name, this.told]);
      }
      if (copy === null) {
        copy = copyOfNew(value, names);
        put(copy, name, item);
        payloads = kept(copy, was!, there!, i, home!);
      }
      if (item === undefined) {
        hasGaps = true;
        continue;
      }
      this.least += name.length + 3;
      this.bytes += name.length * 3 + 4;
      if (isContainer(item)) {
        if (final !== item) put(copy, name, final);
        if (this.payload !== final) (payloads ??= Object.values(copy))[i] = this.payload;
        else if (payloads !== null) payloads[i] = final;
        isSame &&= final === item;
      } else this.scalar(item);
      isAsBefore &&= final === before;
    }
    path.pop();
    this.told = null;
    if (copy === null) {
      if (names.length === there!.length) {
        this.payload = new Ref(home!);
        return was!;
      }
      copy = copyOfNew(value, names);
      payloads = kept(copy, was!, there!, names.length, home!);
    }
    if (hasGaps) {
      const all = copy;
      isSame = false;
      payloads = payloads?.filter((_, i) => all[names[i]!] !== undefined) ?? null;
      copy = withoutGaps(all, names);
    }
    const count = payloads?.length ?? Object.keys(copy).length;
    // The same members in the same order are the same value.
    if (isAsBefore && hasNames(was!, copy, count)) {
      this.payload = new Ref(home!);
      return was!;
    }
    const result = isSame ? value : Object.freeze(copy);
    this.payload = payloads === null ? result : new Composite(Object.keys(copy), payloads);
    if (below !== null) this.told = { turn: 0, first: null, steps: null, below };
    return result;
  }

  /**
   * Takes over an array, in which items that were in `hint` before are told as runs of it. With `isSlots` the array is a
   * copy of ours.
   */
  protected list(source: readonly unknown[], hint: unknown, home: Home, isFrozen: boolean, isSlots: boolean): object {
    const { path } = this;
    const there = home !== undefined && Array.isArray(hint) ? (hint as unknown[]) : null;
    if (there !== null) {
      this.recipe.state.list(there);
      if (this.recipe.isOurs(there) && hasScalars(source, there)) {
        this.payload = new Ref(home!);
        return there;
      }
    }
    const was = there === null ? null : readable(there, source.length);
    const copy = copyOf(source) as unknown[];
    if (this.recipe.state.source(source) !== null && copy.some((slot) => slot instanceof Unread)) this.recipe.state.noteCopy(source, copy);
    // What hasn't been read looks the same at every index, and is the item of its own.
    const unread: unknown = there === null ? null : (this.recipe.state.source(there)?.items ?? null);
    const { length } = copy;
    const items = new Gathered(isFrozen, was !== null);
    let below: [Key, Told][] | null = null;
    let names: Indexes | null = null;
    let strangers = 0;
    const at = path.push("") - 1;
    for (let i = 0; i < length; i++) {
      // Most of an array that is put back is in its order.
      if (items.run !== null) {
        const kept = common(copy, i, was!, items.next, unread);
        i += kept;
        items.keepMore(kept);
        if (i === length) break;
      }
      const item = copy[i];
      path[at] = i;
      const { next } = items;
      if (was !== null) {
        const place: Place | undefined = isContainer(item) && item !== was[next] && item !== was[next + 1] ? placeOf(item) : undefined;
        const known = place !== undefined && place.recipe === this.recipe ? place.base : item;
        const index = item === unread && unread !== null ? i : place !== undefined && known === item ? -1 : this.find(there!, was, known, next, i, place);
        if (index >= 0) {
          const isOfPlace = place !== undefined && known !== item;
          const final = isOfPlace ? this.settle(place) : item;
          if (isOfPlace) this.take(place);
          this.hasPut ||= place !== undefined && index < next;
          if (place !== undefined && place.told !== null) (below ??= []).push([i, place.told]);
          if (!isContainer(item)) this.scalar(item);
          items.keep(index, item, final, isOfPlace);
          copy[i] = final;
          continue;
        }
      }
      let final: unknown = item;
      this.payload = item;
      this.told = null;
      if (isContainer(item)) {
        let index = was === null || placeOf(item) !== undefined ? next : namesakeOf(item, was, next, (names ??= new Map()));
        // The first that has none may be the one that was there, with another name; more than one are others.
        if (index < 0 && strangers++ === 0) index = next;
        const before = was?.[index];
        final = this.container(item, before, isContainer(before) && home !== undefined ? new Trail(home, index) : undefined);
        if (final === before && final !== item && this.told === null && this.payload instanceof Ref) {
          // An equal copy of an item that was there is that item.
          items.keepEqual(index);
          copy[i] = final;
          continue;
        }
        if (this.told !== null) (below ??= []).push([i, this.told]);
      } else this.scalar(item);
      items.put(this.payload, item, final);
      copy[i] = final;
    }
    path.pop();
    if (items.hasOthers) this.kept.push(there!);
    return this.listed(source, copy, items, there, home, isSlots, below);
  }

  /** What an array became whose items were gathered from the one that was `there`, and how it is told. */
  private listed(source: object, copy: unknown[], items: Gathered, there: unknown[] | null, home: Home, isSlots: boolean, below: [Key, Told][] | null): object {
    const { parts } = items;
    const { length } = copy;
    this.told = below === null ? null : { turn: 0, first: null, steps: null, below };
    const isAsBefore = there !== null && length === there.length;
    if (isAsBefore && below === null && items.isWhole(length) && this.recipe.isOurs(there)) {
      this.payload = new Ref(home!);
      return there;
    }
    const result: object = items.isSame ? source : this.sealed(copy, isSlots && length > LARGE);
    if (isAsBefore) {
      const steps = replaced(parts, this.recipe.state.isWhole ? there! : null, copy);
      if (steps !== null && (length > SHORT || isEdited(steps, there, copy))) {
        this.payload = new Ref(home!);
        this.told = { turn: 0, first: null, steps, below };
        return result;
      }
    }
    const steps = there !== null && items.isInOrder && !items.isPlain ? shifted(parts, there) : null;
    if (steps !== null) {
      this.payload = new Ref(home!);
      this.told = { turn: 0, first: null, steps, below };
      return result;
    }
    const hasRuns = parts.some((part) => part instanceof Run);
    if (hasRuns && (!items.isPlain || length > SHORT)) {
      if (!items.isInOrder) this.repeats += repeatsIn(parts, there!.length);
      this.payload = new Items(home?.path() ?? [], parts, items.isSifted && items.isInOrder ? there!.length : null);
      return result;
    }
    // What stays open changes where it is, before the log is read.
    this.payload = items.isPlain && below === null && Object.isFrozen(result) ? result : new Composite(null, parts);
    return result;
  }

  /**
   * The index of the item that is now at `at` in the array that was there, whose items `was` has; -1 if it wasn't in it. Items
   * mostly come in their order.
   */
  private find(there: unknown[], was: unknown[], item: unknown, next: number, at: number, place: Place | undefined): number {
    if (Object.is(was[next], item)) return next;
    if (next + 1 < was.length && Object.is(was[next + 1], item)) return next + 1;
    if (!isContainer(item)) return -1;
    if (place !== undefined && (place.parent?.base as unknown) === there && Object.is(was[place.key as number], item)) return place.key as number;
    if (place === undefined && !(item instanceof Unread || this.recipe.isOurs(item))) return -1;
    // Where it is now, after others have changed places.
    if (was[at] === item) return at;
    const end = Math.min(was.length, next + AHEAD);
    for (let i = next + 1; i < end; i++) if (was[i] === item) return i;
    let index = this.indexes?.get(there);
    if (index === undefined) {
      if (this.searches++ < SEARCHES) return was.indexOf(item);
      (this.indexes ??= new Map()).set(there, (index = new Map()));
      for (let i = was.length - 1; i >= 0; i--) if (isContainer(was[i])) index.set(was[i], i);
    }
    return index.get(item) ?? -1;
  }

  protected scalar(value: unknown): void {
    if (!this.isScalar(value)) throw notJson(value, this.path);
    this.weigh(0);
  }

  /** Counts a scalar, if it is one that JSON has. */
  private isScalar(value: unknown): boolean {
    switch (typeof value) {
      case "string":
        this.bytes += value.length * 3 + 3;
        this.least += value.length + 2;
        if (value.length > this.longest) this.longest = value.length;
        return true;
      case "number":
        this.bytes += 26;
        this.least++;
        return Number.isFinite(value);
      case "boolean":
        this.bytes += 6;
        this.least += 4;
        return true;
      default:
        this.bytes += 5;
        this.least += 4;
        return value === null;
    }
  }

  /** There are so many bytes more at least. A value that holds another many times over would never be taken over to its end. */
  private weigh(bytes: number): void {
    this.least += bytes;
    if (this.least > this.mostBytes) throw tooLarge(this.path);
  }

  protected sealed(container: object, mayStayOpen: boolean): object {
    this.bytes += 2;
    // A large one in which not everything has been read would otherwise be copied by every change until it has.
    if (mayStayOpen) this.unseen.push(container);
    // What hasn't been read of it is put where it is.
    else if (this.recipe.state.source(container) === null) Object.freeze(container);
    return container;
  }
}

/**
 * An array's items to compare so many with. Items of a frozen array take V8 ten times as long to read, and where it has read one by
 * index, it reads those of other arrays as slowly from then on. Of a very long one few may be wanted.
 */
function readable(array: unknown[], count: number): unknown[] {
  return array.length <= Math.max(count * 4, LONG) && Object.isFrozen(array) ? [...array] : array;
}

/** How many containers from one index on are the same in both; those that are `unread` are at the same index alone. */
function common(a: unknown[], from: number, b: unknown[], otherFrom: number, unread: unknown): number {
  const most = Math.min(a.length - from, b.length - otherFrom);
  const other = from === otherFrom ? null : unread;
  let count = 0;
  while (count < most && a[from + count] === b[otherFrom + count] && isContainer(a[from + count]) && a[from + count] !== other) count++;
  return count;
}

/** What the log takes for the members of a copy, of which the first so many are those that were there: null if it is the copy. */
function kept(copy: Container, was: Container, there: readonly string[], count: number, home: Trail): unknown[] | null {
  let payloads: unknown[] | null = null;
  for (let i = 0; i < count; i++) {
    const name = there[i]!;
    const member = was[name];
    put(copy, name, member);
    if (isContainer(member)) (payloads ??= Object.values(copy))[i] = new Ref(new Trail(home, name));
    else if (payloads !== null) payloads[i] = member;
  }
  return payloads;
}

/** Whether a short array has just the scalars of the one that was there. */
function hasScalars(array: readonly unknown[], was: readonly unknown[]): boolean {
  if (array.length !== was.length || array.length > SHORT) return false;
  for (let i = 0; i < array.length; i++) {
    const item = array[i];
    if (isContainer(item) || !Object.is(item, was[i])) return false;
  }
  return true;
}

/** An object without its members that are `undefined`. */
function withoutGaps(container: Container, names: readonly string[]): Container {
  const copy: Container = {};
  for (const name of names) if (container[name] !== undefined) put(copy, name, container[name]);
  return copy;
}

/** Whether an object has just the names of another one, in their order. */
export function hasNames(was: Container, copy: Container, count = Object.keys(copy).length): boolean {
  const names = Object.keys(was);
  if (names.length !== count) return false;
  const others = Object.keys(copy);
  return names.every((name, i) => name === others[i]);
}
