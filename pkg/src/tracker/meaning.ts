import { arena, call, core, isAlive, isLoss, passBytes, passPointer, passText, passTexts, reserve } from "../bridge/core.js";
import { StateDocument } from "../values/document.js";
import { PatchwireError } from "../errors.js";
import { bounds } from "../bridge/limits.js";
import { readPatch } from "../bridge/packed.js";
import { readEdits, type ViewEdit } from "../state/edits.js";
import { isContainer, put, type Key } from "../state/containers.js";
import { pointerOf } from "../state/json.js";
import { State, type Lone, type Measure } from "../state/state.js";
import type { CheckpointId, JSONPatchOperation, Limits } from "../types.js";
import { Base } from "../state/unread.js";
import { validate, type Rule } from "./validate.js";
import type { TrackerCore } from "../wasm/patchwire.js";

/** What the core has to know of a tracker's options. */
export interface MeaningOptions {
  byKey: boolean;
  append: boolean;
  precise: boolean;
  counters: string[];
  texts: string[];
  limits: Limits;
  history: number | undefined;
}

/** A reader of the changes: its number in the core, and what has to be known of it should the core be lost. */
export interface Reader {
  id: number;
  /** How many changes there had been when its baseline was set. */
  since: number;
  /** Changes that it hasn't read are lost. */
  hasLost: boolean;
}

/** A stream: its number in the core, and whether it was lost with one and hasn't been told. */
export interface Stream {
  id: number;
  hasLost: boolean;
}

function randomName(): string {
  return Math.random().toString(36).slice(2);
}

const play = (tracker: TrackerCore, length: number): number => tracker.play(arena(), length);
const standardPatch = (tracker: TrackerCore, reader: number): number => tracker.patch(reader, false, arena());
const extendedPatch = (tracker: TrackerCore, reader: number): number => tracker.patch(reader, true, arena());
const advance = (tracker: TrackerCore, reader: number): void => tracker.advance(reader);

/** The number of no stream. */
const ENDED = 2 ** 32 - 1;
/** Once it had so many records the log goes to the core with the next change, so that it can't grow for ever. */
const LOG_LENGTH = 10_000;
const DEFAULTS = { document: 64 << 20, depth: 512, string: 16 << 20, path: 1024, operations: 10_000 };
/** What was accepted once is accepted again. */
const NO_LIMITS: Limits = { document: Infinity, depth: Infinity, string: Infinity, path: Infinity };

/**
 * A tracker's two sides: the plain state, whose changes are recorded here, and the core, which is told of them when
 * somebody asks what they mean. If the core is lost, another one begins with the plain state as it is.
 */
export class Meaning {
  /** The reader that every tracker has. */
  readonly main: Reader = { id: 0, since: 0, hasLost: false };
  private readonly readers = new Set<Reader>();
  private readonly limits: { document: number; depth: number; string: number; path: number; operations: number };
  private readonly bounds: Float64Array;
  private view: State | null = null;
  private core: TrackerCore | null = null;
  /** What the core begins with, until it is made: the document, or else the state within these limits. */
  private document: StateDocument | null = null;
  private initial: unknown;
  private accepts: Limits;
  /** Bounds of the document's size as of the core, and of what has come in since. */
  private weight = 0;
  private pending = 0;
  /** How deep the state nests at most. */
  private depth = 0;
  private changes = 0;
  /** The last change, if it is its own meaning. */
  private lone: Lone | null = null;
  /** Streams that write, and whether they have written what the plain state hasn't followed yet. */
  private readonly streams = new Set<Stream>();
  private isBehind = false;
  private isValidating = false;
  /** Tells the core's checkpoints from those of other trackers, and of cores that were lost. */
  private session = randomName();

  private constructor(
    private readonly options: MeaningOptions,
    private readonly rule: Rule | undefined,
  ) {
    this.bounds = bounds(options.limits);
    this.accepts = options.limits;
    this.limits = { ...DEFAULTS, ...options.limits };
  }

  static ofDocument(document: StateDocument, options: MeaningOptions, rule?: Rule): Meaning {
    const meaning = new Meaning(options, rule);
    meaning.document = document;
    meaning.open();
    if (rule !== undefined) validate(rule, meaning.state.publish());
    return meaning;
  }

  /** Of a plain frozen state; its depth and the length of its texts say whether it may be over a limit. */
  static ofState(state: unknown, depth: number, length: number, options: MeaningOptions, rule?: Rule): Meaning {
    const meaning = new Meaning(options, rule);
    meaning.initial = state;
    meaning.view = meaning.stand(state);
    meaning.weight = length * 3;
    meaning.depth = depth;
    // What is wrong is said by the constructor, not later.
    const { counters, texts, history } = options;
    const isPlain = counters.length === 0 && texts.length === 0 && (history === undefined || typeof history === "number");
    if (!isPlain || meaning.isNear({ bytes: 0, depth, longest: length })) meaning.open();
    if (rule !== undefined) validate(rule, state);
    return meaning;
  }

  private stand(state: unknown): State {
    const view = new State(state, this.rule === undefined, this.limits.document);
    view.known = () => ({ weight: this.weight + this.pending, depth: this.depth });
    return view;
  }

  /** The plain state, up to date; over a document it stands from when it is first needed. */
  get state(): State {
    if (this.isBehind) this.catchUp();
    if (this.view === null) {
      this.view = this.stand(new Base(this.now()));
      this.depth = this.limits.depth;
    }
    return this.view;
  }

  /** Whether a recipe or a validator is running. */
  get isBusy(): boolean {
    return this.view?.isOpen === true || this.isValidating;
  }

  /** The present version as a document. */
  now(): StateDocument {
    const tracker = this.flushed();
    return new StateDocument(call(() => tracker.document()));
  }

  /** Makes what was worked out the next version, asking the core first where a limit may be near. */
  accept(measure: Measure): void {
    const { state } = this;
    try {
      this.validate(state);
      if (this.isNear(measure)) {
        const tracker = this.open();
        this.play(tracker, state, state.start);
        this.play(tracker, state, state.log.length);
      } else {
        this.pending += measure.bytes;
      }
    } catch (error) {
      state.rollback();
      throw error;
    }
    state.commit();
    this.depth = Math.max(this.depth, measure.depth);
    this.changed(state.lone);
    // What this change alone is has to be told only if somebody asks.
    if (state.start > LOG_LENGTH) this.flushEarly();
  }

  /** Whether such a change may be refused when it is accepted. */
  mayRefuse(measure: Measure): boolean {
    return this.rule !== undefined || this.isNear(measure);
  }

  private isNear({ bytes, depth, longest }: Measure): boolean {
    const { document, depth: deepest, string, path } = this.limits;
    return depth > deepest || depth >= path || longest * 3 > string || this.weight + this.pending + bytes > document;
  }

  /** Makes a string longer at its end: the state follows when somebody looks. The core gets the tokens of a stream as one addition. */
  grow(path: Key[], pointer: string, text: string, length: number): void {
    const measure = { bytes: text.length * 3, depth: 0, longest: length };
    const { state } = this;
    if (this.mayRefuse(measure)) {
      state.extend(path, text);
      this.accept(measure);
      return;
    }
    state.grow(path, pointer, text, length);
    this.pending += measure.bytes;
    this.changed(null);
    if (state.log.length > LOG_LENGTH) this.flushEarly();
  }

  /** Applies a patch's text. */
  apply(patch: string): void {
    const begin = (tracker: TrackerCore, hold: boolean): string => tracker.apply(arena(), passText(patch), hold);
    this.change(begin, this.rule, patch);
  }

  /**
   * Makes a change that begins in the core, on both sides, and says whether there was one. The plain state follows when
   * somebody looks; with a rule at once, and the core holds the change until the state that it leads to has been validated.
   * The edits may refer to the `patch` that it was.
   */
  change(begin: (tracker: TrackerCore, hold: boolean) => string | undefined, rule: Rule | null | undefined = this.rule, patch = ""): boolean {
    const { state } = this;
    const tracker = this.flushed();
    const answer = call(begin, tracker, !!rule);
    if (answer === undefined) return false;
    if (rule) {
      try {
        state.follow(readEdits(answer, patch));
        this.validate(state);
        call(() => tracker.settle(true));
      } catch (error) {
        state.rollback();
        if (isAlive(tracker)) call(() => tracker.settle(false));
        throw error;
      }
      state.commit();
    } else {
      state.later(() => readEdits(answer, patch));
    }
    this.changed(null);
    this.pending += (answer.length + patch.length) * 3;
    this.depth = this.limits.depth;
    return true;
  }

  /** Shows the validator, if there is one, the state with the unfinished change. */
  private validate(state: State): void {
    if (this.rule === undefined) return;
    this.isValidating = true;
    try {
      validate(this.rule, state.preview());
    } finally {
      this.isValidating = false;
    }
  }

  /** Keeps the present version, and names it. */
  checkpoint(label: string): CheckpointId {
    const tracker = this.flushed();
    return `${call(() => tracker.checkpoint())}-${this.session}-${label}`;
  }

  restore(checkpoint: CheckpointId): void {
    this.flushed();
    const [number, session] = typeof checkpoint === "string" ? checkpoint.split("-", 2) : [];
    if (session !== this.session) throw new PatchwireError("STALE_STATE", "the checkpoint is unknown or was forgotten");
    this.change((tracker, hold) => tracker.restore(Number(number), hold));
  }

  /** The core says why nothing can be added there. */
  refuseAppend(pointer: string): void {
    const tracker = this.flushed();
    const [arena, split, length] = passPointer(pointer);
    call(() => tracker.append(arena, split, length));
  }

  refuseIncrement(pointer: string): void {
    const tracker = this.flushed();
    const [arena, length] = passPointer(pointer);
    call(() => tracker.increment(arena, length, 0));
  }

  openStream(pointer: string): Stream {
    const tracker = this.flushed();
    const [arena, length] = passPointer(pointer);
    const stream = { id: call(() => tracker.stream(arena, length)), hasLost: false };
    this.streams.add(stream);
    return stream;
  }

  /** Gives a piece of a stream to the core: a well-formed string, or bytes. The plain state follows when it is needed. */
  write(stream: Stream, piece: string | Uint8Array): void {
    this.onStream(stream, (tracker) => {
      const [arena, length] = typeof piece === "string" ? passTexts(piece) : passBytes(piece);
      call(() => tracker.write(stream.id, arena, length!));
      this.pending += length! * 3;
    });
    this.isBehind = true;
    this.changed(null);
  }

  /** Ends a stream one way or the other. */
  endStream(stream: Stream, begin: (tracker: TrackerCore, hold: boolean) => string, rule?: Rule | null): void {
    this.onStream(stream, () => this.change(begin, rule));
    this.streams.delete(stream);
  }

  /** A stream that was lost with a core says so once; then it is closed. */
  private onStream(stream: Stream, run: (tracker: TrackerCore) => void): void {
    try {
      const tracker = this.flushed();
      if (stream.hasLost) throw new PatchwireError("ENGINE_LOST", "the core failed, and what had arrived since the state was last read is lost");
      run(tracker);
    } catch (error) {
      if (isLoss(error)) {
        Object.assign(stream, { id: ENDED, hasLost: false });
        this.streams.delete(stream);
      }
      throw error;
    }
  }

  private catchUp(): void {
    const tracker = this.open();
    if (!this.isBehind) return;
    const edits = call(() => tracker.catch_up());
    this.isBehind = false;
    if (this.view === null) return;
    this.view.later(() => JSON.parse(edits) as ViewEdit[]);
  }

  openReader(): Reader {
    const tracker = this.flushed();
    const reader = { id: call(() => tracker.open_cursor()), since: this.changes, hasLost: false };
    this.readers.add(reader);
    return reader;
  }

  isOpen(reader: Reader): boolean {
    return this.readers.has(reader);
  }

  closeReader(reader: Reader): void {
    const { core: tracker } = this;
    if (this.readers.delete(reader) && tracker !== null && isAlive(tracker)) call(() => tracker.close_cursor(reader.id));
  }

  /** What the core answers to a reader. That changes were lost is said to each reader once. */
  ask<R>(reader: Reader, question: (tracker: TrackerCore, reader: number) => R): R {
    try {
      const tracker = this.flushed();
      if (reader.hasLost) throw new PatchwireError("ENGINE_LOST", "the core failed with changes that were not read: go on from the state as it is");
      return call(question, tracker, reader.id);
    } catch (error) {
      if (isLoss(error) && this.view !== null) this.setBaseline(reader);
      throw error;
    }
  }

  private changed(lone: Lone | null): void {
    this.changes++;
    this.lone = lone;
  }

  /** What changed since the reader's baseline, as objects. */
  patch(reader: Reader, isExtended: boolean): JSONPatchOperation[] {
    const told = this.told(reader, isExtended);
    if (told !== null) return [told];
    const length = this.ask(reader, isExtended ? extendedPatch : standardPatch);
    return readPatch(reserve(length), this.view?.log.texts ?? []);
  }

  /**
   * The only change since the reader's baseline, where what it means needs no core (a law holds this to the core's own
   * answer): then the log can cross later, many changes at once.
   */
  private told(reader: Reader, isExtended: boolean): JSONPatchOperation | null {
    const { lone, options } = this;
    if (lone === null || reader.since !== this.changes - 1 || reader.hasLost || this.isBusy || this.isBehind) return null;
    if (options.byKey || options.counters.length > 0 || options.texts.length > 0 || this.limits.operations < 1) return null;
    const { op, path, key, value } = lone;
    const isInArray = typeof key === "number" || path.some((step) => typeof step === "number");
    if (!options.precise && (isInArray || (key === undefined && !options.append))) return null;
    // A string may have grown.
    if (isExtended && typeof value === "string" && op === "replace") return null;
    return { op, path: pointerOf([...path, key ?? "-"]), value: thawed(value) };
  }

  /** Makes the present state the reader's baseline. */
  advance(reader: Reader): void {
    if (this.view !== null && !this.isBusy && (this.core === null || isAlive(this.core))) {
      this.view.log.advance(reader.id);
      this.setBaseline(reader);
      if (this.view.log.length > LOG_LENGTH) this.flushEarly();
      return;
    }
    try {
      call(advance, this.flushed(), reader.id);
    } catch (error) {
      // The next core begins with the present state: then that is the baseline.
      if (!isLoss(error) || this.view === null) throw error;
    }
    this.setBaseline(reader);
  }

  private setBaseline(reader: Reader): void {
    this.recover();
    reader.since = this.changes;
    reader.hasLost = false;
  }

  /** The core's side, up to date. */
  flushed(): TrackerCore {
    const tracker = this.open();
    const { view } = this;
    // What a recipe that is still running did, or what is being validated, may yet be taken back.
    if (view !== null) this.play(tracker, view, this.isBusy ? view.start : view.log.length);
    return tracker;
  }

  private flushEarly(): void {
    try {
      this.flushed();
    } catch {
      // The change is made, and this was none of its business: whoever asks next is told.
    }
  }

  /** Hands the log's first records to the core. */
  private play(tracker: TrackerCore, view: State, count: number): void {
    if (count === 0) return;
    try {
      this.weight = call(play, tracker, view.log.encode(count));
    } catch (error) {
      view.log.refused();
      throw error;
    }
    view.drop(count);
    this.pending = 0;
  }

  /** The core's side, made when first needed. */
  private open(): TrackerCore {
    this.recover();
    if (this.core === null) {
      const document = this.document ?? StateDocument.parse(JSON.stringify(this.initial), this.accepts);
      const { byKey, append, precise, counters, texts, history } = this.options;
      const options = [byKey, append, precise, counters, texts, history];
      const tracker = call(() => new (core().TrackerCore)(document.handle, options, this.bounds));
      this.weight = call(() => tracker.weight());
      for (const reader of this.readers) reader.id = call(() => tracker.open_cursor());
      if (this.document === null) document.free();
      this.core = tracker;
      this.initial = null;
      this.document = null;
    }
    return this.core;
  }

  /**
   * If the core was lost, the plain state is what the next one begins with, and every reader's baseline. A state that
   * was in the core alone is lost with it.
   */
  recover(): void {
    if (this.core === null || isAlive(this.core)) return;
    const { view } = this;
    if (view === null) throw new PatchwireError("ENGINE_LOST", "the core failed before the state was read from it: make a tracker of the document again");
    this.initial = view.publish();
    this.accepts = NO_LIMITS;
    this.core = null;
    view.restart(this.isBusy);
    for (const reader of [this.main, ...this.readers]) {
      reader.hasLost ||= reader.since !== this.changes;
      reader.since = this.changes;
    }
    this.isBehind = false;
    this.session = randomName();
    for (const stream of this.streams) Object.assign(stream, { id: ENDED, hasLost: true });
    this.streams.clear();
  }
}

/** A copy of a value of the state that may be written to, as those are that the core answers. */
function thawed(value: unknown): unknown {
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map(thawed);
  const copy = {};
  for (const key of Object.keys(value)) put(copy, key, thawed((value as Record<string, unknown>)[key]));
  return copy;
}
