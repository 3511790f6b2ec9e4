import { inverseOf, moved, movedFrom, reorder, undoEdit, type ArrayEdit } from "./array-edits.js";
import { isContainer, itemsOf, put, spliceItems, type Container, type Key } from "../json/containers.js";
import { copyOf } from "../json/copies.js";
import { Place } from "./place.js";
import { readAll, readSlot } from "./reading.js";
import type { Recipe } from "./recipe.js";
import { RUN, type Slots } from "./slots.js";
import { SMALL, Unread } from "./unread.js";

/** An array that was edited more often is told by what it has become. */
const EDITS = 16;

/** An array of the state, as a running recipe sees it. */
export class ArrayPlace extends Place {
  /** What was done; null if nothing was, or more than is worth telling. */
  edits: ArrayEdit[] | null = null;
  isRewritten = false;
  /** Whether it may have holes, which have to be gone when the recipe ends. */
  private hasHoles = false;
  private readonly unlisted: Slots | null;

  constructor(recipe: Recipe, base: Container, parent: Place | null, key: Key, isOfState: boolean) {
    super(recipe, base, parent, key, isOfState);
    this.unlisted = recipe.state.slots(base);
  }

  protected list(): void {
    if (this.unlisted !== null) this.recipe.state.list(this.base);
  }

  holding(): Container {
    return this.content;
  }

  get items(): unknown[] {
    return itemsOf(this.content);
  }

  /** What an array of a document holds that isn't listed in it. */
  private get slots(): Slots | null {
    return this.unlisted === null || this.unlisted.isListed ? null : this.unlisted;
  }

  get isUnlisted(): boolean {
    return this.slots !== null;
  }

  get length(): number {
    return this.slots?.length ?? itemsOf(this.now).length;
  }

  /** What there is at a key: items need no list for that, nor does the length. */
  raw(key: Key): unknown {
    const { slots } = this;
    if (slots === null || typeof key === "symbol") return this.now[key];
    if (key === "length") return slots.length;
    const index = Number(key);
    return Number.isInteger(index) && String(index) === String(key) ? slots.get(index) : this.now[key];
  }

  /** Sets what there is at an index. */
  put(index: number, slot: unknown): void {
    const { slots } = this;
    if (slots === null) put(this.now, index, slot);
    else slots.set(index, slot);
  }

  protected readUnread(unread: Unread, key: Key): unknown {
    const { base, now, slots } = this;
    if (now === base) return readSlot(slots ?? base, key);
    const home = this.homeOfUnread(unread, key as number);
    const slot: unknown = home === -1 ? unread.known : base[home] instanceof Unread ? readSlot(base, home) : base[home];
    put(now, key, slot);
    return slot;
  }

  /** Where `base` has what wasn't read; -1 if it has been read there, and is known. */
  private homeOfUnread(unread: Unread, index: number): number {
    const { base } = this;
    if (unread === unread.source.items || base[index] === unread) return index;
    return base[unread.at] === unread ? unread.at : itemsOf(base).indexOf(unread);
  }

  /** Reads what hasn't been read of some items. */
  read(from: number, to: number): void {
    if (this.recipe.state.source(this.now) === null) return;
    if (this.now === this.base && (this.slots === null || to - from > RUN)) return readAll(this.content, SMALL, from, to);
    for (let i = from; i < to; i++) {
      const slot = this.raw(i);
      if (slot instanceof Unread) this.readUnread(slot, i);
    }
  }

  /** Items that will have another index have to know which they were, in `base` too. */
  private pinUnread(from: number, to: number): void {
    const source = this.recipe.state.source(this.now);
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
    const source = this.recipe.state.source(this.now);
    if (source === null) return;
    const { items } = this;
    const before = itemsOf(this.base);
    for (let i = 0; i < items.length; i++) {
      const slot = items[i];
      if (slot === source.items) items[i] = before[i];
      else if (slot instanceof Unread && slot.known !== undefined) items[i] = slot.known;
    }
  }

  protected hasPut(key: Key): boolean {
    const index = key as number;
    return this.edits?.some((edit) => edit.kind !== "permute" && index >= edit.index && index < edit.index + edit.put.length) === true;
  }

  protected override draft(value: Container, key: Key, isOfState: boolean): Place {
    return this.dated(super.draft(value, key, isOfState));
  }

  /** What is drafted now has to be followed from the edits on that are still to come. */
  private dated(place: Place): Place {
    if (this.edits !== null) place.since = this.edits.length;
    return place;
  }

  protected override index(place: Place): void {
    if (this.byKey !== null || this.isUnlisted) super.index(place);
    else if (this.isInPlace) this.standApart();
    else this.copy();
  }

  /** The item that `pop` or `splice` gives: one of the state's becomes a draft, so that `d.list.push(d.other.pop())` moves that very item. */
  private taken(slot: Container, index: number): unknown {
    if (slot instanceof Place || !this.recipe.isOurs(slot)) return slot;
    return this.dated(this.recipe.place(slot, this, index, false));
  }

  private allTaken(out: unknown[], index: number): unknown[] {
    for (let i = 0; i < out.length; i++) if (isContainer(out[i])) out[i] = this.taken(out[i] as Container, index < 0 ? index : index + i);
    return out;
  }

  protected keyAfter(place: Place): Key {
    // Whatever is left in an array that was rewritten was put there.
    if (this.isRewritten) return -1;
    return this.hasSlots ? this.indexAfter(place.key as number, place.since) : place.key;
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

  /** Where a place is among the items, from one on; -1 if it isn't. */
  indexOfPlace(place: Place, from: number): number {
    const isHere = !this.hasSlots && place.parent === this && this.known(place.key) === place;
    const home = isHere && (place.key as number) >= from ? (place.key as number) : -1;
    if (isHere && !this.recipe.sharesParts) return home;
    // It may have been put to another index as well.
    const other = this.items.indexOf(place, from);
    return home === -1 || (other !== -1 && other < home) ? other : home;
  }

  written(): Iterable<Key> {
    if (this.isRewritten) return this.items.keys();
    const keys = new Set<number>();
    for (const place of this.drafted ?? []) keys.add(this.isInPlace ? (place.key as number) : this.indexAfter(place.key as number, place.since));
    this.edits?.forEach((edit, e) => {
      if (edit.kind !== "permute") for (let j = 0; j < edit.put.length; j++) keys.add(this.indexAfter(edit.index + j, e + 1));
    });
    keys.delete(-1);
    return keys;
  }

  protected copy(): void {
    const { content } = this;
    this.isOwn = true;
    this.becomes(copyOf(content));
  }

  /** With its holes. */
  copied(): Container {
    const { content } = this;
    const copy = copyOf(content);
    if (this.hasHoles) for (let i = 0; i < itemsOf(content).length; i++) if (!(i in content)) delete copy[i];
    return copy;
  }

  standApart(): void {
    if (!this.isInPlace) return;
    const copy = this.copied();
    this.undo();
    this.isInPlace = false;
    this.becomes(copy);
  }

  undo(): void {
    const { edits } = this;
    if (this.isInPlace && edits !== null) for (let i = edits.length - 1; i >= 0; i--) undoEdit(this.items, edits[i]!);
  }

  /** Before an edit is made: remembers it, or that there were too many. */
  private record(edit: ArrayEdit): void {
    if (this.isRewritten) return;
    const edits = (this.edits ??= []);
    if (edits.length < EDITS) edits.push(edit);
    else {
      this.standApart();
      this.rewrite();
    }
  }

  /** What was done to it isn't looked at any more: what it holds tells it. */
  rewrite(): void {
    this.isRewritten = true;
    this.edits = null;
  }

  set(index: number, slot: unknown): void {
    this.own();
    this.change();
    this.leave(index);
    if (!this.isRewritten) this.record({ kind: "set", index, out: [this.raw(index)], put: [slot] });
    this.put(index, slot);
  }

  /** Leaves a hole in the place of an item. */
  remove(index: number): void {
    this.set(index, undefined);
    this.hasHoles = true;
    delete this.items[index];
  }

  /** Whether there is no item at an index, not even one that is undefined. */
  isHole(index: number): boolean {
    return this.hasHoles && !(index in this.items);
  }

  /** Makes it longer by holes. */
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
    if (!isAtEnd) this.pinUnread(index, insert.length === remove ? index + remove : length);
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
    return this.allTaken(out.slice(), isFirst ? index : -1);
  }

  private push(slots: unknown[]): void {
    const list = this.slots ?? itemsOf(this.now);
    for (let i = 0; i < slots.length; i++) list.push(slots[i]);
  }

  permute(order: number[]): void {
    this.own();
    this.change();
    this.standApart();
    this.pinUnread(0, this.items.length);
    this.record({ kind: "permute", order, inverse: inverseOf(order) });
    reorder(this.items, order);
  }
}
