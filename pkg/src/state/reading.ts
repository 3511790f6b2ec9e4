import { isContainer, type Container, type Key } from "../json/containers.js";
import { setSlot, slotOf, type Slots } from "./slots.js";
import { BULK, isPending, SMALL, Unread, type Base, type Source } from "./unread.js";

// How containers of a document come into a state. One of which slots haven't been read is filled where it is: nobody has
// seen it.

/** What a slot holds; it is read if it hasn't been, with what is beside it if somebody walks through. */
export function readSlot(container: Container | Slots, key: Key): unknown {
  let slot = slotOf(container, key);
  if (isPending(slot)) {
    const { source } = slot as Unread;
    const keys = source.ahead(container, key);
    if (keys.length > 1) source.read(container, keys, 0, SMALL);
    slot = slotOf(container, key);
  }
  return slot instanceof Unread ? openSlot(container, key, slot, SMALL) : slot;
}

/** Reads what hasn't been read of a container, or of some items, one level of what is large. O(what is read). */
export function readAll(container: Container, small = BULK, from = 0, to = Infinity): void {
  const keys = Array.isArray(container) ? unreadIn(container, from, to) : Object.keys(container).filter((key) => container[key] instanceof Unread);
  const pending = keys.filter((key) => isPending(container[key]));
  for (let at = 0; at < pending.length; ) at = (container[pending[at]!] as Unread).source.read(container, pending, at, small);
  for (const key of keys) {
    const slot: unknown = container[key];
    if (slot instanceof Unread) openSlot(container, key, slot, small);
  }
}

/** The indexes of those items that haven't been read. O(their range). */
function unreadIn(items: unknown[], from: number, to: number): Key[] {
  const keys: Key[] = [];
  for (let i = from; i < to && i < items.length; i++) if (items[i] instanceof Unread) keys.push(i);
  return keys;
}

function openSlot(container: Container | Slots, key: Key, unread: Unread, small: number): unknown {
  const slot = unread.known ?? unread.source.open(unread, key, small);
  if (unread !== unread.source.items) unread.known = slot;
  setSlot(container, key, slot);
  return slot;
}

/** Items that will have another index have to know which they were. */
export function pinUnread(items: unknown[], source: Source, from: number, to: number): void {
  for (let i = from; i < to; i++) if (items[i] === source.items) items[i] = new Unread(source, i);
}

/** Reads all of a state that stands over a document, and freezes it. O(the state). */
export function readWhole(value: unknown, base: Base): void {
  if (!isContainer(value)) return;
  const container = value as Container;
  if (base.source(container) !== null) {
    base.list(container);
    readAll(container);
    base.forget(container);
  }
  if (Array.isArray(value)) for (let i = 0; i < value.length; i++) readWhole(value[i], base);
  else for (const key of Object.keys(container)) readWhole(container[key], base);
  Object.freeze(value);
}
