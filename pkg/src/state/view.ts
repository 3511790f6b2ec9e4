import { freeze, isContainer, type Key, type Slot, type Twin } from "./containers.js";
import { Place } from "./place.js";
import { readSlot } from "./reading.js";
import { Tree } from "./tree.js";

/** What a plain copy has to do to follow the document, as the core says it (src/view.rs). */
export type ViewEdit =
  | [kind: 0, path: Key[], value: unknown]
  | [kind: 1, path: Key[]]
  | [kind: 2, path: Key[], index: number, remove: number, items: unknown[]]
  | [kind: 3, path: Key[], order: number[]]
  | [kind: 4, from: Key[], path: Key[]]
  | [kind: 5, path: Key[], text: string]
  | [kind: 6, path: Key[], by: number];

/** In an edit of a kind from here on, an operation's number is in the place of the value that this operation has. */
const BROUGHT = 7;

/** The edits in the core's answer; `patch` is the text of the patch that they may refer to. */
export function readEdits(answer: string, patch: string): ViewEdit[] {
  const edits = JSON.parse(answer) as ViewEdit[];
  let operations: { value: unknown }[] | undefined;
  for (const edit of edits as [kind: number, ...unknown[]][]) {
    if (edit[0] < BROUGHT) continue;
    edit[0] -= BROUGHT;
    operations ??= JSON.parse(patch) as { value: unknown }[];
    const { value } = operations[edit.pop() as number]!;
    edit.push(edit[0] === 0 ? value : [value]);
  }
  return edits;
}

/** Whether the root may be another kind of value afterwards. */
export function setsRoot(edits: ViewEdit[]): boolean {
  return edits.some((edit) => (edit[0] === 4 ? edit[2] : edit[1]).length === 0 && edit[0] !== 2 && edit[0] !== 3);
}

/** Carries the core's edits out on a tree. The core has applied them already: they fit. */
export function follow(tree: Tree, edits: ViewEdit[]): void {
  for (const edit of edits) {
    switch (edit[0]) {
      case 0:
        assign(tree, edit[1], freeze(edit[2]));
        break;
      case 1:
        take(tree, edit[1]);
        break;
      case 2:
        tree.splice(find(tree, edit[1]), edit[2], edit[3], freeze(edit[4]) as Slot[]);
        break;
      case 3:
        tree.permute(find(tree, edit[1]), edit[2]);
        break;
      case 4: {
        const slot = take(tree, edit[1]);
        const index = edit[2].at(-1);
        if (typeof index === "number") tree.splice(find(tree, edit[2], edit[2].length - 1), index, 0, [slot]);
        else assign(tree, edit[2], slot);
        break;
      }
      case 5:
        assign(tree, edit[1], (get(tree, edit[1]) as string) + edit[2]);
        break;
      case 6:
        assign(tree, edit[1], (get(tree, edit[1]) as number) + edit[2]);
    }
  }
}

/** What is at the first `length` keys of a path. */
function get(tree: Tree, path: Key[], length = path.length): Slot {
  let slot = tree.root;
  for (let i = 0; i < length; i++) slot = tree.child(slot as Place, path[i]!);
  return slot;
}

function find(tree: Tree, path: Key[], length = path.length): Place {
  return get(tree, path, length) as Place;
}

function assign(tree: Tree, path: Key[], slot: Slot): void {
  const last = path.length - 1;
  if (last >= 0) tree.set(find(tree, path, last), path[last]!, slot);
  else tree.setRoot(isContainer(slot) && !(slot instanceof Place) ? new Place(tree, slot as Twin, null, "") : slot);
}

function take(tree: Tree, path: Key[]): Slot {
  const place = find(tree, path, path.length - 1);
  const key = path.at(-1)!;
  if (typeof key === "number") {
    readSlot(place, key);
    return tree.splice(place, key, 1, [])[0];
  }
  const slot = readSlot(place, key);
  tree.remove(place, key);
  return slot;
}

/** A plain copy of a document that follows it: what a client shows. */
export class View {
  private readonly tree: Tree;

  /** Takes over a plain JSON value. */
  constructor(value: unknown) {
    this.tree = new Tree(freeze(value));
  }

  edit(edits: ViewEdit[]): void {
    follow(this.tree, edits);
    this.tree.commit();
  }

  /** The value as it is: frozen, and `===` where nothing changed since the last time. */
  publish(): unknown {
    return this.tree.publish();
  }
}
