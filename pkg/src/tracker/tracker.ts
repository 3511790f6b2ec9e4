import { StateDocument } from "../bridge/document.js";
import { bounds, DEFAULTS } from "../bridge/limits.js";
import { checkFlag, checkOneOf, checkOptions, checkPointers, checkText, isExtended, refusal } from "../bridge/checks.js";
import { PatchwireError } from "../errors.js";
import { takeState } from "../json/json.js";
import { TrackedState } from "./tracked-state.js";
import type { Reader } from "./readers.js";
import { LIMITS } from "./owner.js";
import { rehearse } from "./rehearsal.js";
import type { State } from "../state/state.js";
import { StreamedValue } from "./stream.js";
import { Targets } from "../state/targets.js";
import type { CheckpointId, Dialect, Draft, Immutable, JSONPatchOperation, Limits, RecipeResult, RFC6902Operation, StateTrackerOptions, StepWrites, StepWritesOptions, WriteCursor } from "../types.js";
import { requireRule, type Rule } from "../values/validate.js";
import type { TrackerCore } from "../wasm/patchwire.js";

/** What a tracker is told beside its state. */
const OPTIONS = [
  "arrayDeltaMode", "granularity", "counters", "texts", "own", "limits", "history", "validate",
] as const satisfies readonly (keyof StateTrackerOptions)[];

const stepWrites = (core: TrackerCore, reader: number): string => core.step_writes(reader);
const stepWritesByItem = (core: TrackerCore, reader: number): string => core.step_writes_by_item(reader);

/**
 * Holds a state, lets recipes change it as if it were a plain object, and tells exactly what changed.
 *
 * Reading and recording are JavaScript's; what the changes mean is worked out in the core, when somebody asks. If the
 * core fails, the tracker goes on from its state: see {@link WriteCursor}, which holds for the tracker's own questions
 * too. Its steps to undo and its checkpoints are lost, and its streams: each says `ENGINE_LOST` once. Only a tracker of a
 * {@link StateDocument} that hasn't been read whole, as `getState` does, is lost with the core.
 *
 * @example
 * ```ts
 * import { StateTracker } from "patchwire";
 * const tracker = new StateTracker({ count: 0, notes: ["a"] });
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
  readonly #tracked: TrackedState;
  readonly #targets = new Targets();

  /**
   * Copies the initial value (or takes it over with `own`); O(its size). Of a document only what is touched is read:
   * O(1).
   *
   * @throws PatchwireError `NOT_JSON` with the pointer; `LIMIT_EXCEEDED`; `VALIDATION_FAILED`, also for an
   *   unknown option; `INVALID_POINTER` in an option.
   * @example
   * ```ts
   * import { StateDocument, StateTracker } from "patchwire";
   * const stored = StateDocument.parse('{"seen":{"a":1},"answer":"Hel"}');
   * const tracker = new StateTracker<{ seen: Record<string, number>; answer: string }>(stored, { counters: ["/seen/*"], texts: ["/answer"] });
   * tracker.update((draft) => { draft.seen.a! += 2; draft.answer += "lo"; });
   * for (const { kind, path } of tracker.getStepWrites().ops) console.log(kind, path);
   * // increment /seen/a
   * // append_text /answer
   * ```
   */
  constructor(initial: T | Immutable<NoInfer<T>> | StateDocument, options?: StateTrackerOptions<T>);
  /** @internal */
  constructor(tracked: TrackedState);
  constructor(initial: T | Immutable<T> | StateDocument | TrackedState, options: StateTrackerOptions<T> = {}) {
    if (initial instanceof TrackedState) {
      this.#tracked = initial;
      return;
    }
    if (initial === undefined) throw refusal("give an initial state, such as {}");
    checkOptions(options, OPTIONS);
    const { own = false, granularity = "path", arrayDeltaMode = granularity === "key" ? false : "precise", counters, texts, limits, history, validate } = options;
    if (counters !== undefined) checkPointers("the option counters", counters);
    if (texts !== undefined) checkPointers("the option texts", texts);
    checkOneOf("the option arrayDeltaMode", arrayDeltaMode, [false, true, "precise"]);
    checkOneOf("the option granularity", granularity, ["path", "key"]);
    checkFlag("the option own", own);
    if (history !== undefined && !(typeof history === "number" && history >= 0)) throw refusal("the option history is a number from 0 on");
    bounds(limits);
    requireRule(validate);
    const rest = { granularity, arrayDelta: arrayDeltaMode, history, counters: [...(counters ?? [])], texts: [...(texts ?? [])], limits: limits && { ...limits } };
    if (initial instanceof StateDocument) {
      this.#tracked = TrackedState.ofDocument(initial, rest, validate as Rule);
    } else {
      const { state, ...intake } = takeState(initial, own, limits?.document ?? DEFAULTS.document);
      this.#tracked = TrackedState.ofState(state, intake, rest, validate as Rule);
    }
  }

  /** @internal */
  get [LIMITS](): Limits | undefined {
    return this.#tracked.limits;
  }

  get #state(): State {
    return this.#tracked.state;
  }

  /**
   * Runs a recipe on a draft and makes what it did the next version: all of it, or nothing. Inside the recipe a draft is a
   * plain object: a value that the recipe puts in stays the very same object until the recipe ends, and is taken over then.
   * Cost follows what the recipe touches.
   *
   * @throws what the recipe throws; `ASYNC_RECIPE`; `RECIPE_RESULT` where the recipe returns a container that isn't in
   *   the state; `NOT_JSON` with the pointer, `LIMIT_EXCEEDED`, `VALIDATION_FAILED`, `TRACKER_BUSY`.
   * @example
   * ```ts
   * import { PatchwireError, StateTracker } from "patchwire";
   * const tracker = new StateTracker<{ left: string[]; at?: unknown }>({ left: ["a", "b"] });
   * tracker.update((draft) => draft.left.shift());
   * console.log(tracker.getState().left); // [ 'b' ]
   * try {
   *   tracker.update((draft) => { draft.left = []; draft.at = new Date(); });
   * } catch (error) {
   *   if (error instanceof PatchwireError) console.log(error.code, error.path, tracker.getState().left); // NOT_JSON /at [ 'b' ]
   * }
   * ```
   */
  update<R>(recipe: (draft: Draft<T>) => RecipeResult<R>): void {
    this.#requireIdle();
    if (typeof recipe !== "function") throw refusal("a recipe is a function that changes the draft");
    begin();
    const measure = this.#state.run(recipe as (draft: unknown) => unknown);
    if (measure !== undefined) this.#tracked.accept(measure);
  }

  /**
   * The state: plain, frozen, and `===` in every part that hasn't changed. O(containers changed since the last call).
   *
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ plan: ["search"], done: 0 });
   * const before = tracker.getState();
   * tracker.update((draft) => { draft.done = 1; });
   * const after = tracker.getState();
   * console.log(after === before, after.plan === before.plan, Object.isFrozen(after.plan)); // false true true
   * ```
   */
  getState(): Immutable<T> {
    return this.#tracked.publish() as Immutable<T>;
  }

  /**
   * The net effect since the last reset, as the options say it: see {@link StateTrackerOptions}. What was set back to
   * what it was isn't in it. O(what changed).
   *
   * @param options.byItem items by themselves, for {@link mergeWrites}: see {@link StepWritesOptions}.
   * @throws PatchwireError `ENGINE_LOST`, as {@link WriteCursor} says.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker<{ notes: string[]; draft?: string }>({ notes: ["a"], draft: "" }, { arrayDeltaMode: true });
   * tracker.update((draft) => { draft.notes.push("b"); draft.notes.push("c"); draft.notes.pop(); });
   * tracker.update((draft) => { delete draft.draft; });
   * for (const op of tracker.getStepWrites().ops) console.log(op);
   * // { kind: 'append', key: 'notes', path: '/notes', items: [ 'b' ] }
   * // { kind: 'delete', key: 'draft', path: '/draft' }
   * ```
   */
  getStepWrites(options?: StepWritesOptions): StepWrites {
    return this.#stepWrites(this.#tracked.readers.main, options);
  }

  /**
   * The net effect since the last reset as JSON Patch operations (RFC 6902): `add` for what the baseline lacks, `replace`
   * for what it has. O(what changed).
   *
   * @param options.dialect `'extended'` for a peer that understands `str_ins` and `inc`.
   * @throws PatchwireError `ENGINE_LOST`, as {@link WriteCursor} says.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ answer: "Hel", tokens: 1 });
   * tracker.append("/answer", "lo");
   * console.log(tracker.getRFC6902Patches()); // [ { op: 'replace', path: '/answer', value: 'Hello' } ]
   * console.log(tracker.getRFC6902Patches({ dialect: "extended" })); // [ { op: 'str_ins', path: '/answer', pos: 3, str: 'lo' } ]
   * ```
   */
  getRFC6902Patches(options?: { dialect?: "rfc6902" | undefined }): RFC6902Operation[];
  getRFC6902Patches(options?: { dialect?: Dialect | undefined }): JSONPatchOperation[];
  getRFC6902Patches(options?: { dialect?: Dialect | undefined }): JSONPatchOperation[] {
    return this.#patches(this.#tracked.readers.main, options);
  }

  /**
   * What {@link getRFC6902Patches} tells, as JSON text to send or store: no objects are built. `[]` where nothing
   * changed. O(what changed).
   *
   * @throws PatchwireError `ENGINE_LOST`, as {@link WriteCursor} says.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ status: "idle" });
   * tracker.update((draft) => { draft.status = "busy"; });
   * console.log(tracker.getPatchText()); // [{"op":"replace","path":"/status","value":"busy"}]
   * tracker.update((draft) => { draft.status = "idle"; });
   * console.log(tracker.getPatchText()); // []
   * ```
   */
  getPatchText(options?: { dialect?: Dialect | undefined }): string {
    return this.#patchText(this.#tracked.readers.main, options);
  }

  /**
   * The patch from the present state back to that of the last reset. Found by comparing the two: what is the same costs
   * nothing.
   *
   * @throws PatchwireError `ENGINE_LOST`, as {@link WriteCursor} says.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker<{ title: string; tags?: string[] }>({ title: "A" });
   * tracker.update((draft) => { draft.title = "B"; draft.tags = []; });
   * const back = tracker.getInversePatches();
   * console.log(back); // [ { op: 'replace', path: '/title', value: 'A' }, { op: 'remove', path: '/tags' } ]
   * tracker.apply(back);
   * console.log(tracker.getState()); // { title: 'A' }
   * ```
   */
  getInversePatches(): RFC6902Operation[] {
    const inverse = this.#tracked.ask(this.#tracked.readers.main, (core, reader) => core.inverse_patch_text(reader));
    return JSON.parse(inverse) as RFC6902Operation[];
  }

  /**
   * Makes the present state the baseline of the step: what is told next begins here. Other readers keep theirs. O(1).
   *
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ step: 1 });
   * tracker.update((draft) => { draft.step = 2; });
   * tracker.resetTracking();
   * console.log(tracker.getPatchText(), tracker.getState()); // [] { step: 2 }
   * ```
   */
  resetTracking(): void {
    this.#tracked.advance(this.#tracked.readers.main);
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
    const tracked = this.#tracked;
    const reader = tracked.openReader();
    const open = (): Reader => {
      if (!tracked.readers.has(reader)) throw new PatchwireError("CLOSED", "the cursor was closed");
      return reader;
    };
    return {
      stepWrites: (options) => this.#stepWrites(open(), options),
      patches: ((options) => this.#patches(open(), options)) as WriteCursor["patches"],
      patchText: (options) => this.#patchText(open(), options),
      advance: () => tracked.advance(open()),
      close: () => tracked.closeReader(reader),
    };
  }

  /**
   * Adds to the end of the string at a JSON Pointer; told as `append_text`. O(depth), not O(the string).
   *
   * @throws PatchwireError `INVALID_POINTER`, `PATH_NOT_FOUND` where there is no string, `NOT_JSON` where the text is none,
   *   `LIMIT_EXCEEDED`, `VALIDATION_FAILED`, `TRACKER_BUSY`.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ answer: { text: "On" } });
   * for (const token of [" it", "."]) tracker.append("/answer/text", token);
   * console.log(tracker.getPatchText()); // [{"op":"replace","path":"/answer/text","value":"On it."}]
   * console.log(tracker.getPatchText({ dialect: "extended" })); // [{"op":"str_ins","path":"/answer/text","pos":2,"str":" it."}]
   * ```
   */
  append(pointer: string, text: string): void {
    this.#requireIdle();
    // A caller without types may hand over whatever a model's stream holds; the log would take it and never be readable.
    if (typeof text !== "string") throw new PatchwireError("NOT_JSON", "only a string can be appended", { path: pointer });
    const state = this.#state;
    const growth = state.growth(pointer);
    const { path, value } = growth ?? this.#targets.find(state, pointer);
    if (growth === null && typeof value !== "string") this.#tracked.refuseAddition(pointer, true);
    if (text !== "") this.#tracked.grow(path, pointer, text, (growth?.length ?? (value as string).length) + text.length);
  }

  /**
   * Adds to the number at a JSON Pointer; told as `increment`. O(depth).
   *
   * @throws PatchwireError `INVALID_POINTER`, `PATH_NOT_FOUND` where there is no number, `NOT_JSON`, `LIMIT_EXCEEDED`, `VALIDATION_FAILED`,
   *   `TRACKER_BUSY`.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ tokens: 100 });
   * tracker.increment("/tokens", 20);
   * tracker.increment("/tokens");
   * console.log(tracker.getStepWrites().ops); // [ { kind: 'increment', key: 'tokens', path: '/tokens', by: 21 } ]
   * ```
   */
  increment(pointer: string, by = 1): void {
    this.#requireIdle();
    const state = this.#state;
    const { path, value } = this.#targets.find(state, pointer);
    if (typeof value !== "number") this.#tracked.refuseAddition(pointer, false);
    if (!Number.isFinite(by) || !Number.isFinite(value + by)) {
      const what = typeof by === "number" ? "the sum isn't a finite number" : "only a number can be added";
      throw new PatchwireError("NOT_JSON", what, { path: pointer });
    }
    if (value + by !== value) this.#tracked.increase(path, value, by);
  }

  /**
   * Reads JSON text that arrives in pieces, such as the structured output of a model, into the place at a JSON Pointer:
   * what is there, a member that isn't there yet, or an array's end (`/list/-`). What was there is replaced when the
   * first token is certain. Other changes may go on meanwhile: the place moves along with the item that it is in, also into a
   * list that is made anew of the same items. End or abort each stream: one that is left open costs every change that follows.
   *
   * With `validate` the state is validated at the stream's end; other changes meanwhile are validated with what has
   * arrived of the value.
   *
   * @throws PatchwireError `PATH_NOT_FOUND`, `INDEX_OUT_OF_RANGE`, `INVALID_POINTER`, `TRACKER_BUSY`.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ calls: [{ tool: "search" }] });
   * const call = tracker.stream("/calls/-");
   * call.write('{"tool":"re');
   * tracker.update((draft) => draft.calls.shift());
   * call.write('ad"}');
   * call.end();
   * console.log(tracker.getState()); // { calls: [ { tool: 'read' } ] }
   * ```
   */
  stream(pointer: string): StreamedValue {
    this.#requireIdle();
    const tracked = this.#tracked;
    const stream = tracked.openStream(pointer);
    const idle = (): TrackedState => (this.#requireIdle(), tracked);
    return new StreamedValue({
      write: (piece) => idle().write(stream, piece),
      end: () => idle().endStream(stream, (core, hold) => core.end(stream.id, hold)),
      abort: () => idle().endStream(stream, (core) => core.abort(stream.id), true),
    });
  }

  /**
   * Applies a patch of either dialect, as operations or as JSON text, recorded like an update. All or nothing.
   * O(the patch).
   *
   * @throws PatchwireError `INVALID_PATCH`, `INVALID_POINTER`, `PATH_NOT_FOUND`, `INDEX_OUT_OF_RANGE`, `TEST_FAILED`,
   *   with `opIndex` and `path`; `INVALID_JSON`, `NOT_JSON`, `LIMIT_EXCEEDED`, `VALIDATION_FAILED`, `TRACKER_BUSY`.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ rows: [1, 2], version: 3 });
   * const patch = '[{"op":"test","path":"/version","value":3},{"op":"move","from":"/rows/1","path":"/rows/0"}]';
   * tracker.apply(patch);
   * console.log(tracker.getState()); // { rows: [ 2, 1 ], version: 3 }
   * ```
   */
  apply(patch: readonly JSONPatchOperation[] | string): void {
    this.#requireIdle();
    this.#tracked.apply(patch);
  }

  /**
   * Takes the latest step back, and says whether there was one. A step is one `update`, `apply` or other change;
   * additions to one string that follow each other are one, and so is all that one stream wrote, with what others changed
   * around its place meanwhile. Exact, but for the order of members; a change like any other for patches and cursors.
   * O(the step).
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
    this.#requireIdle();
    return this.#tracked.change((core, hold) => core.undo(hold));
  }

  /**
   * Does again what the latest {@link undo} took back, and says whether there was such a step: another change makes an
   * end of them. O(the step).
   *
   * @throws PatchwireError `VALIDATION_FAILED`, `TRACKER_BUSY`.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ n: 1 });
   * tracker.update((draft) => { draft.n = 2; });
   * tracker.undo();
   * console.log(tracker.redo(), tracker.getState()); // true { n: 2 }
   * tracker.undo();
   * tracker.update((draft) => { draft.n = 7; });
   * console.log(tracker.redo(), tracker.getState()); // false { n: 7 }
   * ```
   */
  redo(): boolean {
    this.#requireIdle();
    return this.#tracked.change((core, hold) => core.redo(hold));
  }

  /**
   * Keeps the present version, for {@link restore}. O(1); the latest 32 are kept.
   *
   * @param label what people should recognise it by: the end of its id.
   * @throws PatchwireError `TRACKER_BUSY`; `VALIDATION_FAILED` where the label is no string.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ plan: ["a"], done: 0 });
   * const before = tracker.checkpoint("before the tools ran");
   * tracker.update((draft) => { draft.plan.push("b"); draft.done = 2; });
   * tracker.resetTracking();
   * tracker.restore(before);
   * console.log(tracker.getPatchText()); // [{"op":"remove","path":"/plan/1"},{"op":"replace","path":"/done","value":0}]
   * ```
   */
  checkpoint(label = ""): CheckpointId {
    this.#requireIdle();
    checkText("a checkpoint's label", label);
    return this.#tracked.checkpoint(label);
  }

  /**
   * Makes the state what it was at a checkpoint, but for the order of members: a change like any other, made of what
   * differs, which can be undone. What is the same costs nothing; otherwise O(n log n) in what differs.
   *
   * @throws PatchwireError `STALE_STATE` where the checkpoint is another tracker's or was forgotten;
   *   `VALIDATION_FAILED`, `TRACKER_BUSY`.
   * @example
   * ```ts
   * import { PatchwireError, StateTracker } from "patchwire";
   * const [tracker, other] = [new StateTracker({ n: 1 }), new StateTracker({ n: 1 })];
   * const first = tracker.checkpoint();
   * tracker.update((draft) => { draft.n = 2; });
   * tracker.restore(first);
   * console.log(tracker.getState(), tracker.undo(), tracker.getState()); // { n: 1 } true { n: 2 }
   * try {
   *   other.restore(first);
   * } catch (error) {
   *   if (error instanceof PatchwireError) console.log(error.code); // STALE_STATE
   * }
   * ```
   */
  restore(checkpoint: CheckpointId): void {
    this.#requireIdle();
    this.#tracked.restore(checkpoint);
  }

  /**
   * The present version as a document, which later changes don't reach: O(1), sharing everything.
   *
   * @throws PatchwireError `ENGINE_LOST`.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ n: 1 });
   * const before = tracker.document();
   * tracker.update((draft) => { draft.n = 2; });
   * console.log(before.toJSON(), before.diff(tracker.document())); // { n: 1 } [ { op: 'replace', path: '/n', value: 2 } ]
   * ```
   */
  document(): StateDocument {
    return this.#tracked.now();
  }

  #requireIdle(): void {
    this.#tracked.recover();
    if (this.#tracked.isBusy) throw new PatchwireError("TRACKER_BUSY", "a recipe is running: finish it first");
  }

  #stepWrites(reader: Reader, options?: StepWritesOptions): StepWrites {
    const { byItem = false } = checkOptions(options, ["byItem"]);
    checkFlag("the option byItem", byItem);
    return JSON.parse(this.#tracked.ask(reader, byItem ? stepWritesByItem : stepWrites)) as StepWrites;
  }

  #patches(reader: Reader, options?: { dialect?: Dialect | undefined }): JSONPatchOperation[] {
    return this.#tracked.patch(reader, isExtended(options));
  }

  #patchText(reader: Reader, options?: { dialect?: Dialect | undefined }): string {
    return this.#tracked.patchText(reader, isExtended(options));
  }
}

// A class that names itself is called otherwise by bundlers, in stacks and where it is printed.
const begin = (): void => rehearse(StateTracker);
