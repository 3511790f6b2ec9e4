import { EDIT } from "../bridge/boundary.js";
import { freeze, isContainer, itemsOf, ownOf, spliceItems, type Container, type Key } from "../json/containers.js";
import { copyOf, copyOfMembers, forgetNames, haveNames, namesOf } from "../json/copies.js";
import { readSlot, pinUnread } from "./reading.js";
import type { Members } from "./members.js";
import { sharing } from "./sharing.js";
import { setSlot, type Slots } from "./slots.js";
import type { Source } from "./unread.js";

/** What a plain copy has to do to follow the document, as the core says it (src/edit/print.rs). */
export type PlainEdit =
  | [kind: typeof EDIT.SET, path: Key[], value: unknown]
  | [kind: typeof EDIT.DELETE, path: Key[]]
  | [kind: typeof EDIT.SPLICE, path: Key[], index: number, remove: number, items: unknown[]]
  | [kind: typeof EDIT.PERMUTE, path: Key[], order: number[]]
  | [kind: typeof EDIT.MOVE, from: Key[], path: Key[]]
  | [kind: typeof EDIT.APPEND, path: Key[], text: string]
  | [kind: typeof EDIT.ADD, path: Key[], by: number];

/** The edits in the core's answer; `patch` is the text of the patch that they may refer to. */
export function readEdits(answer: string, patch: string): PlainEdit[] {
  const edits = JSON.parse(answer) as PlainEdit[];
  let operations: { value: unknown }[] | undefined;
  for (const edit of edits as [kind: number, ...unknown[]][]) {
    if (edit[0] < EDIT.BROUGHT) continue;
    edit[0] -= EDIT.BROUGHT;
    operations ??= JSON.parse(patch) as { value: unknown }[];
    const { value } = operations[edit.pop() as number]!;
    edit.push(edit[0] === EDIT.SET ? value : [value]);
  }
  return edits;
}

/** What has to be known of the containers of a state that aren't frozen. */
export interface Holder {
  isUnseen(container: object): boolean;
  mayWriteInto(container: object): boolean;
  source(container: object): Source | null;
  slots(container: object): Slots | null;
  members(container: object): Members | null;
  list(container: object): void;
  noteCopy(from: object, to: object): void;
  leave(container: object): void;
}

/** Where everything is frozen. */
const FROZEN: Holder = {
  isUnseen: () => false, mayWriteInto: () => false, source: () => null, slots: () => null, members: () => null, list: () => {}, noteCopy: () => {}, leave: () => {},
};

/** Where nothing is ours to write to, frozen or not. */
export const FOREIGN: Holder = { ...FROZEN, isUnseen: () => true };

/**
 * The value that the core's edits lead to from a frozen one, which shares with it what didn't change. The core has applied
 * the edits already: they fit. What is certain is done where it is, in what nobody has seen. O(the containers on their ways).
 */
export function follow(root: unknown, edits: PlainEdit[], holder = FROZEN, isCertain = false): unknown {
  const follower = new Follower(root, holder, isCertain);
  for (const edit of edits) follower.edit(edit);
  return follower.end();
}

/** Follows edits from somebody else's value, which stays as it is: what didn't change is shared with it. */
export function derive(root: unknown, edits: PlainEdit[]): unknown {
  return follow(root, edits, FOREIGN);
}

/** So many copies are looked through one by one. */
const FEW = 16;

/** Makes edits one by one, on copies. */
export class Follower {
  /** Copies, which may be written to. */
  private readonly copies: object[] = [];
  private many: Set<object> | null = null;

  constructor(
    private root: unknown,
    private readonly holder = FROZEN,
    private readonly isCertain = false,
  ) {}

  edit(edit: PlainEdit): void {
    switch (edit[0]) {
      case EDIT.SET:
        return this.set(edit[1], freeze(edit[2]));
      case EDIT.DELETE:
        this.take(edit[1]);
        return;
      case EDIT.SPLICE:
        for (let i = 0; i < edit[4].length; i++) freeze(edit[4][i]);
        this.splice(this.find(edit[1]), edit[2], edit[3], edit[4]);
        return;
      case EDIT.PERMUTE: {
        const items = this.listed(this.find(edit[1]));
        this.pinUnread(items, 0, items.length);
        const before = [...items];
        edit[2].forEach((from, to) => (items[to] = before[from]));
        return;
      }
      case EDIT.MOVE: {
        const value = this.take(edit[1]);
        const index = edit[2].at(-1);
        if (typeof index === "number") this.splice(this.find(edit[2], edit[2].length - 1), index, 0, [value]);
        else this.assign(edit[2], value);
        return;
      }
      case EDIT.APPEND:
        return this.assign(edit[1], (this.get(edit[1]) as string) + edit[2]);
      case EDIT.ADD:
        this.assign(edit[1], (this.get(edit[1]) as number) + edit[2]);
    }
  }

  /** What the edits so far have led to. */
  get value(): unknown {
    return this.root;
  }

  end(): unknown {
    for (const copy of this.copies) if (this.holder.source(copy) === null) Object.freeze(copy);
    return this.root;
  }

  private get(path: Key[]): unknown {
    let value = this.root;
    for (const key of path) value = this.read(value as Container, key);
    return value;
  }

  private read(container: Container, key: Key): unknown {
    this.holder.members(container)?.find(key);
    return readSlot(this.holder.slots(container) ?? container, key);
  }

  private write(container: Container, key: Key, value: unknown): void {
    setSlot(this.holder.slots(container) ?? container, key, value);
  }

  private listed(container: Container): unknown[] {
    this.holder.list(container);
    return itemsOf(container);
  }

  /** The container at the first `length` keys of a path, to be written to: the next key is to be a member of it, or to be one no more. */
  private find(path: Key[], length = path.length, removes = false): Container {
    const own = (container: Container, at: number): Container => {
      const key = at === length ? path[at] : undefined;
      return this.own(container, typeof key === "string" && (removes || !Object.hasOwn(container, key)));
    };
    let container = (this.root = own(this.root as Container, 0));
    for (let i = 0; i < length; i++) {
      const key = path[i]!;
      const child = own(this.read(container, key) as Container, i + 1);
      this.write(container, key, child);
      container = child;
    }
    return container;
  }

  private own(container: Container, changesNames: boolean): Container {
    const { holder } = this;
    // Nothing else is unfrozen.
    const isOurs = !Object.isFrozen(container) && (!holder.isUnseen(container) || this.isCopy(container));
    if (isOurs || (this.isCertain && holder.mayWriteInto(container))) {
      if (changesNames) forgetNames(container);
      return container;
    }
    holder.list(container);
    const copy = this.copy(container, changesNames);
    holder.noteCopy(container, copy);
    holder.leave(container);
    this.copies.push(copy);
    this.many?.add(copy);
    return copy;
  }

  private copy(container: Container, changesNames: boolean): Container {
    if (Array.isArray(container)) return copyOf(container);
    const names = namesOf(container);
    const copy = copyOfMembers(container, names, changesNames);
    // What is somebody else's may get other names at any time.
    if (!changesNames && this.holder !== FOREIGN && this.holder.source(container) === null) haveNames(container, copy, names);
    return copy;
  }

  private isCopy(container: object): boolean {
    if (this.copies.length <= FEW) return this.copies.includes(container);
    this.many ??= new Set(this.copies);
    return this.many.has(container);
  }

  /** Sets a value, in which what is equal stays what it was. */
  private set(path: Key[], value: unknown): void {
    const before = isContainer(value) && this.holder !== FOREIGN ? this.there(path) : undefined;
    if (before === undefined) return this.assign(path, value);
    // What isn't frozen may be changed where it is, and what hasn't been read isn't read for this.
    const shared = sharing(before, value, (container) => this.holder.source(container) === null && Object.isFrozen(container), true);
    if (shared !== before) this.assign(path, shared);
  }

  /** The container at a path, where all on the way has been read. */
  private there(path: Key[]): object | undefined {
    let value = this.root;
    for (const key of path) {
      if (!isContainer(value) || this.holder.source(value) !== null) return undefined;
      value = ownOf(value, key);
    }
    return isContainer(value) ? value : undefined;
  }

  private assign(path: Key[], value: unknown): void {
    const last = path.length - 1;
    if (last >= 0) this.write(this.find(path, last), path[last]!, value);
    else this.root = value;
  }

  private take(path: Key[]): unknown {
    const container = this.find(path, path.length - 1, true);
    const key = path.at(-1)!;
    const value = this.read(container, key);
    if (typeof key === "number") this.splice(container, key, 1, []);
    else {
      this.holder.members(container)?.remove(key);
      delete container[key];
    }
    return value;
  }

  private splice(container: Container, index: number, remove: number, insert: unknown[]): void {
    const items = this.listed(container);
    this.pinUnread(items, index, insert.length === remove ? index + remove : items.length);
    spliceItems(items, index, remove, insert);
  }

  private pinUnread(items: unknown[], from: number, to: number): void {
    const source = this.holder.source(items);
    if (source !== null) pinUnread(items, source, from, to);
  }
}

/** So many edits, of frames of so many characters, wait until somebody looks: each container on their ways is copied once for all of them. */
const WAITING = { edits: 256, length: 1 << 16 };

/** A plain copy of a document that follows it: what a client shows. */
export class PlainCopy {
  private value: unknown;
  private waiting: PlainEdit[] = [];
  private length = 0;

  /** Takes over a plain JSON value; what of it an earlier one has, is that one's. O(its size). */
  constructor(value: unknown, before?: PlainCopy) {
    this.value = sharing(before?.publish(), freeze(value), () => true, false);
  }

  /** Takes the edits of a frame of so many characters. */
  edit(edits: PlainEdit[], length: number): void {
    for (let i = 0; i < edits.length; i++) this.waiting.push(edits[i]!);
    this.length += length;
    if (this.waiting.length > WAITING.edits || this.length > WAITING.length) this.publish();
  }

  /** The value as it is: frozen, and `===` where nothing changed since the last time. */
  publish(): unknown {
    if (this.waiting.length > 0) {
      this.value = follow(this.value, this.waiting);
      this.waiting = [];
      this.length = 0;
    }
    return this.value;
  }
}
