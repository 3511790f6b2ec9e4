import { PatchwireError } from "../errors.js";
import { EDIT } from "../bridge/boundary.js";
import { isPromise } from "../bridge/checks.js";
import { Log } from "./log.js";
import { isContainer, type Key } from "../json/containers.js";
import { follow, type PlainEdit } from "./edits.js";
import { DEEPEST, tooDeepForStack } from "../json/json.js";
import { measured } from "./measured.js";
import { Recipe } from "./recipe.js";
import { patchPlainly } from "./plain-patch.js";
import { readWhole } from "./reading.js";
import type { Grown } from "./payload.js";
import { Place, placeOf, seen } from "./place.js";
import { Settlement } from "./settle.js";
import type { Told } from "./told.js";
import type { StateDocument } from "../bridge/document.js";
import type { Members } from "./members.js";
import type { Slots } from "./slots.js";
import { Base, Unread, type Source } from "./unread.js";

/** Bounds of what a change brings, so that the core is asked where a limit may be near. */
export interface Measure {
  bytes: number;
  depth: number;
  /** The longest string. */
  longest: number;
  /** One of the long strings that came in, and what it took the place of. */
  grown?: Grown | null;
}

/**
 * So many large containers may stay unfrozen: an update that replaces one each time would leave more and more. They lie in
 * slots that are emptied: the store that a list or a set leaves behind would keep them alive until a full collection.
 */
const UNSEEN = 8;

/**
 * A plain state and what was done to it. A change is made in two steps: it is worked out, and then committed or rolled
 * back. Every container is frozen, except those that nobody has seen: large ones that the last updates made, and
 * containers of a document of which not all has been read.
 */
export class State {
  /** Where the records of the change that is being made begin in the log. */
  start = 0;
  private value: unknown;
  private next: unknown;
  private recipe: Recipe | null = null;
  private base: Base | null = null;
  /** Somebody has the state as it was. */
  isSeen = false;
  private readonly unseen = new Array<object | null>(UNSEEN).fill(null);
  private hidden = 0;
  private made: object[] = [];
  /** What the change took the place of. */
  private left: object[] | null = null;
  /** Whether the change, or any since the base, put something of the state anywhere: it may be in two places. */
  private hasPut = false;
  private mayHaveTwins = false;
  /** The change that is made when somebody looks, and the string whose growth it is, if it is that. */
  private due: (() => PlainEdit[]) | null = null;
  private growing: { path: Key[]; pointer: string; text: string; length: number } | null = null;

  /** Takes over a frozen value, or stands over a document. `mayHide` says that nobody looks at changes before they are certain. */
  constructor(
    value: unknown,
    private readonly mayHide = true,
    private readonly mostBytes = Infinity,
    /** Bounds of the state that a change begins with. */
    private readonly known: () => { weight: number; depth: number } = () => ({ weight: 0, depth: 0 }),
    readonly log = new Log(),
  ) {
    if (value instanceof Base) {
      const base = value;
      value = base.open([]);
      if (isContainer(value) && base.source(value) !== null) this.base = base;
      else base.close();
    }
    this.value = this.next = value;
  }

  /** Whether a recipe is running, or what it left is being taken over. */
  get isOpen(): boolean {
    return this.recipe !== null && (this.recipe.isOpen || this.recipe.isSettling);
  }

  /**
   * Runs a recipe on the whole state. Throws what it throws, `ASYNC_RECIPE`, `RECIPE_RESULT` or `NOT_JSON`, having
   * changed nothing; otherwise the change is logged, and waits for `commit` or `rollback`. Returns undefined where
   * nothing changed.
   */
  run(run: (draft: unknown) => unknown): Measure | undefined {
    this.catchUp();
    this.start = this.log.length;
    const recipe = (this.recipe = new Recipe(this));
    const root = recipe.begin(this.value);
    try {
      const result = run(seen(root));
      const isKept = !isContainer(result) || placeOf(result)?.recipe === recipe || result === recipe.taken;
      if (!isKept) refuseWaiting(result);
      recipe.isOpen = false;
      recipe.part();
      if (!(root instanceof Place) || !root.isChanged) {
        if (!isKept && !holds(this.value, result)) refuseResult();
        if (!(root instanceof Place) && result !== undefined && !Object.is(result, root)) refuseScalar();
        this.recipe = null;
        return undefined;
      }
      const settlement = new Settlement(recipe, isKept ? undefined : result, this.mostBytes);
      this.next = this.settle(settlement, recipe, root);
      if (!isKept && !settlement.hasResult && !holds(this.next, result)) refuseResult();
      if (this.next === this.value && root.told === null) {
        recipe.undo();
        this.recipe = null;
        return undefined;
      }
      this.made = settlement.unseen;
      this.left = settlement.left;
      this.hasPut = recipe.sharesParts || settlement.hasPut;
      this.log.begin();
      if (root.told !== null) tell(this.log, [], root.told);
      this.log.weigh(settlement.bytes);
      return measured(settlement, recipe, this.known());
    } catch (error) {
      recipe.isOpen = false;
      this.rollback();
      throw error;
    }
  }

  private settle(settlement: Settlement, recipe: Recipe, root: Place): object {
    recipe.isSettling = true;
    try {
      return settlement.settle(root);
    } catch (error) {
      // The stack ends before the deepest nesting that can be allowed.
      throw error instanceof RangeError && settlement.path.length > DEEPEST >> 2 ? tooDeepForStack(settlement.path) : error;
    } finally {
      recipe.isSettling = false;
    }
  }

  /** Works out a string's growth at once, as a change that may be taken back. */
  appendNow(path: Key[], text: string): void {
    this.follow([[EDIT.APPEND, path, text]]);
    this.log.begin();
    this.log.append(path, text, 0);
  }

  /** Works out the addition to a number. */
  increase(path: Key[], value: number, by: number, isCertain: boolean): void {
    this.follow([[EDIT.SET, path, value + by]], isCertain);
    this.log.begin();
    this.log.increment(path, by, "inc");
  }

  /** Works out a patch, if what it does is plain, and all of the state is here. Null where it changes nothing. */
  patch(patch: readonly unknown[] | string, limits: { operations: number; path: number }): Measure | null | undefined {
    this.catchUp();
    if (this.base !== null) return undefined;
    this.start = this.log.length;
    const patched = patchPlainly(this.value, patch, this, this.log, limits);
    if (patched !== undefined && patched.value !== this.value) {
      this.next = patched.value;
      return patched;
    }
    this.rollback();
    return patched && null;
  }

  /** Works out a change that the core has made already, or that has still to be logged; one that is certain is never taken back. */
  follow(edits: PlainEdit[], isCertain = false): void {
    this.catchUp();
    this.start = this.log.length;
    this.next = follow(this.value, edits, this, isCertain);
  }

  /** Makes a change that fits when somebody looks. One waits at most. */
  later(edits: () => PlainEdit[]): void {
    this.catchUp();
    this.due = edits;
  }

  /**
   * Adds to a string that is known to be there, and `length` characters long then; worked out when somebody looks. True where that is one
   * change with the last one, which nobody has read.
   */
  appendLater(path: Key[], pointer: string, text: string, length: number): boolean {
    const growing = this.growing?.pointer === pointer ? this.growing : null;
    if (growing === null) {
      this.catchUp();
      this.growing = { path, pointer, text, length };
      this.due = () => [[EDIT.APPEND, path, this.growing!.text]];
    } else {
      growing.text += text;
      growing.length = length;
    }
    if (this.log.extend(path, text)) return true;
    this.start = this.log.length;
    this.log.begin();
    this.log.append(path, text, length);
    return false;
  }

  /** Whether all of it is here, and up to date. */
  get isWhole(): boolean {
    return this.base === null && this.due === null;
  }

  /** Whether it holds much of a document that nobody has seen, and had better begin anew: see {@link Base.isCrowded}. */
  get isCrowded(): boolean {
    return this.base?.isCrowded === true;
  }

  /** The string at a pointer, if it grows. */
  growth(pointer: string): { path: Key[]; value?: undefined; length: number } | null {
    return this.growing?.pointer === pointer ? this.growing : null;
  }

  /** Makes the change that is due. One that fails has changed nothing, and is tried again by the next one who looks. */
  private catchUp(): void {
    const { due } = this;
    if (due === null) return;
    this.value = this.next = follow(this.value, due(), this, true);
    this.due = this.growing = null;
    this.forget();
  }

  /** The state as it is: it may hold what nobody may see yet. */
  unread(): unknown {
    this.catchUp();
    return this.value;
  }

  commit(): void {
    this.value = this.next;
    const { made } = this;
    this.made = [];
    for (const container of made) if (!Object.isFrozen(container)) this.hide(container);
    this.recipe = null;
    if (this.hasPut) {
      this.seal();
      this.mayHaveTwins = true;
      this.hasPut = false;
    }
    this.forget();
  }

  /** Versions that nobody looks at any more would fill the table of what isn't read, until they are collected. */
  private forget(): void {
    if (this.left === null) return;
    if (this.base !== null && !this.mayHaveTwins) for (const container of this.left) this.base.forget(container);
    this.left = null;
  }

  /** A container that a copy took the place of. */
  leave(container: object): void {
    (this.left ??= []).push(container);
  }

  /** Takes the unfinished change back. */
  rollback(): void {
    this.recipe?.undo();
    this.recipe = null;
    this.next = this.value;
    this.made = [];
    this.left = null;
    this.hasPut = false;
    this.log.rewind(this.start);
  }

  /** The state: plain and frozen. O(what changed since the last time that is large). */
  publish(): unknown {
    // What is changed where it is can't be put back half-way.
    if (this.recipe?.isSettling) throw new PatchwireError("TRACKER_BUSY", "what a recipe left is being taken over");
    if (this.isOpen) this.recipe!.standApart();
    else this.catchUp();
    return this.frozen(this.value);
  }

  /** Gives back what it holds in the core's memory: nobody will look at it any more. */
  close(last?: (document: StateDocument) => void): void {
    this.base?.close(last);
    this.base = null;
  }

  /** The state with the unfinished change, which may be taken back: what was there is read as well. */
  preview(): unknown {
    if (this.base !== null) readWhole(this.value, this.base);
    return this.frozen(this.next);
  }

  /**
   * The state as the recipe leaves it, for whoever measures it and keeps nothing: what the change was made in isn't frozen, so that it can be taken back
   * there. Where something isn't read, nothing was changed in place.
   */
  unfinished(): unknown {
    return this.base === null ? this.next : this.preview();
  }

  private frozen(value: unknown): unknown {
    this.isSeen = true;
    if (this.base !== null) {
      readWhole(value, this.base);
      if (!this.isOpen) {
        this.base.close();
        this.base = null;
      }
    }
    this.seal();
    return value;
  }

  /** A container of the state, all of it read and nothing of it changed any more where it is. */
  published(container: object): object {
    if (this.base !== null) readWhole(container, this.base);
    this.seal();
    return container;
  }

  /** From now on nothing is changed where it is, but what is `open`. */
  seal(open: readonly object[] = []): void {
    for (const container of this.made) if (this.source(container) === null) Object.freeze(container);
    const { unseen, hidden } = this;
    this.hidden = 0;
    for (let i = 0; i < hidden; i++) {
      const container = unseen[i]!;
      unseen[i] = null;
      if (open.includes(container)) unseen[this.hidden++] = container;
      else if (this.source(container) === null) Object.freeze(container);
    }
  }

  private hide(container: object): void {
    if (this.hidden === UNSEEN) this.seal();
    this.unseen[this.hidden++] = container;
  }

  isUnseen(container: object): boolean {
    return (this.hidden > 0 && this.unseen.includes(container)) || this.source(container) !== null;
  }

  mayWriteInto(container: object): boolean {
    if (!this.mayHide) return false;
    return (this.hidden > 0 && this.unseen.includes(container)) || (!this.mayHaveTwins && this.source(container)?.isLarge === true);
  }

  source(container: object): Source | null {
    return this.base === null ? null : this.base.source(container);
  }

  /** What an array holds that isn't listed in it. */
  slots(container: object): Slots | null {
    return this.base === null ? null : this.base.slots(container);
  }

  /** The members of an object that aren't all listed in it. */
  members(container: object): Members | null {
    return this.base === null ? null : this.base.members(container);
  }

  /** Lists what a container holds in it. */
  list(container: object): void {
    this.base?.list(container);
  }

  noteCopy(from: object, to: object): void {
    this.base?.noteCopy(from, to);
  }

  /** Forgets the log's first records: they are in the core now. */
  drop(count: number): void {
    this.log.drop(count);
    this.start -= count;
  }

  /** Forgets what was committed, and what the core knew: another one begins with the published state. */
  restart(isUnfinished: boolean): void {
    this.drop(isUnfinished ? this.start : this.log.length);
    this.log.forgetKeys();
  }
}

/** Logs what is to be told, containers before what is in them. `path` is where it is, and the same again afterwards. */
function tell(log: Log, path: Key[], { first, steps, below }: Told): void {
  if (first !== null) tellEach(log, path, first);
  if (steps !== null) {
    // Records keep their path.
    const here = path.slice();
    for (const step of steps) log.tell(here, step);
  }
  if (below !== null) tellEach(log, path, below);
}

function tellEach(log: Log, path: Key[], members: readonly [Key, Told][]): void {
  for (const [key, told] of members) {
    path.push(key);
    tell(log, path, told);
    path.pop();
  }
}

function refuseWaiting(result: object): void {
  if (isPromise(result)) throw new PatchwireError("ASYNC_RECIPE", "the recipe returned a promise: do the waiting first, then update");
}

/** Whether a container that a recipe returned is in there. O(the state), for what would be refused otherwise. */
function holds(at: unknown, result: unknown): boolean {
  return Object.isFrozen(result) && isContainer(at) && !(at instanceof Unread) && Object.values(at).some((item) => item === result || holds(item, result));
}

function refuseScalar(): never {
  throw new PatchwireError("RECIPE_RESULT", "the state is no object or array that a recipe could change: apply([{ op: 'replace', path: '', value }]) makes it another one");
}

function refuseResult(): never {
  throw new PatchwireError("RECIPE_RESULT", "the recipe returned a value, which doesn't become the state: change the draft instead, or set its members with Object.assign(draft, value)");
}
