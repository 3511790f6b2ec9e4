import { copyOf, isContainer, put, type Key, type Slot, type Twin } from "./containers.js";
import { Place } from "./place.js";
import { readAll, readSlot, settle, stand } from "./reading.js";
import { Base, Unread, type Source } from "./unread.js";

/** What to do to take a change back, and what was done before it; done twice it is done again. */
type Entry = { before: Entry | null } & (
  | { kind: "slot"; place: Place; key: Key; had: boolean; slot: Slot }
  | { kind: "splice"; place: Place; index: number; out: Slot[]; count: number }
  | { kind: "twin"; place: Place; twin: Twin; held: Set<Place> | null; source: Source | null }
  | { kind: "view"; place: Place; view: object | null; stamp: number }
  | { kind: "link"; place: Place; parent: Place | null; key: Key; others: Place[] | null; removed: Place["removed"] }
  | { kind: "root"; slot: Slot }
);

const UNPUBLISHED = Symbol();

/** From so many places on a container is shown apart from its twin, so that publishing looks only at what changed. */
const MANY = 32;

/** How to come back to a version from the next one. What was published isn't reached from here. */
class Way {
  journal: Entry | null = null;
  next: Way | null = null;
}

/** A version of the tree. */
export class Version {
  published: unknown = UNPUBLISHED;
  /** Whether somebody may look it up later. */
  isOut = false;
  /** From the present back to it, where it has been left unpublished. */
  way: Way | null = null;
}

/**
 * A plain state that changes in place and publishes frozen, structurally shared versions on demand: nobody pays
 * for a version that nobody reads.
 */
export class Tree {
  root: Slot;
  /** The document that it was made from. */
  readonly base: Base | null = null;
  version = new Version();
  private way = new Way();
  /** The journal of the change that is being made: its last entry. */
  journal: Entry | null = null;
  stamp = 1;
  /** The changes that made the present version, and the last one that left the present while it might still be looked up. */
  private made = 0;
  private unread = -1;
  /** Containers that the change put into a second place. */
  aliases: Place[] = [];
  /** Counts what may move containers: cached paths are valid for one count. */
  shape = 0;
  /** The number that the next record of the running recipe has. */
  record = 0;
  /** Counts changes to containers outside the tree: after one, what a record removed is no longer what it was. */
  loose = 0;

  /** Takes over a frozen or otherwise private plain value, or stands over a document. */
  constructor(value: unknown) {
    let source: Source | null = null;
    if (value instanceof Base) ({ value, source } = (this.base = value).open([]));
    this.root = isContainer(value) ? stand(this, value as Twin, source, null, "") : value;
  }

  /**
   * Ends a change. What was journaled leads from the new version back to the old, and is kept only if somebody may want to
   * go there: once V8 has put an old version among its old objects, all that it leads to lives on, though it is garbage itself.
   */
  commit(next = new Version()): void {
    const { version, way, journal } = this;
    if (version.isOut && version.published === UNPUBLISHED) {
      version.way = way;
      this.unread = this.made;
    }
    if (this.unread >= 0) {
      way.journal = journal;
      this.way = way.next = new Way();
      this.forgetViews(journal);
    }
    this.version = next;
    this.journal = null;
    this.made = this.stamp++;
  }

  /** Leaves out of a journal what was published only of versions that nobody will look up. */
  private forgetViews(journal: Entry | null): void {
    for (let entry = journal; entry !== null; entry = entry.before) {
      if (entry.kind === "view" && entry.stamp > this.unread) entry.view = null;
    }
  }

  /** Takes the unfinished change back. */
  rollback(): void {
    for (let entry = this.journal; entry !== null; entry = entry.before) this.swap(entry);
    this.journal = null;
    this.aliases = [];
    this.stamp++;
    this.shape++;
  }

  /** The state as of a version. O(containers changed since the last publishing); older versions pay for the way back. */
  publish(version = this.version): unknown {
    if (version.published === UNPUBLISHED) {
      version.published = version === this.version && this.journal === null ? this.preview() : this.publishOlder(version);
    }
    return version.published;
  }

  private publishOlder(version: Version): unknown {
    const journals: (Entry | null)[] = [];
    for (let { way } = version; way !== null; way = way.next) journals.push(way.journal);
    journals.push(this.journal);
    const back: Entry[] = [];
    for (const journal of journals.reverse()) for (let entry = journal; entry !== null; entry = entry.before) back.push(entry);
    for (const entry of back) this.swap(entry);
    try {
      const published = this.preview();
      version.way = null;
      return published;
    } finally {
      // Reading what is unread can fail.
      for (let i = back.length - 1; i >= 0; i--) this.swap(back[i]!);
      this.shape++;
    }
  }

  /** A member of the state as of a version: of the present one without reading or publishing the rest. */
  member(version: Version, key: PropertyKey): unknown {
    const { root } = this;
    const isPresent = version === this.version && version.published === UNPUBLISHED && this.journal === null;
    if (isPresent && typeof key === "string" && root instanceof Place && Object.hasOwn(root.twin, key)) {
      const slot = readSlot(root, root.isArray && key !== "length" ? Number(key) : key);
      return slot instanceof Place ? this.publishPlace(slot) : slot;
    }
    return Reflect.get(this.publish(version) as object, key);
  }

  /** The state with what the journal says done; an unfinished change may then only be committed or rolled back. */
  preview(): unknown {
    return this.root instanceof Place ? this.publishPlace(this.root) : this.root;
  }

  private publishPlace(place: Place): object {
    if (place.view !== null) return place.view;
    readAll(place);
    const { held, changed } = place;
    const keys = place.dictionaryKeys();
    if (changed !== null) {
      for (const child of changed) this.showChild(place, child, place.shown!);
      changed.clear();
    } else if (held !== null && held.size > MANY) {
      const shown = copyOf(place.twin, keys);
      // Reading what is unread can fail.
      this.publishHeld(place, held, shown);
      Object.assign(place, { shown, changed: new Set() });
    }
    const copy = copyOf(place.shown ?? place.twin, keys);
    if (held !== null && place.shown === null) this.publishHeld(place, held, copy);
    return (place.view = Object.freeze(copy));
  }

  /** Puts what is published of the places that a container holds into a copy of it. */
  private publishHeld(place: Place, held: Set<Place>, copy: Twin): void {
    if (Array.isArray(copy) && held.size > copy.length >> 3) {
      for (let i = 0; i < copy.length; i++) {
        const slot = copy[i] as Slot;
        if (slot instanceof Place) copy[i] = slot.view ?? this.publishPlace(slot);
      }
      return;
    }
    for (const child of held) this.showChild(place, child, copy);
  }

  private showChild(place: Place, child: Place, copy: Twin): void {
    const key = this.keyOf(child, place);
    // It may have left since; and while an older version is published, a child of the newer one may be held and have no slot.
    if (place.twin[key] === child) put(copy, key, this.publishPlace(child));
  }

  /** The slot of a container, with a container in it made a place. */
  child(place: Place, key: Key): Slot {
    let slot = place.twin[key];
    if (!isContainer(slot) || slot instanceof Place) return slot;
    if (typeof key === "string" && Array.isArray(place.twin)) key = Number(key);
    if (slot instanceof Unread) {
      slot = readSlot(place, key);
      if (!isContainer(slot) || slot instanceof Place) return slot;
    }
    if (place.owned) {
      const child = new Place(this, slot as Twin, place, key);
      put(place.twin, key, child);
      (place.held ??= new Set()).add(child);
      return child;
    }
    let child = place.kids?.get(key);
    if (child === undefined) (place.kids ??= new Map()).set(key, (child = new Place(this, slot as Twin, place, key)));
    return child;
  }

  /** Makes the container writable. O(its size) the first time ever. */
  own(place: Place): void {
    if (place.owned) return;
    const twin = copyOf(place.twin, place.dictionaryKeys());
    if (place.kids !== null) {
      for (const [key, child] of place.kids) put(twin, key, child);
      place.held = new Set(place.kids.values());
      place.kids = null;
    }
    place.twin = twin;
    place.owned = true;
  }

  /** Marks the container and all above it as changed. */
  touch(place: Place | null): void {
    for (; place !== null && place.stamp !== this.stamp; place = place.parent) {
      this.own(place);
      this.journal = { kind: "view", place, view: place.view, stamp: place.stamp, before: this.journal };
      place.stamp = this.stamp;
      place.view = null;
      place.parent?.changed?.add(place);
      if (place.others !== null) for (const other of place.others) this.touch(other);
    }
  }

  /** Sets a member or an existing item. */
  set(place: Place, key: Key, slot: Slot): void {
    this.touch(place);
    const had = Object.hasOwn(place.twin, key);
    const before = had ? place.twin[key] : undefined;
    if (!had) place.gained(key);
    this.journal = { kind: "slot", place, key, had, slot: before, before: this.journal };
    if (before instanceof Place) this.detach(before, place);
    put(place.twin, key, slot);
    place.show(key, slot);
    if (slot instanceof Place) this.attach(slot, place, key);
  }

  /**
   * Deletes a member. The first time in a change the rest is copied, because the members' order must come back if the
   * change is taken back; then that copy is what the change deletes from.
   */
  remove(place: Place, key: string): void {
    this.touch(place);
    const before = place.twin[key];
    if (place.copied === this.stamp) place.reshaped();
    else {
      this.journal = { kind: "twin", place, twin: place.twin, held: place.held, source: place.source, before: this.journal };
      place.held &&= new Set(place.held);
      const keys = place.dictionaryKeys();
      place.twin = copyOf(place.twin, keys);
      place.reshaped(keys?.filter((other) => other !== key));
      place.copied = this.stamp;
    }
    delete place.twin[key];
    place.hide();
    if (before instanceof Place) this.detach(before, place);
  }

  /** Puts `insert` in the place of `count` items and returns those. */
  splice(place: Place, index: number, count: number, insert: Slot[]): Slot[] {
    this.touch(place);
    const items = place.twin as unknown as Slot[];
    settle(place, index, insert.length === count ? index + count : items.length);
    let out: Slot[] = [];
    const shown = place.shown as unknown as Slot[] | null;
    if (count === 0 && index === items.length) {
      for (const slot of insert) items.push(slot);
      for (const slot of insert) shown?.push(slot);
    } else {
      out = items.splice(index, count, ...insert);
      shown?.splice(index, count, ...insert);
      this.shape++;
    }
    this.journal = { kind: "splice", place, index, out, count: insert.length, before: this.journal };
    for (let i = 0; i < out.length; i++) if (out[i] instanceof Place) this.detach(out[i] as Place, place, i);
    for (let i = 0; i < insert.length; i++) {
      const slot = insert[i];
      if (!(slot instanceof Place)) continue;
      place.changed?.add(slot);
      this.attach(slot, place, index + i);
    }
    return out;
  }

  /** Puts into place `i` what was at `order[i]`. */
  permute(place: Place, order: number[]): void {
    this.touch(place);
    this.journal = { kind: "twin", place, twin: place.twin, held: place.held, source: place.source, before: this.journal };
    const items = place.twin as unknown as Slot[];
    settle(place, 0, items.length);
    place.hide();
    place.twin = order.map((from) => items[from]) as unknown as Twin;
    this.shape++;
  }

  setRoot(slot: Slot): void {
    this.journal = { kind: "root", slot: this.root, before: this.journal };
    this.root = slot;
    if (slot instanceof Place) this.link(slot, null, "", null);
    this.shape++;
  }

  attach(child: Place, parent: Place, key: Key): void {
    if (this.isAttached(child)) {
      this.link(child, child.parent, child.key, [...(child.others ?? []), parent]);
      this.aliases.push(child);
    } else this.link(child, parent, key, null);
    (parent.held ??= new Set()).add(child);
    this.shape++;
  }

  private detach(child: Place, parent: Place, item = 0): void {
    this.shape++;
    if (child.others !== null) {
      const holders = [child.parent!, ...child.others];
      holders.splice(holders.indexOf(parent), 1);
      this.link(child, holders[0]!, child.key, holders.length > 1 ? holders.slice(1) : null);
      if (holders.includes(parent)) return;
    } else {
      this.link(child, null, child.key, null, { record: this.record, item, loose: this.loose });
    }
    parent.held?.delete(child);
    parent.changed?.delete(child);
  }

  isAttached(place: Place): boolean {
    return place.parent !== null || this.root === place;
  }

  link(place: Place, parent: Place | null, key: Key, others: Place[] | null, removed: Place["removed"] = null): void {
    this.journal = { kind: "link", place, parent: place.parent, key: place.key, others: place.others, removed: place.removed, before: this.journal };
    place.parent = parent;
    place.key = key;
    place.others = others;
    place.removed = removed;
  }

  /** Where `parent` holds `child` now. Splices and sorts leave hints stale; then all of the parent's are renewed. */
  keyOf(child: Place, parent: Place): Key {
    // A hint from another parent may be "0" where an index is meant.
    const isOfItsKind = (typeof child.key === "number") === parent.isArray;
    if (!parent.owned || (isOfItsKind && parent.twin[child.key] === child)) return child.key;
    const slots = parent.twin as unknown as Slot[];
    const keys: Iterable<Key> = Array.isArray(slots) ? slots.keys() : Object.keys(slots);
    for (const key of keys) {
      const slot = parent.twin[key];
      if (slot instanceof Place && slot.parent === parent) slot.key = key;
    }
    return child.key;
  }

  private swap(entry: Entry): void {
    if (entry.kind !== "root") entry.place.hide();
    switch (entry.kind) {
      case "slot": {
        const { place, key, had, slot } = entry;
        const now = Object.hasOwn(place.twin, key);
        entry.slot = now ? place.twin[key] : undefined;
        entry.had = now;
        if (entry.slot instanceof Place) unhold(place, entry.slot);
        if (had !== now) place.reshaped();
        if (had) put(place.twin, key, slot);
        else delete place.twin[key];
        cameBack(place, slot);
        return;
      }
      case "splice": {
        const { place, index, out, count } = entry;
        const back = (place.twin as unknown as Slot[]).splice(index, count, ...out);
        entry.out = back;
        entry.count = out.length;
        for (const slot of back) if (slot instanceof Place) unhold(place, slot);
        for (const slot of out) cameBack(place, slot);
        return;
      }
      case "twin": {
        const { place, twin, held, source } = entry;
        Object.assign(entry, { twin: place.twin, held: place.held, source: place.source });
        Object.assign(place, { twin, held, source });
        place.reshaped();
        return;
      }
      case "view": {
        const { place, view, stamp } = entry;
        Object.assign(entry, { view: place.view, stamp: place.stamp });
        Object.assign(place, { view, stamp });
        return;
      }
      case "link": {
        const { place, parent, key, others, removed } = entry;
        Object.assign(entry, { parent: place.parent, key: place.key, others: place.others, removed: place.removed });
        Object.assign(place, { parent, key, others, removed });
        return;
      }
      case "root": {
        const slot = entry.slot;
        entry.slot = this.root;
        this.root = slot;
      }
    }
  }
}

/** What the container has to know about a slot that is its own again. */
function cameBack(place: Place, slot: Slot): void {
  if (slot instanceof Place) (place.held ??= new Set()).add(slot);
  else if (slot instanceof Unread) place.source = slot.source;
}

/** Lets go of a child that left a slot, unless an alias of it is in another slot of the same parent. */
function unhold(parent: Place, child: Place): void {
  const isElsewhere = child.parent !== parent && child.others === null;
  if (isElsewhere || !holds(parent, child)) parent.held?.delete(child);
}

function holds(parent: Place, child: Place): boolean {
  const slots = Array.isArray(parent.twin) ? (parent.twin as Slot[]) : Object.values(parent.twin);
  return slots.includes(child);
}
