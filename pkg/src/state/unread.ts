import { freeze, isContainer, put, type Key, type Slot, type Twin } from "./containers.js";
import type { StateDocument } from "../values/document.js";

/** Containers of up to so many bytes of text are read whole: when they are touched, and when everything is needed. */
export const SMALL = 4 << 10;
export const BULK = 64 << 10;

/** At most so many slots are read ahead, and asked for at once. */
const AHEAD = 1 << 10;
const ASKED = 1 << 14;

/** What opening a container gives: all of it, or its twin and where the rest is. */
export interface Opened {
  value: Slot;
  source: Source | null;
}

/** The version of a document that a tree stands over. Once all of it has been read its memory is given back. */
export class Base {
  private unread = 0;

  /** Takes the document over. */
  constructor(private readonly document: StateDocument) {}

  /** Whether anything of it may still be read. */
  get isNeeded(): boolean {
    return this.unread > 0;
  }

  /** Opens what is at a path of positions (src/document/reading.rs). O(depth + what is returned). */
  open(path: number[], small = SMALL): Opened {
    const opened = JSON.parse(this.document.open(path, small)) as CoreOpened;
    if ("value" in opened) {
      if (this.unread === 0) this.document.free();
      return { value: freeze(opened.value), source: null };
    }
    if ("length" in opened) {
      const source = new Source(this, path, null, null);
      this.expect(opened.length);
      return { value: new Array<Slot>(opened.length).fill(source.items), source };
    }
    const { members } = opened;
    const names = Object.keys(members).filter((name) => isContainer(members[name]));
    const source = new Source(this, path, names, names.map((name) => (members[name] as number[])[0]!));
    names.forEach((name, rank) => put(members, name, new Unread(source, rank)));
    this.expect(names.length);
    return { value: members, source };
  }

  /** Reads children of a container by their positions; those that are `large` are left out. O(children + what is returned). */
  read(path: number[], children: number[], small: number): { values: Slot[]; large: number[] } {
    const values = JSON.parse(this.document.read(path, children, small)) as Slot[];
    return { large: values.pop() as number[], values };
  }

  /** So many slots more are unread, or less. */
  expect(slots: number): void {
    this.unread += slots;
    if (this.unread === 0) this.document.free();
  }
}

type CoreOpened = { value: unknown } | { length: number } | { members: Twin };

/** A container of the document that was opened: what its slots that haven't been read refer to. */
export class Source {
  /** What an array's items are until they are read or moved: their index tells them apart. */
  readonly items = new Unread(this, -1);
  private stride = 1;

  constructor(
    readonly base: Base,
    private readonly path: number[],
    /** Of an object's members that are containers. */
    private readonly names: string[] | null,
    private readonly positions: number[] | null,
  ) {}

  /** The slot for a copy of the container. */
  again(slot: Unread): Slot {
    this.base.expect(1);
    return slot === this.items ? slot : new Unread(this, slot.at);
  }

  /** Opens the container in a slot. */
  open(slot: Unread, key: Key, small: number): Opened {
    const opened = this.base.open([...this.path, this.position(slot, key)], small);
    this.base.expect(-1);
    return opened;
  }

  /**
   * Reads slots of a twin, as many from `from` on as come at once, and returns where it stopped. Large containers
   * stay unread.
   */
  read(twin: Twin, keys: Key[], from: number, small: number): number {
    const children = keys.slice(from, from + ASKED).map((key) => this.position(twin[key] as Unread, key));
    const { values, large } = this.base.read(this.path, children, small);
    const left = new Set(large);
    values.forEach((value, i) => {
      if (left.has(i)) return;
      const key = keys[from + i]!;
      const slot = twin[key] as Unread;
      if (slot !== this.items) slot.known = value;
      put(twin, key, freeze(value));
    });
    this.base.expect(large.length - values.length);
    return from + values.length;
  }

  /** What to read when one slot is asked for: if its neighbour has been read, somebody is on the way through. */
  ahead(twin: Twin, key: Key): Key[] {
    const { names } = this;
    const slots = names ?? (twin as unknown as Slot[]);
    const rank = names === null ? (key as number) : (twin[key] as Unread).at;
    const keyAt = (rank: number): Key => (names === null ? rank : names[rank]!);
    const isThere = (rank: number): boolean => rank >= 0 && rank < slots.length;
    const isUnread = (rank: number): boolean => isPending(twin[keyAt(rank)]);
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
    const rank = slot === this.items ? (key as number) : slot.at;
    return this.positions === null ? rank : this.positions[rank]!;
  }
}

/** A slot that hasn't been read. It lies only in twins of the container that it is from. */
export class Unread {
  /** What it turned out to be: older versions of the container may have it too. */
  known: Slot = undefined;

  constructor(
    readonly source: Source,
    /** The index of an item, or of a member among those that are containers; -1 where the index in the twin says it. */
    readonly at: number,
  ) {}
}

/** Whether a slot has to be read before anybody can know what it holds. */
export function isPending(slot: Slot): boolean {
  return slot instanceof Unread && slot.known === undefined;
}
