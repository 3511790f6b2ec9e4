import { takeState } from "./adopt.js";
import { call, core, passBytes, passTexts } from "./core.js";
import { patchText, StateDocument } from "./document.js";
import { seen } from "./draft.js";
import { PatchwireError } from "./errors.js";
import { stateOf } from "./lazy-state.js";
import { Recording } from "./recording.js";
import { StreamedValue } from "./stream.js";
import { Targets, type Target } from "./targets.js";
import type { Key, Slot } from "./tree.js";
import type { Dialect, Draft, Immutable, JSONPatchOperation, StateTrackerOptions, StepWrites, WriteCursor } from "./types.js";
import { validate } from "./validate.js";
import { follow, freeze, type ViewEdit } from "./view.js";
import type { TrackerCore } from "./wasm/patchwire.js";

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
  readonly #options: StateTrackerOptions<T>;
  readonly #limits: { document: number; depth: number; string: number };
  readonly #targets = new Targets();
  #initial: unknown;
  #document: StateDocument | null = null;
  #core: TrackerCore | null = null;
  /** Bounds of the document's size as of the core and of what has come in since. */
  #weight: number;
  #pending = 0;
  /** Streams have written what the plain state hasn't followed yet. */
  #isBehind = false;

  /**
   * Copies the initial value (or takes it over with `own`); O(its size).
   *
   * @throws PatchwireError `NOT_JSON` with the pointer; `LIMIT_EXCEEDED`; `VALIDATION_FAILED`; `INVALID_POINTER` in
   *   an option.
   */
  constructor(initial: T | StateDocument, options: StateTrackerOptions<T> = {}) {
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
    if (options.validate) validate(options.validate, this.getState() as T);
  }

  /** The plain state, up to date; of a document it is made when first needed. */
  get #tree(): Recording {
    if (this.#isBehind) this.#catchUp();
    return (this.#view ??= new Recording(freeze(this.document().toJSON())));
  }

  /**
   * Runs a recipe on a draft and makes what it did the next version. All or nothing; what the recipe returns is
   * ignored. Cost follows what it touches. The returned state fills in as it is read.
   *
   * @throws what the recipe throws; `ASYNC_RECIPE`, `NOT_JSON` with the pointer, `LIMIT_EXCEEDED`,
   *   `VALIDATION_FAILED`, `TRACKER_BUSY`.
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
   * @throws PatchwireError `PATH_NOT_FOUND` where there is no string, `LIMIT_EXCEEDED`, `VALIDATION_FAILED`,
   *   `TRACKER_BUSY`.
   */
  append(pointer: string, text: string): void {
    this.#requireIdle();
    const target = this.#targets.find(this.#tree, pointer);
    const before = target.place === null ? this.#tree.root : target.place.twin[target.key];
    if (typeof before !== "string") return call(() => this.#flushed().append(pointer, ""));
    if (text === "") return;
    const { log } = this.#tree;
    // What extends a record can't be taken back.
    const isSafe = before.length + text.length <= this.#limits.string / 3 && !this.#options.validate;
    if (isSafe && log.extend(target.path, text)) {
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
   * @throws PatchwireError `PATH_NOT_FOUND` where there is no number, `NOT_JSON`, `VALIDATION_FAILED`, `TRACKER_BUSY`.
   */
  increment(pointer: string, by = 1): void {
    this.#requireIdle();
    const target = this.#targets.find(this.#tree, pointer);
    const before = target.place === null ? this.#tree.root : target.place.twin[target.key];
    if (typeof before !== "number") return call(() => this.#flushed().increment(pointer, 0));
    if (!Number.isFinite(by) || !Number.isFinite(before + by)) {
      throw new PatchwireError("NOT_JSON", "the sum isn't a finite number", { path: pointer });
    }
    this.#change(target, before + by, (log, path) => log.increment(path, by), 0);
  }

  /**
   * Reads JSON text that arrives in pieces, such as the structured output of a model, into the place at a JSON Pointer:
   * what is there, a member that isn't there yet, or an array's end (`/list/-`). What was there is replaced when the
   * first token is certain. Other changes may go on meanwhile: the place moves along with them.
   *
   * With `validate` the state is validated at the stream's end; other changes meanwhile are validated with what has
   * arrived of the value. For patches that tell what arrives in arrays, set `arrayDeltaMode: "precise"`.
   *
   * @throws PatchwireError `PATH_NOT_FOUND`, `INDEX_OUT_OF_RANGE`, `INVALID_POINTER`, `TRACKER_BUSY`.
   */
  stream(pointer: string): StreamedValue {
    this.#requireIdle();
    const stream = call(() => this.#flushed().stream(pointer));
    return new StreamedValue({
      write: (piece) => {
        this.#requireIdle();
        const meaning = this.#flushed();
        const [arena, length] = typeof piece === "string" ? passTexts(piece) : passBytes(piece);
        call(() => meaning.write(stream, arena, length!));
        this.#isBehind = true;
        this.#pending += length!;
      },
      end: () => void this.#follow((meaning, hold) => meaning.end(stream, hold)),
      abort: () => void this.#follow((meaning) => meaning.abort(stream), false),
    });
  }

  /**
   * Applies a patch of either dialect, recorded like an update. All or nothing.
   *
   * @throws PatchwireError with `code`, `opIndex` and `path`.
   */
  apply(patch: readonly JSONPatchOperation[] | string): Immutable<T> {
    const text = patchText(patch);
    this.#follow((meaning, hold) => {
      const [arena, length] = passTexts(text);
      return meaning.apply(arena, length!, hold);
    });
    return stateOf(this.#tree, this.#tree.version) as Immutable<T>;
  }

  /**
   * Takes the latest step back, and says whether there was one. A step is one `update`, `apply` or other change;
   * additions to one string that follow each other are one, and so is what one stream writes undisturbed. Exact, but
   * for the order of members; a change like any other for patches and cursors. O(the step).
   *
   * @throws PatchwireError `VALIDATION_FAILED`, `TRACKER_BUSY`.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ todo: ["plan"] });
   * tracker.update((draft) => { draft.todo.push("build"); });
   * tracker.update((draft) => { draft.todo.length = 0; });
   * console.log(tracker.undo(), tracker.getState()); // true { todo: [ 'plan', 'build' ] }
   * console.log(tracker.redo(), tracker.getState()); // true { todo: [] }
   * ```
   */
  undo(): boolean {
    return this.#follow((meaning, hold) => meaning.undo(hold));
  }

  /**
   * Does again what the latest {@link undo} took back, and says whether there was such a step: another change makes an
   * end of them. O(the step).
   *
   * @throws PatchwireError `VALIDATION_FAILED`, `TRACKER_BUSY`.
   */
  redo(): boolean {
    return this.#follow((meaning, hold) => meaning.redo(hold));
  }

  /** The present version as a document: O(1), sharing everything. */
  document(): StateDocument {
    return new StateDocument(this.#flushed().document());
  }

  #requireIdle(): void {
    if (this.#view?.open) throw new PatchwireError("TRACKER_BUSY", "a recipe is running: finish it first");
  }

  #patchText(cursor: number, options?: { dialect?: Dialect }): string {
    return call(() => this.#flushed().patch_text(cursor, options?.dialect === "extended"));
  }

  /** Makes a change that begins in the core, if there is one; with a validator the core holds it until that agrees. */
  #follow(change: (meaning: TrackerCore, hold: boolean) => string | undefined, isValidated = true): boolean {
    this.#requireIdle();
    const tree = this.#tree;
    const rule = isValidated ? this.#options.validate : undefined;
    const meaning = this.#flushed();
    const edits = call(() => change(meaning, rule !== undefined));
    if (edits === undefined) return false;
    follow(tree, JSON.parse(edits) as ViewEdit[]);
    if (rule !== undefined) {
      try {
        validate(rule, tree.preview() as T);
      } catch (error) {
        // Nothing of it is in the log.
        tree.start = tree.log.length;
        tree.rollback();
        meaning.settle(false);
        throw error;
      }
      meaning.settle(true);
    }
    tree.commit();
    this.#weight = meaning.weight();
    return true;
  }

  /** Brings what streams have written into the plain state. */
  #catchUp(): void {
    this.#isBehind = false;
    const meaning = this.#meaning();
    const edits = call(() => meaning.catch_up());
    if (this.#view === null) return;
    follow(this.#view, JSON.parse(edits) as ViewEdit[]);
    this.#view.commit();
    this.#weight = meaning.weight();
    this.#pending = 0;
  }

  /** Commits the change whose records start at `before`, asking the core first where a limit may be near. */
  #accept(before: number, bytes: number, depth: number): void {
    const { document, depth: deepest, string } = this.#limits;
    this.#pending += bytes * 3;
    const near = depth > deepest || bytes * 3 > string || this.#weight + this.#pending > document;
    const rule = this.#options.validate;
    try {
      if (rule) validate(rule, this.#tree.preview() as T);
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

  /** The core's side, made when first needed. */
  #meaning(): TrackerCore {
    if (this.#core === null) {
      const { arrayDeltaMode, granularity, counters = [], texts = [], limits = {}, history } = this.#options;
      const document = this.#document ?? StateDocument.parse(JSON.stringify(this.#initial), limits);
      const precise = arrayDeltaMode === "precise";
      const options = { byKey: granularity === "key", append: arrayDeltaMode === true, precise, counters, texts, limits, history };
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
