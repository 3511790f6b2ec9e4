import { inverseOf, moved, movedFrom, reorder, undoEdit, type ArrayEdit } from "./array-edits.js";
import { isContainer, itemsOf, LARGE, put, spliceItems, type Container, type Key } from "./containers.js";
import { copyOf, copyOfMembers, forgetNames, haveNames, namesOf } from "./copies.js";
import type { Members } from "./members.js";
import { readAll, readSlot } from "./reading.js";
import type { Recipe } from "./recipe.js";
import { RUN, type Slots } from "./slots.js";
import { SMALL, Unread } from "./unread.js";

/** Answers with the place behind a draft. */
export const PLACE = Symbol("patchwire place");

/** The place behind a draft, or the place itself; undefined for whatever is neither, even if it inherits from a draft. */
export function placeOf(value: object): Place | undefined {
  const place = (value as { [PLACE]?: Place })[PLACE];
  return place !== undefined && (place.proxy === value || place === value) ? place : undefined;
}

/** Whether an object inherits from a draft: a member named `__proto__` was assigned to it. */
export function isHeir(value: object): boolean {
  return (value as { [PLACE]?: Place })[PLACE] !== undefined && placeOf(value) === undefined;
}

/** A container of the state took the place of another one, which was there before the recipe. */
export class Exchanged {
  constructor(readonly before: object) {}
}

/**
 * One operation for the log, whose path is that of the container it changes. Of a member or an item that was set, `op` is
 * what a patch would say, if that is certain; `isPush` is true of one item that came to the end.
 */
export type Step =
  | { kind: "set"; key: Key; value: unknown; op: "add" | "replace" | Exchanged | null }
  | { kind: "delete"; key: string; op: "remove" | null; gone?: unknown }
  | { kind: "rewrite"; value: unknown }
  | { kind: "splice"; index: number; remove: number; values: unknown[]; isPush: boolean }
  | { kind: "permute"; order: number[] };

/** What is to be told of a container and, by their keys, of those in it. */
export interface Told {
  /** Containers in it that were changed before it. */
  first: [Key, Told][] | null;
  steps: Step[] | null;
  below: [Key, Told][] | null;
}

/** An array that was edited more often is told by what it has become. */
const EDITS = 16;
/** Members that have drafts are looked for one by one up to so many. */
const FEW = 8;

/** In {@link Place.touched}: the object had no such member. */
export const ABSENT = Symbol("absent");

/**
 * An array or an object of the state, as a running recipe sees it. A slot of `now` holds what indexing the draft gives,
 * except that a place stands for its draft, and that a container of the state is drafted when it is first read.
 */
export class Place implements Told {
  /** What it holds: `base` itself until it is first written to. */
  now: Container;
  /** Whether `now` may be written to. */
  isOwn = false;
  /** Whether an object has got names, or lost some. */
  private isRenamed = false;
  /** Whether `now` is `base` all the same, which nobody has seen: see {@link Recipe.mayWriteInto}. */
  isInPlace = false;
  /** Whether it or something in it was written to. */
  isChanged = false;
  /** Which one in the recipe it was to be changed. */
  turn = 0;
  /** Which change of the recipe the first one to an object's own members was. */
  private touchTurn = 0;
  /** The members that were drafted where they are: in slots of a copy; otherwise known by their keys. */
  drafted: Place[] | null = null;
  private byKey: Map<Key, Place> | null = null;
  /** Of an array: what was done; null if nothing was, or more than is worth telling. */
  edits: ArrayEdit[] | null = null;
  isRewritten = false;
  /** Whether an array may have holes, which have to be gone when the recipe ends. */
  private hasHoles = false;
  /** Of an object: what members were before they were written to, in the order in which a plain object would have new ones. */
  touched: Map<string, unknown> | null = null;
  removed: Set<string> | null = null;
  /** Whether the copy of an object has so many members that it may stay unfrozen. */
  isLarge = false;
  proxy: object | null = null;
  /** Where its parent had it when the recipe began, if that has been looked for. */
  home: Key | typeof ABSENT | undefined = undefined;
  private indexOfBase: Map<object, Key> | null = null;
  /** How many edits the array had when this item of it was drafted, that have to be followed to find it. */
  readonly since: number;
  private readonly unlisted: Slots | null;
  private readonly wide: Members | null;

  /** What it became, when the recipe has ended. */
  final: object | undefined = undefined;
  isBeingSettled = false;
  /** How often it was put somewhere, and how deep at most. */
  puts = 0;
  deepest = 0;
  first: [Key, Told][] | null = null;
  steps: Step[] | null = null;
  below: [Key, Told][] | null = null;

  constructor(
    readonly recipe: Recipe,
    /** What it is when the recipe begins. */
    readonly base: Container,
    /** The container in which it was first read, and where; -1 for what was taken out of an array. */
    readonly parent: Place | null,
    readonly key: Key,
    /** Whether the state has it there; not known of what recipes put elsewhere. */
    readonly isOfState = parent === null,
  ) {
    this.now = base;
    this.since = parent?.edits?.length ?? 0;
    this.unlisted = recipe.slots(base);
    this.wide = recipe.members(base);
  }

  get [PLACE](): Place {
    return this;
  }

  get isArray(): boolean {
    return Array.isArray(this.base);
  }

  /** All that it holds. */
  get content(): Container {
    this.list();
    return this.now;
  }

  private list(): void {
    // Members that a recipe has deleted come back in their order if it fails, which those of a document have for themselves.
    if (this.members !== null && this.removed !== null) this.standApart();
    if (this.unlisted !== null || this.wide !== null) this.recipe.list(this.base);
  }

  /** The members of an object of a document that aren't all listed in it. */
  private get members(): Members | null {
    return this.wide === null || this.wide.isListed ? null : this.wide;
  }

  /** What it holds, at least at a key. */
  holding(key: Key | symbol): Container {
    this.find(key);
    return this.wide === null ? this.content : this.now;
  }

  /** Makes sure that an object has a member that it isn't known to have. */
  find(key: Key | symbol): void {
    if (this.wide !== null) this.wide.find(key);
  }

  get items(): unknown[] {
    return itemsOf(this.content);
  }

  /** What an array of a document holds that isn't listed in it. */
  get slots(): Slots | null {
    return this.unlisted === null || this.unlisted.isListed ? null : this.unlisted;
  }

  /** How many items there are. */
  get length(): number {
    return this.slots?.length ?? itemsOf(this.now).length;
  }

  /** What there is at a key: an array's items need no list for that, nor does its length. */
  raw(key: Key): unknown {
    const { slots } = this;
    if (slots === null || typeof key === "symbol") return this.now[key];
    if (key === "length") return slots.length;
    const index = Number(key);
    return Number.isInteger(index) && String(index) === String(key) ? slots.get(index) : this.now[key];
  }

  /** Sets what there is at a key. */
  put(key: Key, slot: unknown): void {
    const { slots } = this;
    if (slots === null) put(this.now, key, slot);
    else slots.set(key as number, slot);
  }

  /** The place of a member that has a draft, while the slot itself doesn't say it. */
  private known(key: Key): Place | undefined {
    if (this.byKey !== null) return this.byKey.get(key);
    const { drafted } = this;
    if (drafted !== null) for (let i = 0; i < drafted.length; i++) if (drafted[i]!.key === key) return drafted[i];
    return undefined;
  }

  private get hasSlots(): boolean {
    return this.isOwn && !this.isInPlace;
  }

  /** What a slot holds: a scalar, a place, or a value that the recipe put there. Containers of the state are drafted. */
  slot(key: Key): unknown {
    let slot = this.raw(key);
    if (!isContainer(slot) || slot instanceof Place) return slot;
    if (slot instanceof Unread) {
      slot = this.open(slot, key);
      if (!isContainer(slot)) return slot;
    }
    const known = this.hasSlots ? undefined : this.known(key);
    if (known !== undefined) return known;
    // What the recipe put there is taken over from its slot, where its draft has to be.
    if (this.isInPlace && this.hasPut(key)) this.standApart();
    // What is where the state has it needn't be asked whether it is frozen, which costs a look at each member.
    const isOfState = this.isOfState && (!this.isOwn || (!this.isInPlace && this.base[key] === slot));
    return isOfState || this.recipe.isOurs(slot as object) ? this.draft(slot as Container, key, isOfState) : slot;
  }

  /** Reads a slot of a document: into `base`, so that what was there has its place in it, and from there into a copy. */
  private open(unread: Unread, key: Key): unknown {
    const { base, now, slots } = this;
    if (now === base) return readSlot(slots ?? base, key);
    const home = this.homeOfUnread(unread, key);
    const slot: unknown = home === -1 ? unread.known : base[home] instanceof Unread ? readSlot(base, home) : base[home];
    put(now, key, slot);
    return slot;
  }

  /** Reads a member that hasn't been. */
  readMember(key: string): void {
    const slot: unknown = this.now[key];
    if (slot instanceof Unread) this.open(slot, key);
  }

  /** Where `base` has what wasn't read; -1 if it has been read there, and is known. */
  private homeOfUnread(unread: Unread, key: Key): Key {
    const { base } = this;
    if (unread === unread.source.items || base[key] === unread) return key;
    if (!Array.isArray(base)) return -1;
    return base[unread.at] === unread ? unread.at : base.indexOf(unread);
  }

  /** Reads what hasn't been read of some items. */
  read(from: number, to: number): void {
    if (this.recipe.source(this.now) === null) return;
    if (this.now === this.base && (this.slots === null || to - from > RUN)) return readAll(this.content, SMALL, from, to);
    for (let i = from; i < to; i++) {
      const slot = this.raw(i);
      if (slot instanceof Unread) this.open(slot, i);
    }
  }

  /** Items that will have another index have to know which they were, in `base` too. */
  private settle(from: number, to: number): void {
    const source = this.recipe.source(this.now);
    if (source === null) return;
    const { items } = this;
    const before = itemsOf(this.base);
    for (let i = from; i < to; i++) {
      if (items[i] !== source.items) continue;
      if (before[i] === source.items) before[i] = new Unread(source, i);
      items[i] = before[i];
    }
  }

  /** Items that were read in `base` along with others are the same items here. */
  catchUp(): void {
    const source = this.recipe.source(this.now);
    if (source === null) return;
    const { items } = this;
    const before = itemsOf(this.base);
    for (let i = 0; i < items.length; i++) {
      const slot = items[i];
      if (slot === source.items) items[i] = before[i];
      else if (slot instanceof Unread && slot.known !== undefined) items[i] = slot.known;
    }
  }

  /** Whether the recipe has put something into a slot of what it changes in place. */
  private hasPut(key: Key): boolean {
    if (!this.isArray) return this.touched?.has(key as string) === true;
    const index = key as number;
    return this.edits?.some((edit) => edit.kind !== "permute" && index >= edit.index && index < edit.index + edit.put.length) === true;
  }

  private draft(value: Container, key: Key, isOfState: boolean): Place {
    const place = new Place(this.recipe, value, this, key, isOfState);
    const drafted = (this.drafted ??= []);
    drafted.push(place);
    if (this.hasSlots) put(this.now, key, place);
    else if (drafted.length > FEW) this.index(place);
    return place;
  }

  /** There are too many to look for one by one. */
  private index(place: Place): void {
    if (this.byKey !== null) this.byKey.set(place.key, place);
    else if (!this.isArray || this.slots !== null) this.byKey = new Map(this.drafted!.map((place) => [place.key, place]));
    else if (this.isInPlace) this.standApart();
    else this.copy();
  }

  /** The item that `pop` or `splice` gives: one of the state's becomes a draft, so that `d.list.push(d.other.pop())` moves that very item. */
  taken(slot: unknown, key: Key): unknown {
    if (!isContainer(slot) || slot instanceof Place || !this.recipe.isOurs(slot)) return slot;
    return new Place(this.recipe, slot as Container, this, key);
  }

  /** What the slot holds now, without drafting what it holds. */
  peek(key: Key): unknown {
    return (this.hasSlots ? undefined : this.known(key)) ?? this.raw(key);
  }

  /** Whether it is where it was read, and so is what it is in. */
  get isSeated(): boolean {
    return this.parent === null || (this.parent.peek(this.key) === this && this.parent.isSeated);
  }

  /** Whether what the recipe left still has it where it was read. Of a place that was settled. */
  get isKept(): boolean {
    const { parent, key } = this;
    if (parent === null) return true;
    // Whatever is left in such an array was put there.
    if (parent.isRewritten) return false;
    const at = parent.isArray && parent.hasSlots ? parent.indexAfter(key as number, this.since) : key;
    const slot = at === -1 ? undefined : parent.peek(at);
    return slot !== undefined && (slot === this || slot === this.final) && (parent.puts > 0 || parent.isKept);
  }

  /** It can be written to. `changesNames` says that it is to get a member, or to lose one. */
  own(changesNames = false): void {
    if (!this.isOwn) this.take(changesNames);
    if (!changesNames || this.isRenamed) return;
    this.isRenamed = true;
    forgetNames(this.now);
  }

  private take(changesNames: boolean): void {
    if (this.recipe.mayWriteInto(this)) {
      this.isOwn = this.isInPlace = true;
      this.recipe.inPlace.push(this);
    } else this.copy(changesNames);
  }

  private copy(changesNames = false): void {
    const { content } = this;
    this.isOwn = true;
    if (this.isArray) this.now = copyOf(content);
    else {
      const names = namesOf(content);
      this.isLarge = names.length > LARGE;
      this.now = copyOfMembers(content, names, changesNames);
      if (this.recipe.source(content) === null) haveNames(content, this.now, names);
    }
    this.recipe.copied(this.base, this.now);
    this.seat();
  }

  /** What it holds now, with its drafted members in their slots. */
  seated(): Container {
    if (this.drafted !== null && !this.isOwn) this.copy();
    return this.content;
  }

  /** Where the containers were that it held when the recipe began. */
  get baseIndex(): Map<object, Key> {
    if (this.indexOfBase === null) {
      this.indexOfBase = new Map();
      this.list();
      const keys: Iterable<Key> = Array.isArray(this.base) ? this.base.keys() : Object.keys(this.base);
      for (const key of keys) if (isContainer(this.base[key])) this.indexOfBase.set(this.base[key] as object, key);
    }
    return this.indexOfBase;
  }

  /** Puts the drafted members into the slots. */
  private seat(): void {
    const { drafted } = this;
    this.byKey = null;
    if (drafted !== null) for (const place of drafted) put(this.now, place.key, place);
  }

  /** A copy of what it holds, with its holes. */
  copied(): Container {
    const { content } = this;
    const copy = copyOf(content);
    if (this.hasHoles) for (let i = 0; i < itemsOf(content).length; i++) if (!(i in content)) delete copy[i];
    return copy;
  }

  /** What was changed in place becomes a copy, and `base` what it was. `changesNames` is as for `own`. */
  standApart(changesNames = false): void {
    if (!this.isInPlace) return;
    const { base } = this;
    const list = this.isArray ? this.copied() : null;
    const written = Array.from(this.touched?.keys() ?? [], (key) => [key, Object.hasOwn(base, key) ? base[key] : ABSENT] as const);
    this.undo();
    this.isInPlace = false;
    if (list === null) this.recipe.list(base);
    const copy = list ?? copyOf(base, changesNames);
    for (const [key, slot] of written) {
      if (slot === ABSENT || this.removed?.has(key) === true) delete copy[key];
      if (slot !== ABSENT) put(copy, key, slot);
    }
    this.isLarge = true;
    this.now = copy;
    this.recipe.copied(base, copy);
    this.seat();
  }

  /** Takes back what was changed in place. */
  undo(): void {
    if (!this.isInPlace) return;
    const { edits, touched, drafted, base } = this;
    if (edits !== null) for (let i = edits.length - 1; i >= 0; i--) undoEdit(this.items, edits[i]!);
    if (this.isArray) return;
    // What became of its drafts may be in it already.
    if (drafted !== null) for (const kid of drafted) put(base, kid.key, kid.base);
    if (touched === null) return;
    const back: [string, unknown][] = [];
    for (const [key, before] of touched) {
      if (before === ABSENT) delete base[key];
      else if (this.removed?.has(key) === true) back.push([key, before]);
      else put(base, key, before);
    }
    this.wide?.restore(back);
  }

  /** The container and all that it was read from will be others. */
  private change(): void {
    for (let place: Place | null = this; place !== null && !place.isChanged; place = place.parent) {
      place.isChanged = true;
      place.turn = this.recipe.turns++;
    }
  }

  /** Before an edit is made: remembers it, or that there were too many. */
  private record(edit: ArrayEdit): void {
    if (this.isRewritten) return;
    const edits = (this.edits ??= []);
    if (edits.length < EDITS) edits.push(edit);
    else {
      this.standApart();
      this.isRewritten = true;
      this.edits = null;
    }
  }

  /** Before another value takes the place of what has a draft, or nothing does. */
  private leave(key: Key): void {
    if (this.isInPlace && this.drafted !== null && this.known(key) !== undefined) this.standApart();
  }

  /** Where a place is among the items, from one on; -1 if it isn't. */
  indexOfPlace(place: Place, from: number): number {
    const isHere = !this.hasSlots && place.parent === this && this.known(place.key) === place;
    const home = isHere && (place.key as number) >= from ? (place.key as number) : -1;
    if (isHere && !this.recipe.sharesParts) return home;
    // It may have been put to another index as well.
    const other = this.items.indexOf(place, from);
    return home === -1 || (other !== -1 && other < home) ? other : home;
  }

  /** The keys of what may be something else than a scalar or a container of the state. */
  written(): Iterable<Key> {
    if (this.isRewritten) return this.items.keys();
    const keys = new Set<Key>(this.touched?.keys());
    for (const place of this.drafted ?? []) keys.add(this.isArray && !this.isInPlace ? this.indexAfter(place.key as number, place.since) : place.key);
    this.edits?.forEach((edit, e) => {
      if (edit.kind !== "permute") for (let j = 0; j < edit.put.length; j++) keys.add(this.indexAfter(edit.index + j, e + 1));
    });
    keys.delete(-1);
    return keys;
  }

  setItem(index: number, slot: unknown): void {
    this.own();
    this.change();
    this.leave(index);
    if (!this.isRewritten) this.record({ kind: "set", index, out: [this.raw(index)], put: [slot] });
    this.put(index, slot);
  }

  /** Leaves a hole in the place of an item. */
  removeItem(index: number): void {
    this.setItem(index, undefined);
    this.hasHoles = true;
    delete this.items[index];
  }

  /** Whether there is no item at an index, not even one that is undefined. */
  isHole(index: number): boolean {
    return this.hasHoles && !(index in this.items);
  }

  /** Makes an array longer by holes. */
  widen(length: number): void {
    const now = this.length;
    this.splice(now, 0, new Array(length - now));
    this.hasHoles = true;
    this.items.length = now;
    this.items.length = length;
  }

  /** Puts slots in the place of `remove` items, and returns those as slots that may be put elsewhere. */
  splice(index: number, remove: number, insert: unknown[]): unknown[] {
    this.own();
    this.change();
    const { length } = this;
    const isAtEnd = remove === 0 && index === length;
    // Where it is, it keeps its items' indexes.
    if (!isAtEnd) this.standApart();
    const last = this.edits?.at(-1);
    if (isAtEnd && last?.kind === "splice" && last.index + last.put.length === index) {
      for (let i = 0; i < insert.length; i++) last.put.push(insert[i]);
      this.push(insert);
      return [];
    }
    if (!isAtEnd) this.settle(index, insert.length === remove ? index + remove : length);
    if (this.isRewritten) return this.allTaken(spliceItems(this.items, index, remove, insert), -1);
    const isFirst = this.edits === null || this.edits.length === 0;
    const edit: ArrayEdit = { kind: "splice", index, out: [], put: insert };
    this.record(edit);
    if (isAtEnd && this.slots !== null) {
      this.push(insert);
      return [];
    }
    const out = spliceItems(this.items, index, remove, insert);
    edit.out = out;
    // In the edit the values stay what they are, to be put back; what goes out may be changed elsewhere.
    return this.allTaken([...out], isFirst ? index : -1);
  }

  private push(slots: unknown[]): void {
    const list = this.slots ?? itemsOf(this.now);
    for (let i = 0; i < slots.length; i++) list.push(slots[i]);
  }

  private allTaken(out: unknown[], index: number): unknown[] {
    for (let i = 0; i < out.length; i++) out[i] = this.taken(out[i], index < 0 ? index : index + i);
    return out;
  }

  permute(order: number[]): void {
    this.own();
    this.change();
    this.standApart();
    this.settle(0, this.items.length);
    this.record({ kind: "permute", order, inverse: inverseOf(order) });
    reorder(this.items, order);
  }

  setMember(key: string, slot: unknown): void {
    const had = Object.hasOwn(this.now, key);
    this.own(!had);
    this.change();
    this.leave(key);
    const touched = this.touch();
    if (!touched.has(key)) touched.set(key, had ? this.base[key] : ABSENT);
    else if (!had) this.again(touched, key, touched.get(key));
    put(this.now, key, slot);
  }

  private touch(): Map<string, unknown> {
    if (this.touched === null) {
      this.touched = new Map();
      this.touchTurn = this.recipe.turns++;
    }
    return this.touched;
  }

  private again(touched: Map<string, unknown>, key: string, before: unknown): void {
    touched.delete(key);
    touched.set(key, before);
  }

  /** Whether a container in the object was changed before its members. */
  isBefore(kid: Place): boolean {
    return this.touched !== null && kid.turn < this.touchTurn;
  }

  removeMember(key: string): void {
    this.own(true);
    this.change();
    // Put back, it would be the last of all members.
    if (this.members?.isInPlace(key) !== true) this.standApart(true);
    else this.leave(key);
    const touched = this.touch();
    if (Object.hasOwn(this.base, key)) {
      const before: unknown = this.isInPlace && touched.has(key) ? touched.get(key) : this.base[key];
      this.again(touched, key, before);
      (this.removed ??= new Set()).add(key);
    } else touched.delete(key);
    if (this.isInPlace) this.members?.remove(key);
    else delete this.now[key];
  }

  /** Where an item was at first that is at `index` before edit `end`; -1 if it wasn't there. */
  indexBefore(index: number, end: number): number {
    const { edits } = this;
    for (let i = end - 1; i >= 0 && index >= 0; i--) index = movedFrom(index, edits![i]!);
    return index;
  }

  /** Where an item is that was at `index` after the first `since` edits; -1 if it has left. */
  indexAfter(index: number, since: number): number {
    const { edits } = this;
    if (edits === null) return index;
    for (let i = since; i < edits.length && index >= 0; i++) index = moved(index, edits[i]!);
    return index;
  }
}
