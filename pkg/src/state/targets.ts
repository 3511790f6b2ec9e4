import { isContainer, type Container, type Key } from "../json/containers.js";
import { namesIn } from "../json/pointer.js";
import { readSlot } from "./reading.js";
import type { State } from "./state.js";

/** What `append` and `increment` write to: a path, and what is there; undefined if nothing is. */
interface Target {
  path: Key[];
  value: unknown;
}

/** How many pointers are remembered. */
const POINTERS = 256;

/** What pointers lead to. */
export class Targets {
  private readonly known = new Map<string, string[]>();

  /** What the pointer leads to. O(depth). */
  find(state: State, pointer: string): Target {
    let value: unknown = state.unread();
    const path: Key[] = [];
    for (const segment of this.segments(pointer)) {
      const container = isContainer(value) ? (value as Container) : undefined;
      const key: Key = Array.isArray(container) && String(Number(segment)) === segment ? Number(segment) : segment;
      path.push(key);
      if (container !== undefined) state.members(container)?.find(key);
      const slots = container === undefined ? null : state.slots(container);
      const isLength = key === "length" && Array.isArray(container);
      const isThere = slots !== null ? slots.has(key) : container !== undefined && Object.hasOwn(container, key) && !isLength;
      value = isThere ? readSlot(slots ?? container!, key) : undefined;
    }
    return { path, value };
  }

  private segments(pointer: string): string[] {
    let segments = this.known.get(pointer);
    if (segments === undefined) {
      segments = namesIn(pointer);
      if (this.known.size === POINTERS) this.known.clear();
      this.known.set(pointer, segments);
    }
    return segments;
  }
}
