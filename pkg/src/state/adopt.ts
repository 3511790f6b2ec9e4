import { copyOf, Foreign, isContainer, put, type Key, type Slot, type Twin } from "./containers.js";
import { DEEPEST, isPlain, notJson } from "./json.js";
import { Place } from "./place.js";
import { readAll } from "./reading.js";
import type { Tree } from "./tree.js";
import { Unread } from "./unread.js";

/** Answers with the place behind a draft. */
export const PLACE = Symbol("patchwire place");

export function placeOf(value: object): Place | undefined {
  return (value as { [PLACE]?: Place })[PLACE];
}

/**
 * Copies caller's values into the tree: frozen where they are plain, places where drafts are inside. What isn't
 * JSON makes it `suspicious`; whether that is an error shows when the recipe ends.
 */
export class Adoption {
  suspicious = false;
  /** The deepest nesting in the document and the most text taken in, so that the core is asked when a limit may be near. */
  depth = 0;
  bytes = 0;
  /** The deepest nesting of a value that was taken in. */
  taken = 0;
  private copies: Taken[] = [];
  /** Once there are many: the same by the caller's value, and by the copy. */
  private index: Map<object, Taken> | null = null;
  private into: Place | null = null;

  constructor(private readonly tree: Writer) {}

  /** A recipe begins. */
  begin(): void {
    this.suspicious = false;
    this.depth = this.bytes = this.taken = 0;
  }

  /** What the tree holds for a value that is put at `key` of `parent`. */
  adopt(value: unknown, parent: Place, key: Key): Slot {
    this.into = parent;
    return this.copy(value, null, parent, key);
  }

  private copy(value: unknown, within: Taken | null, parent: Place | null, key: Key): Slot {
    switch (typeof value) {
      case "string":
        this.bytes += value.length;
        return value;
      case "boolean":
        return value;
      case "number":
        if (Number.isFinite(value)) return value;
        this.suspicious = true;
        return new Foreign(value);
      case "object":
        if (value === null) return value;
        return this.copyContainer(value, within, parent, key);
      case "undefined":
        this.suspicious = true;
        return undefined;
      default:
        this.suspicious = true;
        return new Foreign(value);
    }
  }

  private copyContainer(value: object, within: Taken | null, parent: Place | null, key: Key): Slot {
    const place = placeOf(value);
    if (place !== undefined && place.tree !== this.tree) return this.copy(snapshot(place), within, parent, key);
    const known = place ?? this.find(value);
    if (known !== undefined && !isWithin(this.into, known)) return known;
    const depth = within === null ? 1 : within.depth + 1;
    if (known !== undefined || !isPlain(value) || depth > DEEPEST || isIn(value, within)) {
      this.suspicious = true;
      return new Foreign(value);
    }
    if (depth > this.taken) this.taken = depth;
    const copy = (Array.isArray(value) ? new Array(value.length) : {}) as Twin;
    const taken: Taken = { value, copy, was: copy, within, depth, parent, key, place: null };
    this.copies.push(taken);
    const hasPlaces = Array.isArray(value) ? this.copyItems(value, copy, taken) : this.copyMembers(value as Twin, copy, taken);
    this.index?.set(value, taken).set(copy, taken);
    if (!hasPlaces) return Object.freeze(copy);
    taken.was = copyOf(copy);
    return (taken.place = this.holder(copy));
  }

  private copyItems(value: unknown[], copy: Twin, taken: Taken): boolean {
    let hasPlaces = false;
    for (let i = 0; i < value.length; i++) {
      const slot = (copy[i] = this.copy(value[i], taken, null, i));
      hasPlaces ||= slot instanceof Place;
    }
    return hasPlaces;
  }

  private copyMembers(value: Twin, copy: Twin, taken: Taken): boolean {
    let hasPlaces = false;
    for (const key of Object.keys(value)) {
      const item = value[key];
      this.bytes += key.length + 4;
      if (item === undefined) continue;
      const slot = this.copy(item, taken, null, key);
      put(copy, key, slot);
      hasPlaces ||= slot instanceof Place;
    }
    for (const symbol of Object.getOwnPropertySymbols(value)) {
      this.suspicious = true;
      (copy as Record<symbol, unknown>)[symbol] = null;
    }
    return hasPlaces;
  }

  /** A place for a copied container that holds places. */
  private holder(copy: Twin): Place {
    const place = new Place(this.tree, copy, null, "");
    place.owned = true;
    place.view = null;
    for (const key of Object.keys(copy)) {
      const child = copy[key];
      if (child instanceof Place) this.tree.attach(child, place, place.isArray ? Number(key) : key);
    }
    return place;
  }

  /** A copy is touched: from now on the place stands for it. */
  placed(copy: object, place: Place): void {
    if (this.copies.length === 0) return;
    const taken = this.taking("copy", copy);
    if (!taken) return;
    taken.place = place;
    this.catchUpWith(taken);
  }

  /**
   * The caller may have changed a value after putting it somewhere, as in `const list = (draft.x ??= []); list.push(1)`:
   * what is different from when it was taken in is done to the draft too. Containers in it are taken in themselves,
   * so each looks only at its own members.
   */
  catchUp(): void {
    const { copies } = this;
    for (let i = 0; i < copies.length; i++) this.catchUpWith(copies[i]!);
  }

  /** The recipe has ended: what the caller does to its values from now on is its own affair. */
  end(): void {
    this.into = null;
    if (this.copies.length === 0) return;
    this.copies = [];
    this.index = null;
  }

  private catchUpWith(taken: Taken): void {
    const value = taken.value as Twin;
    const was = taken.was as Twin;
    if (!this.hasChanged(value, was)) return;
    const keys = Object.keys(value).filter((key) => value[key] !== undefined || Array.isArray(value));
    const place = this.resolve(taken);
    // Finding the place may have made it, and so come here already; and so may the writes below.
    if (taken.was !== was) return;
    taken.was = Array.isArray(value) ? [...value] : Object.fromEntries(keys.map((key) => [key, value[key]]));
    if (!place) return;
    if (Array.isArray(value)) return this.catchUpItems(place, value, was as unknown as Slot[]);
    for (const key of keys) if (!this.isUnchanged(value, was, key)) this.tree.assign(place, key, value[key]);
    for (const key of Object.keys(was)) {
      if ((!Object.hasOwn(value, key) || value[key] === undefined) && Object.hasOwn(place.twin, key)) this.tree.delete(place, key);
    }
  }

  /** Asked of every value that was taken in, so without closures. */
  private hasChanged(value: Twin, was: Twin): boolean {
    if (Array.isArray(value)) {
      if (value.length !== was.length) return true;
      for (let i = 0; i < value.length; i++) if (!this.isUnchanged(value, was, i)) return true;
      return false;
    }
    let count = 0;
    for (const key in was) {
      if (!this.isUnchanged(value, was, key)) return true;
      count++;
    }
    for (const key in value) if (value[key] !== undefined) count--;
    return count !== 0;
  }

  private catchUpItems(place: Place, value: unknown[], was: Slot[]): void {
    const { length } = place.twin as unknown as Slot[];
    const unchanged = (i: number): boolean => this.isUnchanged(value as never, was as never, i);
    let head = 0;
    while (head < was.length && head < value.length && unchanged(head)) head++;
    if (head === was.length) this.tree.spliceItems(place, length, 0, value.slice(head));
    else if (length === was.length && value.length === was.length) value.forEach((item, i) => unchanged(i) || this.tree.assign(place, i, item));
    else this.tree.spliceItems(place, 0, length, value);
  }

  /** Whether a member is the very thing that was there when the container was last looked at. */
  private isUnchanged(value: Twin, was: Twin, key: Key): boolean {
    const item = value[key];
    const slot = was[key];
    // Nothing that isn't a container or a function is inherited.
    if (typeof item !== "object" && typeof item !== "function" && Object.is(item, slot)) return true;
    if (!Object.hasOwn(was, key)) return false;
    if (Object.is(item, slot)) return true;
    if (slot instanceof Foreign) return Object.is(slot.value, item);
    if (!isContainer(item) || !isContainer(slot)) return false;
    if (slot instanceof Place && placeOf(item) === slot) return true;
    const taken = this.taking("value", item);
    return taken !== undefined && (taken.copy === slot || taken.place === slot);
  }

  /** The place of an object that this recipe has put somewhere before, with what the caller did to it since. */
  private find(value: object): Place | undefined {
    if (this.copies.length === 0) return undefined;
    const taken = this.taking("value", value);
    if (!taken) return undefined;
    const into = this.into;
    this.catchUpWith(taken);
    this.into = into;
    const place = this.resolve(taken);
    return place && same(value, snapshot(place)) ? place : undefined;
  }

  private taking(what: "value" | "copy", known: object): Taken | undefined {
    const { copies } = this;
    if (this.index === null && copies.length > 8) {
      this.index = new Map(copies.flatMap((taken) => [[taken.value, taken], [taken.copy, taken]] as const));
    }
    if (this.index !== null) return this.index.get(known);
    for (let i = copies.length - 1; i >= 0; i--) if (copies[i]![what] === known) return copies[i];
    return undefined;
  }

  private resolve(taken: Taken): Place | undefined {
    if (taken.place !== null) return taken.place;
    const parent = taken.within === null ? taken.parent : this.resolve(taken.within);
    if (!parent) return undefined;
    let key = taken.key;
    if (parent.twin[key] !== taken.copy) {
      if (!Array.isArray(parent.twin)) return undefined;
      key = (parent.twin as Slot[]).indexOf(taken.copy);
      if (key < 0) return undefined;
    }
    const slot = this.tree.child(parent, key);
    return slot instanceof Place ? slot : undefined;
  }
}

/** How an adoption writes to the tree: recorded, as a draft does. */
interface Writer extends Tree {
  assign(place: Place, key: Key, value: unknown): void;
  delete(place: Place, key: string): void;
  spliceItems(place: Place, index: number, count: number, values: unknown[]): Slot[];
}

/** A container that was taken in: the caller's, our copy of it, where it was put, and its place once it has one. */
interface Taken {
  value: object;
  copy: object;
  /** What its members were when it was last looked at: the caller's, or ours for them. */
  was: object;
  /** The container that was taken in around it, and how many there are. */
  within: Taken | null;
  depth: number;
  parent: Place | null;
  key: Key;
  place: Place | null;
}

/** Whether a value is one of those around it: then it contains itself. */
function isIn(value: object, within: Taken | null): boolean {
  for (; within !== null; within = within.within) if (within.value === value) return true;
  return false;
}

/** Whether `inner` is `outer` or in it: then `outer` can't be put there. */
function isWithin(inner: Place | null, outer: Place): boolean {
  for (let place = inner; place !== null; place = place.parent) {
    if (place === outer || place.others?.some((other) => isWithin(other, outer))) return true;
  }
  return false;
}

/** A plain, frozen copy of a place as it is now. O(its size). */
export function snapshot(slot: Slot): unknown {
  if (!(slot instanceof Place)) return slot;
  if (slot.view !== null) return slot.view;
  readAll(slot);
  const copy: object = Array.isArray(slot.twin) ? [] : {};
  for (const key of Object.keys(slot.twin)) put(copy, key, snapshot(slot.twin[key]));
  return Object.freeze(copy);
}

function same(a: unknown, b: unknown): boolean {
  if (!isContainer(a) || !isContainer(b)) return Object.is(a, b);
  const defined = Object.keys(a).filter((key) => (a as Record<string, unknown>)[key] !== undefined);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    defined.length === Object.keys(b).length &&
    defined.every((key) => Object.hasOwn(b, key) && same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
  );
}

/** Refuses a tree that holds something that isn't JSON. O(its size): asked only when something suspicious came in. */
export function requireJson(slot: Slot, path: Key[] = [], ancestors: Slot[] = []): void {
  if (slot instanceof Foreign) throw notJson(slot.value, path);
  if (slot === undefined) throw notJson(slot, path);
  if (!isContainer(slot) || slot instanceof Unread) return;
  if (ancestors.includes(slot)) throw notJson({}, path);
  const container = slot instanceof Place ? slot.twin : (slot as Record<Key, Slot>);
  const below = [...ancestors, slot];
  if (Array.isArray(container)) {
    for (let i = 0; i < container.length; i++) requireJson(container[i], [...path, i], below);
  } else {
    const symbols = Object.getOwnPropertySymbols(container);
    if (symbols.length > 0) throw notJson(symbols[0], path);
    for (const key of Object.keys(container)) requireJson(container[key], [...path, key], below);
  }
}
