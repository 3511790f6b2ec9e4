import { LARGE, put, type Container, type Key } from "../json/containers.js";
import { copyOf, copyOfMembers, forgetNames, haveNames, namesOf } from "../json/copies.js";
import type { Members } from "./members.js";
import { ABSENT, Place } from "./place.js";
import { readSlot } from "./reading.js";
import type { Recipe } from "./recipe.js";
import { Unread } from "./unread.js";

/** An object of the state, as a running recipe sees it. */
export class ObjectPlace extends Place {
  /** What members were before they were written to, in the order in which a plain object would have new ones. */
  touched: Map<string, unknown> | null = null;
  /** Which change of the recipe the first one to the object's own members was. */
  private touchTurn = 0;
  removed: Set<string> | null = null;
  /** Whether it has got names, or lost some. */
  private isRenamed = false;
  /** Whether the copy has so many members that it may stay unfrozen. */
  isLarge = false;
  private readonly wide: Members | null;

  constructor(recipe: Recipe, base: Container, parent: Place | null, key: Key, isOfState: boolean) {
    super(recipe, base, parent, key, isOfState);
    this.wide = recipe.state.members(base);
  }

  protected list(): void {
    // Members that a recipe has deleted come back in their order if it fails, which those of a document have for themselves.
    if (this.members !== null && this.removed !== null) this.standApart();
    if (this.wide !== null) this.recipe.state.list(this.base);
  }

  /** The members of an object of a document that aren't all listed in it. */
  private get members(): Members | null {
    return this.wide === null || this.wide.isListed ? null : this.wide;
  }

  holding(key: Key | symbol): Container {
    if (this.wide === null) return this.content;
    this.find(key);
    return this.now;
  }

  /** Makes sure that it has a member that it isn't known to have. */
  find(key: Key | symbol): void {
    if (this.wide !== null) this.wide.find(key);
  }

  raw(key: Key): unknown {
    return this.now[key];
  }

  /** Reads a member that hasn't been. */
  read(key: string): void {
    const slot: unknown = this.now[key];
    if (slot instanceof Unread) this.readUnread(slot, key);
  }

  protected readUnread(unread: Unread, key: Key): unknown {
    const { base, now } = this;
    if (now === base) return readSlot(base, key);
    const slot: unknown = base[key] === unread ? readSlot(base, key) : unread.known;
    put(now, key, slot);
    return slot;
  }

  get isUnlisted(): boolean {
    return false;
  }

  protected hasPut(key: Key): boolean {
    return this.touched?.has(key as string) === true;
  }

  protected keyAfter(place: Place): Key {
    return place.key;
  }

  written(): Iterable<Key> {
    const keys = new Set<Key>(this.touched?.keys());
    for (const place of this.drafted ?? []) keys.add(place.key);
    return keys;
  }

  /** It can be written to. `changesNames` says that it is to get a member, or to lose one. */
  override own(changesNames = false): void {
    super.own(changesNames);
    if (!changesNames || this.isRenamed) return;
    this.isRenamed = true;
    forgetNames(this.now);
  }

  protected copy(changesNames = false): void {
    const { content } = this;
    this.isOwn = true;
    const names = namesOf(content);
    this.isLarge = names.length > LARGE;
    const copy = copyOfMembers(content, names, changesNames);
    if (this.recipe.state.source(content) === null) haveNames(content, copy, names);
    this.becomes(copy);
  }

  copied(): Container {
    return copyOf(this.content);
  }

  /** `changesNames` is as for {@link own}. */
  standApart(changesNames = false): void {
    if (!this.isInPlace) return;
    const { base } = this;
    const written = Array.from(this.touched?.keys() ?? [], (key) => [key, Object.hasOwn(base, key) ? base[key] : ABSENT] as const);
    this.undo();
    this.isInPlace = false;
    this.recipe.state.list(base);
    const copy = copyOf(base, changesNames);
    for (const [key, slot] of written) {
      if (slot === ABSENT || this.removed?.has(key) === true) delete copy[key];
      if (slot !== ABSENT) put(copy, key, slot);
    }
    this.isLarge = true;
    this.becomes(copy);
  }

  undo(): void {
    if (!this.isInPlace) return;
    const { touched, drafted, base } = this;
    // What became of its drafts may be in it already.
    if (drafted !== null) for (const kid of drafted) put(base, kid.key, kid.base);
    if (touched === null) return;
    const back: [string, unknown][] = [];
    for (const [key, before] of touched) {
      if (before === ABSENT) delete base[key];
      else if (this.removed?.has(key) === true) back.push([key, before]);
      else put(base, key, before);
    }
    this.wide?.restore(back);
  }

  set(key: string, slot: unknown): void {
    const had = Object.hasOwn(this.now, key);
    this.own(!had);
    this.change();
    this.leave(key);
    const touched = this.touch();
    if (!touched.has(key)) touched.set(key, had ? this.base[key] : ABSENT);
    else if (!had) again(touched, key, touched.get(key));
    put(this.now, key, slot);
  }

  remove(key: string): void {
    this.own(true);
    this.change();
    // Put back, it would be the last of all members.
    if (this.members?.isInPlace(key) !== true) this.standApart(true);
    else this.leave(key);
    const touched = this.touch();
    if (Object.hasOwn(this.base, key)) {
      const before: unknown = this.isInPlace && touched.has(key) ? touched.get(key) : this.base[key];
      again(touched, key, before);
      (this.removed ??= new Set()).add(key);
    } else touched.delete(key);
    if (this.isInPlace) this.members?.remove(key);
    else delete this.now[key];
  }

  private touch(): Map<string, unknown> {
    if (this.touched === null) {
      this.touched = new Map();
      this.touchTurn = this.recipe.turns++;
    }
    return this.touched;
  }

  /** Whether a container in it was changed before its members. */
  isBefore(kid: Place): boolean {
    return this.touched !== null && kid.turn < this.touchTurn;
  }
}

/** The last one that was touched. */
function again(touched: Map<string, unknown>, key: string, before: unknown): void {
  touched.delete(key);
  touched.set(key, before);
}
