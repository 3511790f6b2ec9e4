import { put, type Key, type Slot, type Twin } from "./containers.js";
import type { Tree } from "./tree.js";
import type { Source } from "./unread.js";

/** Above so many members V8 keeps an object that members came to, or went from, as a dictionary; and any above so many. */
const WIDE = 64;
const WIDEST = 1000;

/**
 * A container that was touched. `twin` is what it holds now, private and unfrozen once owned (copying a frozen
 * array is about 150 times slower); `view` is what was published of it, until the next change.
 */
export class Place {
  view: object | null;
  owned = false;
  /** Children: by key while not owned; once owned they lie in the twin's slots, and here for publishing. */
  kids: Map<Key, Place> | null = null;
  held: Set<Place> | null = null;
  /** The twin with what was published of the places in it, if those are many, and the places in it that changed since. */
  shown: Twin | null = null;
  changed: Set<Place> | null = null;
  /** Further containers that hold this one, while a recipe runs. */
  others: Place[] | null = null;
  /** What took it out of the tree: the number of a recipe's record, and which of the values it removed. */
  removed: { record: number; item: number; loose: number } | null = null;
  private isReshaped = false;
  /** What a dictionary has, in order; undefined where that has to be looked at. */
  private keys: string[] | null | undefined;
  /** The changes that last touched it, and last copied its twin. */
  stamp = 0;
  copied = 0;
  proxy: object | null = null;
  path: Key[] | null = null;
  pathShape = -1;
  /** Where the slots that haven't been read are from; such a container is owned. */
  source: Source | null = null;

  constructor(
    readonly tree: Tree,
    public twin: Twin,
    public parent: Place | null,
    /** Where the parent holds it. In an owned array it may be out of date: see {@link Tree.keyOf}. */
    public key: Key,
  ) {
    this.view = twin;
  }

  get isArray(): boolean {
    return Array.isArray(this.twin);
  }

  /** The keys of an object that V8 keeps as a dictionary: to have them in order it sorts them. Null for others. */
  dictionaryKeys(): string[] | null {
    if (this.keys === undefined) {
      const keys = this.isArray ? [] : Object.keys(this.twin);
      this.keys = keys.length > (this.isReshaped ? WIDE : WIDEST) ? keys : null;
    }
    return this.keys;
  }

  /** A slot got another value. */
  show(key: Key, slot: Slot): void {
    if (this.shown === null) return;
    put(this.shown, key, slot);
    if (slot instanceof Place) this.changed!.add(slot);
  }

  /** Its slots are in another order, or what they were. */
  hide(): void {
    this.shown = this.changed = null;
  }

  /** A member came to it. */
  gained(key: Key): void {
    const { keys } = this;
    keys?.push(key as string);
    this.reshaped(keys ?? undefined);
  }

  /** Members came or went; `keys` are those of a dictionary, where they are known. */
  reshaped(keys?: string[]): void {
    this.isReshaped = true;
    this.keys = keys;
  }
}
