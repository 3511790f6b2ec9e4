import { call, core, isAlive, isLoss, passBytes, passTexts } from "./core.js";
import { StateDocument } from "./document.js";
import { PatchwireError } from "./errors.js";
import { Recording } from "./recording.js";
import type { Limits } from "./types.js";
import { Base } from "./unread.js";
import { follow, type ViewEdit } from "./view.js";
import type { TrackerCore } from "./wasm/patchwire.js";

/** What the core has to know of a tracker's options. */
export interface MeaningOptions {
  byKey: boolean;
  append: boolean;
  precise: boolean;
  counters: string[];
  texts: string[];
  limits: Limits;
}

/** A reader of the changes: its number in the core, and what has to be known of it should the core be lost. */
export interface Reader {
  id: number;
  /** How many changes there had been when its baseline was set. */
  since: number;
  /** Changes that it hasn't read are lost. */
  hasLost: boolean;
}

/** After so many records the log goes to the core by itself, so that it can't grow for ever. */
const LOG_LENGTH = 10_000;
const DEFAULTS = { document: 64 << 20, depth: 512, string: 16 << 20 };
/** What was accepted once is accepted again. */
const NO_LIMITS: Limits = { document: Infinity, depth: Infinity, string: Infinity };

/**
 * A tracker's two sides: the plain state, whose changes are recorded here, and the core, which is told of them when
 * somebody asks what they mean. If the core is lost, another one begins with the plain state as it is.
 */
export class Meaning {
  /** The reader that every tracker has. */
  readonly main: Reader = { id: 0, since: 0, hasLost: false };
  private readonly readers = new Set<Reader>();
  private readonly limits: { document: number; depth: number; string: number };
  private view: Recording | null = null;
  private core: TrackerCore | null = null;
  /** What the core begins with, until it is made: the document, or else the state within these limits. */
  private document: StateDocument | null = null;
  private initial: unknown;
  private accepts: Limits;
  /** Bounds of the document's size as of the core, and of what has come in since. */
  private weight = 0;
  private pending = 0;
  private changes = 0;

  private constructor(private readonly options: MeaningOptions) {
    this.accepts = options.limits;
    this.limits = { ...DEFAULTS, ...options.limits };
  }

  static ofDocument(document: StateDocument, options: MeaningOptions): Meaning {
    const meaning = new Meaning(options);
    meaning.document = document;
    meaning.open();
    return meaning;
  }

  /** Of a plain frozen state; its depth and the length of its texts say whether it may be over a limit. */
  static ofState(state: unknown, depth: number, length: number, options: MeaningOptions): Meaning {
    const meaning = new Meaning(options);
    meaning.initial = state;
    meaning.view = new Recording(state);
    meaning.weight = length * 3;
    // What is wrong is said by the constructor, not later.
    if (meaning.isNear(0, depth, length) || options.counters.length + options.texts.length > 0) meaning.open();
    return meaning;
  }

  /** The plain state; over a document it stands from when it is first needed. */
  get tree(): Recording {
    return (this.view ??= new Recording(new Base(this.now())));
  }

  /** The present version as a document. */
  now(): StateDocument {
    const tracker = this.flushed();
    return new StateDocument(call(() => tracker.document()));
  }

  /**
   * Makes what was recorded the next version, asking the core first where a limit may be near: where `bytes` were
   * added, nested `depth` levels deep, none of its strings longer than `longest`.
   */
  accept(bytes: number, depth: number, longest = bytes): void {
    const { tree } = this;
    if (this.isNear(bytes, depth, longest)) {
      try {
        this.play(tree, () => tree.start);
        this.play(tree, () => tree.log.length);
      } catch (error) {
        tree.rollback();
        throw error;
      }
    } else {
      this.pending += bytes * 3;
    }
    tree.commit();
    this.changes++;
    if (tree.log.length > LOG_LENGTH) this.flushEarly();
  }

  isNear(bytes: number, depth: number, longest: number): boolean {
    const { document, depth: deepest, string } = this.limits;
    return depth > deepest || longest * 3 > string || this.weight + this.pending + bytes * 3 > document;
  }

  /** Applies a patch to both sides. */
  apply(patch: string): void {
    const tracker = this.flushed();
    const [arena, length] = passTexts(patch);
    const [edits, weight] = call(() => [tracker.apply(arena, length!), tracker.weight()] as const);
    follow(this.tree, JSON.parse(edits) as ViewEdit[]);
    this.tree.commit();
    this.changes++;
    this.weight = weight;
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
  ask(reader: Reader, question: (tracker: TrackerCore) => string): string {
    try {
      const tracker = this.flushed();
      if (reader.hasLost) throw new PatchwireError("ENGINE_LOST", "the core failed with changes that were not read: go on from the state as it is");
      return call(() => question(tracker));
    } catch (error) {
      if (isLoss(error) && this.view !== null) this.setBaseline(reader);
      throw error;
    }
  }

  /** Makes the present state the reader's baseline. */
  advance(reader: Reader): void {
    try {
      const tracker = this.flushed();
      call(() => tracker.advance(reader.id));
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
    const { view } = this;
    // What a recipe that is still running did may yet be taken back.
    if (view !== null) this.play(view, () => (view.open ? view.start : view.log.length));
    return this.open();
  }

  private flushEarly(): void {
    try {
      this.flushed();
    } catch {
      // The change is made, and this was none of its business: whoever asks next is told.
    }
  }

  /** Hands the log's first records to the core. */
  private play(view: Recording, records: () => number): void {
    const tracker = this.open();
    const count = records();
    if (count === 0) return;
    const [arena, length] = passBytes(view.log.encode(count));
    try {
      this.weight = call(() => (tracker.play(arena, length), tracker.weight()));
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
      const tracker = call(() => new (core().TrackerCore)(document.handle, this.options));
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
    view.restart();
    for (const reader of [this.main, ...this.readers]) {
      reader.hasLost ||= reader.since !== this.changes;
      reader.since = this.changes;
    }
  }
}
