import type { Key, Slot } from "./containers.js";
import { call, core, pointerText } from "../bridge/core.js";
import { Place } from "./place.js";
import { Tree } from "./tree.js";

/** What `append` and `increment` write to: a member of a place, or with no place the root. */
export interface Target {
  place: Place | null;
  key: Key;
  path: Key[];
  shape: number;
}

/** Where a pointer leads that leads nowhere. */
const NOWHERE = new Place(new Tree(null), {}, null, "");

/** What pointers lead to, remembered as long as nothing has moved. */
export class Targets {
  private readonly known = new Map<string, Target>();

  /** What the pointer leads to. A place that has no such member is none. */
  find(tree: Tree, pointer: string): Target {
    const known = this.known.get(pointer);
    if (known !== undefined && known.shape === tree.shape && (known.place === null || Object.hasOwn(known.place.twin, known.key))) return known;
    const segments = known?.path.map(String) ?? (JSON.parse(call(() => core().pointer_segments(pointerText(pointer)))) as string[]);
    const path: Key[] = [];
    let place: Place | null = null;
    let slot: Slot = tree.root;
    for (const segment of segments) {
      place = slot instanceof Place ? slot : null;
      const key: Key = place?.isArray && String(Number(segment)) === segment ? Number(segment) : segment;
      const isThere: boolean = place !== null && Object.hasOwn(place.twin, key);
      path.push(key);
      slot = isThere ? tree.child(place!, key) : undefined;
      if (slot === undefined) place = NOWHERE;
    }
    const target = { place, key: path.at(-1) ?? "", path, shape: tree.shape };
    this.known.set(pointer, target);
    return target;
  }
}
