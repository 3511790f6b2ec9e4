import { put, type Container, type Key } from "../json/containers.js";

/** So many slots are listed at a time; an array of fewer has them itself. */
export const RUN = 1 << 10;

/**
 * The slots of a long array of a document, of which only those runs are listed that somebody looked at: to list half a
 * million takes milliseconds. It changes at its end alone, so that each item keeps its index; whatever else is done to the
 * array is done when all are listed in it.
 */
export class Slots {
  private readonly runs: unknown[][] = [];
  /** How many were there. */
  private readonly count: number;
  /** Whether the array has them. */
  isListed = false;

  constructor(
    /** What those hold that haven't been read. */
    private readonly unread: unknown,
    public length: number,
  ) {
    this.count = length;
  }

  private run(index: number): unknown[] {
    const number = Math.floor(index / RUN);
    return (this.runs[number] ??= new Array<unknown>(Math.min(Math.max(this.count - number * RUN, 0), RUN)).fill(this.unread));
  }

  has(key: Key): boolean {
    return Number.isInteger(key) && (key as number) >= 0 && (key as number) < this.length;
  }

  get(index: number): unknown {
    return index < this.length ? this.run(index)[index % RUN] : undefined;
  }

  set(index: number, slot: unknown): void {
    this.run(index)[index % RUN] = slot;
  }

  push(slot: unknown): void {
    this.run(this.length++).push(slot);
  }

  /** Puts all of them into the array. O(their number). */
  list(items: unknown[]): void {
    for (let i = 0; i < this.length; i++) items.push(this.runs[Math.floor(i / RUN)] === undefined ? this.unread : this.get(i));
    this.isListed = true;
  }
}

/** What a slot of a container holds, or of those that stand for one. */
export function slotOf(container: Container | Slots, key: Key): unknown {
  return container instanceof Slots ? container.get(key as number) : container[key];
}

export function setSlot(container: Container | Slots, key: Key, slot: unknown): void {
  if (container instanceof Slots) container.set(key as number, slot);
  else put(container, key, slot);
}
