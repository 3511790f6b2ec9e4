import type { Key, Twin } from "./containers.js";
import type { Tree } from "./tree.js";
import type { Source } from "./unread.js";

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
  /** Further containers that hold this one, while a recipe runs. */
  others: Place[] | null = null;
  /** What took it out of the tree: the number of a recipe's record, and which of the values it removed. */
  removed: { record: number; item: number; loose: number } | null = null;
  /** Whether members came to it or went from it. */
  isReshaped = false;
  stamp = 0;
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
}
