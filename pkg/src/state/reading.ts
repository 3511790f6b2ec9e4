import { copyOf, put, type Key, type Slot, type Twin } from "./containers.js";
import { Place } from "./place.js";
import type { Tree } from "./tree.js";
import { BULK, isPending, SMALL, Unread, type Source } from "./unread.js";

// How containers of a document come into a tree: `source` is where their slots that haven't been read are from.

/** A place for a container, all or one level of which was read. */
export function stand(tree: Tree, twin: Twin, source: Source | null, parent: Place | null, key: Key): Place {
  const place = new Place(tree, twin, parent, key);
  if (source !== null) Object.assign(place, { source, owned: true, view: null });
  return place;
}

/** What a slot holds; it is read if it hasn't been, with what is beside it if somebody walks through. */
export function readSlot(place: Place, key: Key): Slot {
  let slot = place.twin[key];
  if (isPending(slot)) {
    const { source } = slot as Unread;
    const keys = source.ahead(place.twin, key);
    if (keys.length > 1) source.read(place.twin, keys, 0, SMALL);
    slot = place.twin[key];
  }
  return slot instanceof Unread ? openSlot(place, key, slot, SMALL) : slot;
}

/** Reads what hasn't been read of a container, or of some items; what is large becomes places. O(what is read). */
export function readAll(place: Place, small = BULK, from = 0, to = Infinity): void {
  const { source, twin } = place;
  if (source === null) return;
  let keys: Key[] = Array.isArray(twin) ? [...twin.keys()].slice(from, to) : Object.keys(twin);
  keys = keys.filter((key) => twin[key] instanceof Unread);
  const pending = keys.filter((key) => isPending(twin[key]));
  for (let at = 0; at < pending.length; ) at = source.read(twin, pending, at, small);
  for (const key of keys) {
    const slot = twin[key];
    if (slot instanceof Unread) openSlot(place, key, slot, small);
  }
  if (from === 0 && to === Infinity) place.source = null;
}

function openSlot(place: Place, key: Key, unread: Unread, small: number): Slot {
  let slot = unread.known;
  if (slot === undefined) {
    const { value, source } = unread.source.open(unread, key, small);
    slot = source === null ? value : stand(place.tree, value as Twin, source, place, key);
    if (unread !== unread.source.items) unread.known = slot;
  }
  put(place.twin, key, slot);
  if (slot instanceof Place) (place.held ??= new Set()).add(slot);
  return slot;
}

/** Items that will have another index have to know which they were. */
export function settle(place: Place, from: number, to: number): void {
  const { source } = place;
  if (source === null) return;
  const items = place.twin as unknown as Slot[];
  for (let i = from; i < to; i++) if (items[i] === source.items) items[i] = new Unread(source, i);
}

/** A copy of a container that changes apart from it; neither is read for that. O(containers that were touched in it). */
export function fork(place: Place, parent: Place, key: Key): Slot {
  if (place.view !== null) return place.view;
  const copy = stand(place.tree, copyOf(place.twin), place.source, parent, key);
  copy.owned = true;
  copy.view = null;
  for (const key of Object.keys(copy.twin)) {
    const slot = copy.twin[key];
    if (slot instanceof Place) put(copy.twin, key, fork(slot, copy, copy.isArray ? Number(key) : key));
    else if (slot instanceof Unread) put(copy.twin, key, slot.source.again(slot));
  }
  (parent.held ??= new Set()).add(copy);
  return copy;
}
