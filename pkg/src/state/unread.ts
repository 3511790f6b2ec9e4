import { freeze, isContainer, itemsOf, LARGE, put, type Container, type Key } from "../json/containers.js";
import { Members } from "./members.js";
import { RUN, setSlot, slotOf, Slots } from "./slots.js";
import type { StateDocument } from "../bridge/document.js";

/** Containers of up to so many bytes of text are read whole: when they are touched, and when everything is needed. */
export const SMALL = 4 << 10;
export const BULK = 64 << 10;

/** At most so many slots are read ahead, and asked for at once. */
const AHEAD = 1 << 10;
const ASKED = 1 << 14;

/** After so many members that were asked for by name, reading anew costs less than keeping them: an object's table doubles in one go. */
const CROWD = 1 << 13;

/** The version of a document that a state stands over. Once all of it has been read its memory is given back. */
export class Base {
  /** The containers of which slots haven't been read. */
  private readonly sources = new WeakMap<object, Source>();
  /** What arrays hold that aren't listed: they are empty until somebody needs all of their slots. */
  private readonly unlisted = new WeakMap<object, Slots>();
  /** What objects hold of which some members aren't listed. */
  private readonly wide = new WeakMap<object, Members>();
  private asked = 0;

  /** Takes the document over. */
  constructor(private readonly document: StateDocument) {}

  /** Where the slots of a container that haven't been read are from; null if all have been. */
  source(container: object): Source | null {
    return this.sources.get(container) ?? null;
  }

  /** A copy has the same slots. */
  noteCopy(from: object, to: object): void {
    const source = this.sources.get(from);
    if (source !== undefined) this.sources.set(to, source);
  }

  /** Everything in the container has been read, or nobody will look at it any more. */
  forget(container: object): void {
    this.sources.delete(container);
  }

  /** What an array holds that isn't listed; null for whatever else. */
  slots(container: object): Slots | null {
    return itemsOf(container).length === 0 ? (this.unlisted.get(container) ?? null) : null;
  }

  /** The members of an object that aren't all listed in it; null for whatever else. */
  members(container: object): Members | null {
    return this.wide.get(container) ?? null;
  }

  /** Lists in a container what it has. O(1) if that is listed. */
  list(container: object): void {
    this.slots(container)?.list(itemsOf(container));
    this.unlisted.delete(container);
    this.wide.get(container)?.list();
    this.wide.delete(container);
  }

  /** Whether so many members were put into objects one by one that it is better to begin with none again. */
  get isCrowded(): boolean {
    return this.asked >= CROWD;
  }

  /** Opens what is at a path of positions (src/document/reading.rs). O(depth + what is returned). */
  open(path: number[], small = SMALL): unknown {
    const opened = JSON.parse(this.document.open(path, small)) as CoreOpened;
    if ("value" in opened) return freeze(opened.value);
    if ("length" in opened) {
      const source = new Source(this, path, null, true);
      const isLong = opened.length > RUN;
      const items = isLong ? [] : new Array<unknown>(opened.length).fill(source.items);
      this.sources.set(items, source);
      if (isLong) this.unlisted.set(items, new Slots(source.items, opened.length));
      return items;
    }
    const source = new Source(this, path, [], "names" in opened);
    const object = "names" in opened ? {} : source.take(opened.members);
    this.sources.set(object, source);
    if ("names" in opened) this.wide.set(object, new Members(object, source));
    return object;
  }

  /** The members of an object, each container as a list of its position. */
  membersAt(path: number[]): Container {
    return JSON.parse(this.document.members(path)) as Container;
  }

  /** One of them; undefined where there is none of that name. */
  memberAt(path: number[], name: string): unknown {
    this.asked++;
    const member = this.document.member(path, name);
    return member === undefined ? undefined : JSON.parse(member);
  }

  /** Reads children of a container by their positions; those that are `large` are left out. O(children + what is returned). */
  read(path: number[], children: number[], small: number): { values: unknown[]; large: number[] } {
    const values = JSON.parse(this.document.read(path, children, small)) as unknown[];
    return { large: values.pop() as number[], values };
  }

  /** Nothing of the document will be read any more. What `last` does with it is done first. */
  close(last?: (document: StateDocument) => void): void {
    last?.(this.document);
    this.document.free();
  }
}

type CoreOpened = { value: unknown } | { length: number } | { names: number } | { members: Container };

/** A container of the document that was opened: what its slots that haven't been read refer to. */
export class Source {
  /** What an array's items are until they are read or moved: their index tells them apart. */
  readonly items = new Unread(this, -1);
  private stride = 1;
  /** Where the document has the members of {@link names}, ascending. */
  private positions: number[] = [];

  constructor(
    private readonly base: Base,
    private readonly path: number[],
    /** Of an object's members that weren't read with it, as far as they are listed, in their order. */
    private names: string[] | null,
    /** Whether it is changed where it is: a list always is, which may be long by the time that it is whole. */
    public isLarge: boolean,
  ) {}

  /** Takes over an object's members, as the core gives them. */
  take(members: Container): Container {
    const all = Object.keys(members);
    this.isLarge ||= all.length > LARGE;
    this.names = all.filter((name) => isContainer(members[name]));
    this.positions = this.names.map((name) => (members[name] as unknown as [number])[0]);
    this.names.forEach((name, rank) => put(members, name, new Unread(this, this.positions[rank]!)));
    return members;
  }

  members(): Container {
    return this.take(this.base.membersAt(this.path));
  }

  member(name: string): unknown {
    const member = this.base.memberAt(this.path, name);
    return isContainer(member) ? new Unread(this, (member as [number])[0]) : member;
  }

  /** Opens the container in a slot. */
  open(slot: Unread, key: Key, small: number): unknown {
    return this.base.open([...this.path, this.position(slot, key)], small);
  }

  /**
   * Reads slots of a container, as many from `from` on as come at once, and returns where it stopped. Large containers
   * stay unread.
   */
  read(container: Container | Slots, keys: Key[], from: number, small: number): number {
    const children = keys.slice(from, from + ASKED).map((key) => this.position(slotOf(container, key) as Unread, key));
    const { values, large } = this.base.read(this.path, children, small);
    const left = new Set(large);
    values.forEach((value, i) => {
      if (left.has(i)) return;
      const key = keys[from + i]!;
      const slot = slotOf(container, key) as Unread;
      if (slot !== this.items) slot.known = value;
      setSlot(container, key, freeze(value));
    });
    return from + values.length;
  }

  /** What to read when one slot is asked for: if its neighbour has been read, somebody is on the way through. */
  ahead(container: Container | Slots, key: Key): Key[] {
    const { names } = this;
    const { length } = names ?? (container as Slots | unknown[]);
    const rank = names === null ? (key as number) : this.rank((slotOf(container, key) as Unread).at);
    const keyAt = (rank: number): Key => (names === null ? rank : names[rank]!);
    const isThere = (rank: number): boolean => rank >= 0 && rank < length;
    const isUnread = (rank: number): boolean => isPending(slotOf(container, keyAt(rank)));
    const step = [1, -1].find((step) => isThere(rank - step) && !isUnread(rank - step)) ?? 0;
    this.stride = step === 0 ? 1 : Math.min(this.stride * 2, AHEAD);
    const keys = [key];
    while (keys.length < this.stride) {
      const next = rank + step * keys.length;
      if (!isThere(next) || !isUnread(next)) break;
      keys.push(keyAt(next));
    }
    return keys;
  }

  private position(slot: Unread, key: Key): number {
    return slot === this.items ? (key as number) : slot.at;
  }

  /** Which of the names has a position; none has what isn't listed. */
  private rank(position: number): number {
    let [low, high] = [0, this.positions.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.positions[middle]! < position) low = middle + 1;
      else high = middle;
    }
    return this.positions[low] === position ? low : -2;
  }
}

/** A slot that hasn't been read. It lies only in the container that it is from, and in copies of that. */
export class Unread {
  /** What it turned out to be: a copy of the container may have it too. */
  known: unknown = undefined;

  constructor(
    readonly source: Source,
    /** An item's index, or a member's position; -1 where the index in the array says it. */
    readonly at: number,
  ) {}
}

/** Whether a slot has to be read before anybody can know what it holds. */
export function isPending(slot: unknown): boolean {
  return slot instanceof Unread && slot.known === undefined;
}
