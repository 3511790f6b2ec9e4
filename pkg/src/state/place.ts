import { PatchwireError } from "../errors.js";
import { isContainer, put, type Container, type Key } from "../json/containers.js";
import type { Recipe } from "./recipe.js";
import type { Told } from "./told.js";
import { Unread } from "./unread.js";

/** Answers with the place behind a draft. */
export const PLACE = Symbol("patchwire place");

/** The place behind a draft, or the place itself; undefined for whatever is neither, even if it inherits from a draft. */
export function placeOf(value: object): Place | undefined {
  const place = (value as { [PLACE]?: Place })[PLACE];
  return place !== undefined && (place.proxy === value || place === value) ? place : undefined;
}

/** Whether an object is a draft or inherits from one. */
export function hasPlace(value: object): boolean {
  return (value as { [PLACE]?: Place })[PLACE] !== undefined;
}

/** Whether an object inherits from a draft: a member named `__proto__` was assigned to it. */
export function isHeir(value: object): boolean {
  return hasPlace(value) && placeOf(value) === undefined;
}

/** A place whose recipe is running. */
export function requireOpen<P extends Place>(place: P): P {
  if (!place.recipe.isOpen) throw new PatchwireError("DRAFT_REVOKED", "the recipe of this draft has ended: take what you need out of it, or update again");
  return place;
}

/** A slot as a recipe sees it. The draft of a container is the same one as long as the recipe runs. */
export function seen(slot: unknown): unknown {
  return slot instanceof Place ? (slot.proxy ??= slot.recipe.draft(slot)) : slot;
}

/** Members that have drafts are looked for one by one up to so many. */
const FEW = 8;

/** There was no such member. */
export const ABSENT = Symbol("absent");

/**
 * A container of the state, as a running recipe sees it: an {@link ArrayPlace} or an {@link ObjectPlace}. A slot of `now` holds what
 * indexing the draft gives, except that a place stands for its draft, and that a container of the state is drafted when it is first read.
 */
export abstract class Place {
  /** What it holds: `base` itself until it is first written to. */
  now: Container;
  /** Whether `now` may be written to. */
  isOwn = false;
  /** Whether `now` is `base` all the same, which nobody has seen: see {@link Recipe.mayWriteInto}. */
  isInPlace = false;
  /** Whether it or something in it was written to. */
  isChanged = false;
  /** Its number in the order in which the recipe first changed containers: changes are told in that order. */
  turn = 0;
  /** The members that were drafted where they are: in slots of a copy; otherwise known by their keys. */
  drafted: Place[] | null = null;
  protected byKey: Map<Key, Place> | null = null;
  proxy: object | null = null;
  /** Where its parent had it when the recipe began, if that has been looked for. */
  home: Key | typeof ABSENT | undefined = undefined;
  private indexOfBase: Map<object, Key> | null = null;
  /** How many edits the array had when this item of it was drafted, that have to be followed to find it. */
  since = 0;

  /** What it became, when the recipe has ended. */
  final: object | undefined = undefined;
  isBeingSettled = false;
  /** What is to be told of it. */
  told: Told | null = null;
  /** How often it was put somewhere, and how deep at most. */
  puts = 0;
  deepest = 0;

  constructor(
    readonly recipe: Recipe,
    /** What it is when the recipe begins. */
    readonly base: Container,
    /** The container in which it was first read, and where; -1 for what was taken out of an array. */
    readonly parent: Place | null,
    readonly key: Key,
    /** Whether the state has it there; not known of what recipes put elsewhere. */
    private readonly isOfState: boolean,
  ) {
    this.now = base;
  }

  get [PLACE](): Place {
    return this;
  }

  /** What it holds, at least at a key. */
  abstract holding(key: Key | symbol): Container;
  /** What there is at a key. */
  abstract raw(key: Key): unknown;
  /** The keys of what may be something else than a scalar or a container of the state. */
  abstract written(): Iterable<Key>;
  /** Whether it is an array of a document whose items aren't listed. */
  abstract get isUnlisted(): boolean;
  /** What it holds, as a copy. */
  abstract copied(): Container;
  /** What was changed in place becomes a copy, and `base` what it was. */
  abstract standApart(): void;
  /** Takes back what was changed in place. */
  abstract undo(): void;

  /** Lists all that `base` has in it. */
  protected abstract list(): void;
  /** Reads a slot of a document: into `base`, so that what was there has its place in it, and from there into a copy. */
  protected abstract readUnread(unread: Unread, key: Key): unknown;
  /** Whether the recipe has put something into a slot of what it changes in place. */
  protected abstract hasPut(key: Key): boolean;
  /** Where one that was drafted here is after what was done here; -1 if it isn't certain. */
  protected abstract keyAfter(place: Place): Key;
  /** Goes on in a copy; `changesNames` says that it is to get a member, or to lose one. */
  protected abstract copy(changesNames?: boolean): void;

  /** All that it holds. */
  get content(): Container {
    this.list();
    return this.now;
  }

  /** The place of a member that has a draft, while the slot itself doesn't say it. */
  protected known(key: Key): Place | undefined {
    if (this.byKey !== null) return this.byKey.get(key);
    const { drafted } = this;
    if (drafted !== null) for (let i = 0; i < drafted.length; i++) if (drafted[i]!.key === key) return drafted[i];
    return undefined;
  }

  protected get hasSlots(): boolean {
    return this.isOwn && !this.isInPlace;
  }

  /** What a slot holds: a scalar, a place, or a value that the recipe put there. Containers of the state are drafted. */
  slot(key: Key): unknown {
    let slot = this.raw(key);
    if (!isContainer(slot) || slot instanceof Place) return slot;
    if (slot instanceof Unread) {
      slot = this.readUnread(slot, key);
      if (!isContainer(slot)) return slot;
    }
    const known = this.hasSlots ? undefined : this.known(key);
    if (known !== undefined) return known;
    // What the recipe put there is taken over from its slot, where its draft has to be.
    if (this.isInPlace && this.hasPut(key)) this.standApart();
    // What is where the state has it needn't be asked whether it is frozen, which costs a look at each member.
    const isOfState = this.isOfState && (!this.isOwn || (!this.isInPlace && this.base[key] === slot));
    return isOfState || this.recipe.isOurs(slot as object) ? this.draft(slot as Container, key, isOfState) : slot;
  }

  protected draft(value: Container, key: Key, isOfState: boolean): Place {
    const place = this.recipe.place(value, this, key, isOfState);
    const drafted = (this.drafted ??= []);
    drafted.push(place);
    if (this.hasSlots) put(this.now, key, place);
    else if (drafted.length > FEW) this.index(place);
    return place;
  }

  /** There are too many to look for one by one. */
  protected index(place: Place): void {
    if (this.byKey !== null) this.byKey.set(place.key, place);
    else this.byKey = new Map(this.drafted!.map((place) => [place.key, place]));
  }

  /** What the slot holds now, without drafting what it holds. */
  peek(key: Key): unknown {
    return (this.hasSlots ? undefined : this.known(key)) ?? this.raw(key);
  }

  /** Whether it is where it was read, and so is what it is in. */
  get isSeated(): boolean {
    return this.parent === null || (this.parent.peek(this.key) === this && this.parent.isSeated);
  }

  /** Whether what the recipe left still has it where it was read. Of a place that was settled. */
  get isKept(): boolean {
    const { parent } = this;
    if (parent === null) return true;
    const at = parent.keyAfter(this);
    const slot = at === -1 ? undefined : parent.peek(at);
    return slot !== undefined && (slot === this || slot === this.final) && (parent.puts > 0 || parent.isKept);
  }

  /** It can be written to. */
  own(changesNames = false): void {
    if (this.isOwn) return;
    if (this.recipe.mayWriteInto(this)) {
      this.isOwn = this.isInPlace = true;
      this.recipe.inPlace.push(this);
    } else this.copy(changesNames);
  }

  /** What it holds now, with its drafted members in their slots. */
  seated(): Container {
    if (this.drafted !== null && !this.isOwn) this.copy();
    return this.content;
  }

  /** Where the containers were that it held when the recipe began. */
  get baseIndex(): Map<object, Key> {
    if (this.indexOfBase === null) {
      this.indexOfBase = new Map();
      this.list();
      const keys: Iterable<Key> = Array.isArray(this.base) ? this.base.keys() : Object.keys(this.base);
      for (const key of keys) if (isContainer(this.base[key])) this.indexOfBase.set(this.base[key] as object, key);
    }
    return this.indexOfBase;
  }

  /** From now on a copy is what it holds. */
  protected becomes(copy: Container): void {
    this.now = copy;
    this.recipe.state.noteCopy(this.base, copy);
    this.byKey = null;
    const { drafted } = this;
    if (drafted !== null) for (const place of drafted) put(copy, place.key, place);
  }

  /** The container and all that it was read from will be others. */
  protected change(): void {
    for (let place: Place | null = this; place !== null && !place.isChanged; place = place.parent) {
      place.isChanged = true;
      place.turn = this.recipe.turns++;
    }
  }

  /** Before another value takes the place of what has a draft, or nothing does. */
  protected leave(key: Key): void {
    if (this.isInPlace && this.drafted !== null && this.known(key) !== undefined) this.standApart();
  }
}
