import { takeState } from "./adopt.js";
import type { Key, Slot } from "./containers.js";
import { call, core, plain } from "./core.js";
import { patchText, StateDocument } from "./document.js";
import { seen } from "./draft.js";
import { PatchwireError } from "./errors.js";
import { Meaning, type Reader } from "./meaning.js";
import { Place } from "./place.js";
import type { Recording } from "./recording.js";
import { Tree, type Version } from "./tree.js";
import type { Dialect, Draft, Immutable, JSONPatchOperation, Limits, StepWrites } from "./types.js";

/** How a {@link StateTracker} tells what changed, and what it accepts. */
export interface StateTrackerOptions {
  /** `false` (default): a change in an array replaces it. `true`: pushing is `append`; for writers in parallel. `'precise'`: index by index. */
  arrayDeltaMode?: boolean | "precise";
  /** `'path'` (default): writes at the deepest point that changed. `'key'`: one op per top-level key. */
  granularity?: "path" | "key";
  /** Pointers to numbers whose changes are told as `increment`; `*` is any one segment. */
  counters?: string[];
  /** Pointers to strings whose growth at the end is told as `append_text`; `*` is any one segment. */
  texts?: string[];
  /** Take the initial value over and freeze it, rather than copy it. */
  own?: boolean;
  /** Bounds on what is accepted. */
  limits?: Limits;
}

/**
 * An independent reader of the changes, with its own baseline. If the core fails with changes that the reader hasn't
 * read, its next question throws `ENGINE_LOST`, once: the state is whole and is the new baseline, but what led to it is
 * lost. Whoever follows this reader needs the state as a snapshot.
 */
export interface WriteCursor {
  /** The net effect since the baseline. */
  stepWrites(): StepWrites;
  /** The same as JSON Patch operations. */
  patches(options?: { dialect?: Dialect }): JSONPatchOperation[];
  /** The same as JSON text, without building objects. */
  patchText(options?: { dialect?: Dialect }): string;
  /** Makes the present state the baseline. */
  advance(): void;
  /** Ends the reader; it costs a little while it exists. */
  close(): void;
}

/** What `append` and `increment` write to: a member of a place, or with no place the root. */
interface Target {
  place: Place | null;
  key: Key;
  path: Key[];
  shape: number;
}

/** Where a pointer leads that leads nowhere. */
const NOWHERE = new Place(new Tree(null), {}, null, "");

/**
 * Holds a state, lets recipes change it as if it were a plain object, and tells exactly what changed.
 *
 * Reading and recording are JavaScript's; what the changes mean is worked out in the core, when somebody asks. If the
 * core fails, the tracker goes on from its state: see {@link WriteCursor}, which holds for the tracker's own questions
 * too. Only a tracker of a {@link StateDocument} that hasn't been read whole, as `getState` does, is lost with it.
 *
 * @example
 * ```ts
 * import { StateTracker } from "patchwire";
 * const tracker = new StateTracker({ count: 0, notes: ["a"] }, { arrayDeltaMode: true });
 * tracker.update((draft) => {
 *   draft.count = 5;
 *   draft.notes.push("b");
 * });
 * console.log(tracker.getState()); // { count: 5, notes: [ 'a', 'b' ] }
 * console.log(tracker.getRFC6902Patches());
 * // [ { op: 'replace', path: '/count', value: 5 }, { op: 'add', path: '/notes/-', value: 'b' } ]
 * ```
 */
export class StateTracker<T> {
  readonly #meaning: Meaning;
  readonly #targets = new Map<string, Target>();

  /**
   * Copies the initial value (or takes it over with `own`); O(its size). Of a document only what is touched is read:
   * O(1).
   *
   * @throws PatchwireError `NOT_JSON` with the pointer; `LIMIT_EXCEEDED`; `INVALID_POINTER` in an option.
   */
  constructor(initial: T | StateDocument, options: StateTrackerOptions = {}) {
    const { arrayDeltaMode, granularity, counters = [], texts = [], limits = {} } = options;
    const precise = arrayDeltaMode === "precise";
    const rest = { byKey: granularity === "key", append: arrayDeltaMode === true, precise, ...plain({ counters, texts, limits }) };
    if (initial instanceof StateDocument) {
      this.#meaning = Meaning.ofDocument(initial, rest);
    } else {
      const { state, depth, bytes } = takeState(initial, options.own === true);
      this.#meaning = Meaning.ofState(state, depth, bytes, rest);
    }
  }

  get #tree(): Recording {
    return this.#meaning.tree;
  }

  /**
   * Runs a recipe on a draft and makes what it did the next version. All or nothing; what the recipe returns is
   * ignored. Cost follows what it touches. The returned state fills in as it is read.
   *
   * @throws what the recipe throws; `ASYNC_RECIPE`, `NOT_JSON` with the pointer, `LIMIT_EXCEEDED`, `TRACKER_BUSY`.
   */
  update(recipe: (draft: Draft<T>) => void): Immutable<T> {
    this.#requireIdle();
    const tree = this.#tree;
    const intake = tree.run((root) => recipe(seen(root) as Draft<T>));
    if (tree.log.length > tree.start) this.#meaning.accept(intake.bytes, intake.depth);
    return stateOf(tree, tree.version) as Immutable<T>;
  }

  /** The state: plain, frozen, and `===` in every part that hasn't changed. O(containers changed since the last call). */
  getState(): Immutable<T> {
    return this.#tree.publish() as Immutable<T>;
  }

  /** The net effect since the last reset. O(what changed). */
  getStepWrites(): StepWrites {
    return this.#stepWrites(this.#meaning.main);
  }

  /** The net effect as JSON Patch operations. O(what changed). */
  getRFC6902Patches(options?: { dialect?: Dialect }): JSONPatchOperation[] {
    return JSON.parse(this.getPatchText(options)) as JSONPatchOperation[];
  }

  /** The same as JSON text, without building objects. */
  getPatchText(options?: { dialect?: Dialect }): string {
    return this.#patchText(this.#meaning.main, options);
  }

  /** Makes the present state the baseline of the step. */
  resetTracking(): void {
    this.#meaning.advance(this.#meaning.main);
  }

  /**
   * A reader of the changes from now on, independent of {@link resetTracking} and of other readers.
   *
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ n: 0 });
   * const wire = tracker.cursor();
   * tracker.update((draft) => { draft.n = 1; });
   * console.log(wire.patchText()); // [{"op":"replace","path":"/n","value":1}]
   * wire.advance();
   * console.log(wire.patchText(), tracker.getPatchText()); // [] [{"op":"replace","path":"/n","value":1}]
   * ```
   */
  cursor(): WriteCursor {
    const meaning = this.#meaning;
    const reader = meaning.openReader();
    const open = (): Reader => {
      if (!meaning.isOpen(reader)) throw new PatchwireError("CLOSED", "the cursor was closed");
      return reader;
    };
    return {
      stepWrites: () => this.#stepWrites(open()),
      patches: (options) => JSON.parse(this.#patchText(open(), options)) as JSONPatchOperation[],
      patchText: (options) => this.#patchText(open(), options),
      advance: () => meaning.advance(open()),
      close: () => meaning.closeReader(reader),
    };
  }

  /**
   * Adds to the end of the string at a JSON Pointer; told as `append_text`. O(depth), not O(the string).
   *
   * @throws PatchwireError `PATH_NOT_FOUND` where there is no string, `LIMIT_EXCEEDED`, `TRACKER_BUSY`.
   */
  append(pointer: string, text: string): void {
    const target = this.#target(pointer);
    const before = target.place === null ? this.#tree.root : target.place.twin[target.key];
    if (typeof before !== "string") return call(() => this.#meaning.flushed().append(pointer, ""));
    if (text === "") return;
    const length = before.length + text.length;
    // What the core may have to refuse is a change of its own, so that it can be taken back.
    if (!this.#meaning.isNear(text.length, 0, length) && this.#tree.log.extend(target.path, text)) {
      // The core gets the tokens of a stream as one addition.
      this.#put(target, before + text);
      this.#meaning.accept(text.length, 0, length);
    } else {
      this.#change(target, before + text, (log, path) => log.append(path, text), text.length, length);
    }
  }

  /**
   * Adds to the number at a JSON Pointer; told as `increment`. O(depth).
   *
   * @throws PatchwireError `PATH_NOT_FOUND` where there is no number, `NOT_JSON`, `TRACKER_BUSY`.
   */
  increment(pointer: string, by = 1): void {
    const target = this.#target(pointer);
    const before = target.place === null ? this.#tree.root : target.place.twin[target.key];
    if (typeof before !== "number") return call(() => this.#meaning.flushed().increment(pointer, 0));
    if (!Number.isFinite(by) || !Number.isFinite(before + by)) {
      throw new PatchwireError("NOT_JSON", "the sum isn't a finite number", { path: pointer });
    }
    this.#change(target, before + by, (log, path) => log.increment(path, by), 0, 0);
  }

  /**
   * Applies a patch of either dialect, recorded like an update. All or nothing.
   *
   * @throws PatchwireError with `code`, `opIndex` and `path`.
   */
  apply(patch: readonly JSONPatchOperation[] | string): Immutable<T> {
    this.#requireIdle();
    this.#meaning.apply(patchText(patch));
    return stateOf(this.#tree, this.#tree.version) as Immutable<T>;
  }

  /** The present version as a document: O(1), sharing everything. */
  document(): StateDocument {
    return this.#meaning.now();
  }

  #requireIdle(): void {
    this.#meaning.recover();
    if (this.#tree.open) throw new PatchwireError("TRACKER_BUSY", "a recipe is running: finish it first");
  }

  #stepWrites(reader: Reader): StepWrites {
    return JSON.parse(this.#meaning.ask(reader, (core) => core.step_writes(reader.id))) as StepWrites;
  }

  #patchText(reader: Reader, options?: { dialect?: Dialect }): string {
    return this.#meaning.ask(reader, (core) => core.patch_text(reader.id, options?.dialect === "extended"));
  }

  #change(target: Target, value: Slot, record: (log: Recording["log"], path: Key[]) => void, bytes: number, longest: number): void {
    const tree = this.#tree;
    tree.begin();
    this.#put(target, value);
    record(tree.log, target.path);
    this.#meaning.accept(bytes, 0, longest);
  }

  #put({ place, key }: Target, value: Slot): void {
    if (place === null) this.#tree.setRoot(value);
    else this.#tree.set(place, key, value);
  }

  /** What a pointer leads to, remembered as long as nothing has moved. A place that has no such member is none. */
  #target(pointer: string): Target {
    this.#requireIdle();
    const tree = this.#tree;
    const known = this.#targets.get(pointer);
    if (known !== undefined && known.shape === tree.shape && (known.place === null || Object.hasOwn(known.place.twin, known.key))) return known;
    const segments = known?.path.map(String) ?? (JSON.parse(call(() => core().pointer_segments(pointer))) as string[]);
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
    this.#targets.set(pointer, target);
    return target;
  }
}

/** A state that is looked up when it is read: until then a version costs nothing. */
function stateOf(tree: Recording, version: Version): unknown {
  return tree.root instanceof Place ? new Proxy(tree.root.isArray ? [] : {}, new LazyState(tree, version)) : tree.root;
}

class LazyState implements ProxyHandler<object> {
  constructor(
    private readonly tree: Tree,
    private readonly version: Version,
  ) {}

  private state(): object {
    return this.tree.publish(this.version) as object;
  }

  get(_: object, key: PropertyKey): unknown {
    return this.tree.member(this.version, key);
  }

  has(_: object, key: PropertyKey): boolean {
    return Reflect.has(this.state(), key);
  }

  ownKeys(): (string | symbol)[] {
    return Reflect.ownKeys(this.state());
  }

  getPrototypeOf(): object | null {
    return Reflect.getPrototypeOf(this.state());
  }

  getOwnPropertyDescriptor(target: object, key: PropertyKey): PropertyDescriptor | undefined {
    const descriptor = Reflect.getOwnPropertyDescriptor(this.state(), key);
    // A proxy may only show as fixed what its own target has.
    const fixed = Reflect.getOwnPropertyDescriptor(target, key)?.configurable === false;
    return descriptor && { ...descriptor, configurable: !fixed, writable: fixed };
  }

  set(): never {
    throw new TypeError("a published state is read-only: change it in a recipe");
  }

  defineProperty(): never {
    return this.set();
  }

  deleteProperty(): never {
    return this.set();
  }

  setPrototypeOf(): never {
    return this.set();
  }

  preventExtensions(): never {
    return this.set();
  }
}
