import { takeState } from "./adopt.js";
import { call, core, passBytes, passTexts } from "./core.js";
import { patchText, StateDocument } from "./document.js";
import { seen } from "./draft.js";
import { PatchwireError } from "./errors.js";
import { Recording } from "./recording.js";
import { Place, Tree, type Key, type Slot, type Version } from "./tree.js";
import type { Dialect, Draft, Immutable, JSONPatchOperation, Limits, StepWrites } from "./types.js";
import { follow, freeze, type ViewEdit } from "./view.js";
import type { TrackerCore } from "./wasm/patchwire.js";

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

/** An independent reader of the changes, with its own baseline. */
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

/** After so many records the log goes to the core by itself, so that it can't grow for ever. */
const LOG_LENGTH = 10_000;
const DEFAULTS = { document: 64 << 20, depth: 512, string: 16 << 20 };

/**
 * Holds a state, lets recipes change it as if it were a plain object, and tells exactly what changed.
 *
 * Reading and recording are JavaScript's; what the changes mean is worked out in the core, when somebody asks.
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
  #view: Recording | null = null;
  readonly #options: StateTrackerOptions;
  readonly #limits: { document: number; depth: number; string: number };
  readonly #targets = new Map<string, Target>();
  #initial: unknown;
  #document: StateDocument | null = null;
  #core: TrackerCore | null = null;
  /** Bounds of the document's size as of the core and of what has come in since. */
  #weight: number;
  #pending = 0;

  /**
   * Copies the initial value (or takes it over with `own`); O(its size).
   *
   * @throws PatchwireError `NOT_JSON` with the pointer; `LIMIT_EXCEEDED`; `INVALID_POINTER` in an option.
   */
  constructor(initial: T | StateDocument, options: StateTrackerOptions = {}) {
    this.#options = options;
    this.#limits = { ...DEFAULTS, ...options.limits };
    if (initial instanceof StateDocument) {
      this.#document = initial;
      this.#weight = 0;
      this.#meaning();
    } else {
      const { state, depth, bytes } = takeState(initial, options.own === true);
      this.#initial = state;
      this.#weight = bytes * 3;
      this.#view = new Recording(state);
      if (depth > this.#limits.depth || this.#weight > this.#limits.string || options.counters || options.texts) this.#meaning();
    }
  }

  /** The plain state; of a document it is made when first needed. */
  get #tree(): Recording {
    return (this.#view ??= new Recording(freeze(this.document().toJSON())));
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
    const before = tree.log.length;
    const intake = tree.run((root) => recipe(seen(root) as Draft<T>));
    if (tree.log.length > before) this.#accept(before, intake.bytes, intake.depth);
    return stateOf(tree, tree.version) as Immutable<T>;
  }

  /** The state: plain, frozen, and `===` in every part that hasn't changed. O(containers changed since the last call). */
  getState(): Immutable<T> {
    return this.#tree.publish() as Immutable<T>;
  }

  /** The net effect since the last reset. O(what changed). */
  getStepWrites(): StepWrites {
    return JSON.parse(call(() => this.#flushed().step_writes(0))) as StepWrites;
  }

  /** The net effect as JSON Patch operations. O(what changed). */
  getRFC6902Patches(options?: { dialect?: Dialect }): JSONPatchOperation[] {
    return JSON.parse(this.getPatchText(options)) as JSONPatchOperation[];
  }

  /** The same as JSON text, without building objects. */
  getPatchText(options?: { dialect?: Dialect }): string {
    return this.#patchText(0, options);
  }

  /** Makes the present state the baseline of the step. */
  resetTracking(): void {
    this.#flushed().advance(0);
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
    const cursor = this.#flushed().open_cursor();
    let closed = false;
    const meaning = (): TrackerCore => {
      if (closed) throw new PatchwireError("CLOSED", "the cursor was closed");
      return this.#flushed();
    };
    return {
      stepWrites: () => JSON.parse(call(() => meaning().step_writes(cursor))) as StepWrites,
      patches: (options) => (meaning(), JSON.parse(this.#patchText(cursor, options)) as JSONPatchOperation[]),
      patchText: (options) => (meaning(), this.#patchText(cursor, options)),
      advance: () => meaning().advance(cursor),
      close: () => {
        if (!closed) this.#flushed().close_cursor(cursor);
        closed = true;
      },
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
    if (typeof before !== "string") return call(() => this.#flushed().append(pointer, ""));
    if (text === "") return;
    const { log } = this.#tree;
    if (before.length + text.length <= this.#limits.string / 3 && log.extend(target.path, text)) {
      // The core gets the tokens of a stream as one addition.
      this.#put(target, before + text);
      this.#accept(log.length, text.length, 0);
      return;
    }
    this.#change(target, before + text, (log, path) => log.append(path, text), before.length + text.length);
    this.#pending += text.length;
  }

  /**
   * Adds to the number at a JSON Pointer; told as `increment`. O(depth).
   *
   * @throws PatchwireError `PATH_NOT_FOUND` where there is no number, `NOT_JSON`, `TRACKER_BUSY`.
   */
  increment(pointer: string, by = 1): void {
    const target = this.#target(pointer);
    const before = target.place === null ? this.#tree.root : target.place.twin[target.key];
    if (typeof before !== "number") return call(() => this.#flushed().increment(pointer, 0));
    if (!Number.isFinite(by) || !Number.isFinite(before + by)) {
      throw new PatchwireError("NOT_JSON", "the sum isn't a finite number", { path: pointer });
    }
    this.#change(target, before + by, (log, path) => log.increment(path, by), 0);
  }

  /**
   * Applies a patch of either dialect, recorded like an update. All or nothing.
   *
   * @throws PatchwireError with `code`, `opIndex` and `path`.
   */
  apply(patch: readonly JSONPatchOperation[] | string): Immutable<T> {
    this.#requireIdle();
    const meaning = this.#flushed();
    const [arena, length] = passTexts(patchText(patch));
    const edits = JSON.parse(call(() => meaning.apply(arena, length!))) as ViewEdit[];
    follow(this.#tree, edits);
    this.#tree.commit();
    this.#weight = meaning.weight();
    return stateOf(this.#tree, this.#tree.version) as Immutable<T>;
  }

  /** The present version as a document: O(1), sharing everything. */
  document(): StateDocument {
    return new StateDocument(this.#flushed().document());
  }

  #requireIdle(): void {
    if (this.#tree.open) throw new PatchwireError("TRACKER_BUSY", "a recipe is running: finish it first");
  }

  #patchText(cursor: number, options?: { dialect?: Dialect }): string {
    return call(() => this.#flushed().patch_text(cursor, options?.dialect === "extended"));
  }

  /** Commits the change whose records start at `before`, asking the core first where a limit may be near. */
  #accept(before: number, bytes: number, depth: number): void {
    const { document, depth: deepest, string } = this.#limits;
    this.#pending += bytes * 3;
    const near = depth > deepest || bytes * 3 > string || this.#weight + this.#pending > document;
    try {
      if (near) {
        this.#play(this.#tree, before);
        this.#play(this.#tree, this.#tree.log.length);
      }
    } catch (error) {
      this.#tree.rollback();
      this.#pending -= bytes * 3;
      throw error;
    }
    this.#tree.commit();
    if (this.#tree.log.length > LOG_LENGTH) this.#flushed();
  }

  #change(target: Target, value: Slot, record: (log: Recording["log"], path: Key[]) => void, length: number): void {
    const tree = this.#tree;
    const before = tree.log.length;
    tree.begin();
    this.#put(target, value);
    record(tree.log, target.path);
    this.#accept(before, length * 3 > this.#limits.string ? length : 0, 0);
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

  /** The core's side, made when first needed. */
  #meaning(): TrackerCore {
    if (this.#core === null) {
      const { arrayDeltaMode, granularity, counters = [], texts = [], limits = {} } = this.#options;
      const document = this.#document ?? StateDocument.parse(JSON.stringify(this.#initial), limits);
      const precise = arrayDeltaMode === "precise";
      const options = { byKey: granularity === "key", append: arrayDeltaMode === true, precise, counters, texts, limits };
      this.#core = call(() => new (core().TrackerCore)(document.handle, options));
      this.#weight = this.#core.weight();
      if (this.#document === null) document.free();
      this.#initial = null;
      this.#document = null;
    }
    return this.#core;
  }

  /** The core's side, up to date. */
  #flushed(): TrackerCore {
    const tree = this.#view;
    // What a recipe that is still running did may yet be taken back.
    if (tree !== null) this.#play(tree, tree.open ? tree.start : tree.log.length);
    return this.#meaning();
  }

  /** Hands the log's first records to the core. */
  #play(tree: Recording, count: number): void {
    const meaning = this.#meaning();
    const { log } = tree;
    if (count === 0) return;
    const [arena, length] = passBytes(log.encode(count));
    try {
      call(() => meaning.play(arena, length));
    } catch (error) {
      log.refused();
      throw error;
    }
    log.drop(count);
    tree.start -= count;
    this.#weight = meaning.weight();
    this.#pending = 0;
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
    return Reflect.get(this.state(), key);
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
