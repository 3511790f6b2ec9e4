import { bounds, DEFAULTS } from "../bridge/limits.js";
import { tooLarge, type Intake } from "../json/json.js";
import { textLength, weightOf } from "../json/size.js";
import type { Measure } from "../state/state.js";
import type { Limits } from "../types.js";

/** A smaller state is sooner copied by whoever begins with it than remembered each time it is published. */
const LARGE = 16 << 10;

/**
 * How near a state is to its limits. What is kept are bounds that cost nothing to know; where they say that a limit may be
 * near, the core is asked before a change is made.
 */
export class Headroom {
  readonly limits: { document: number; depth: number; string: number; path: number; operations: number };
  /** The document's size as of the core, or a bound of it. */
  private weight = 0;
  /** Whether the core knows the document's size: of values that stay in JavaScript it knows what it has looked at. */
  isKnown = true;
  /** How large it has been, without what came in since. */
  private least = 0;
  /** What has come in since. */
  private pending = 0;
  /** How long the text of the state is if that is over the limit, and 0 if it isn't. */
  private over = 0;
  /** A long string that is counted in `pending`, at three bytes a character: when it grows, only its growth is added. */
  private counted: string | null = null;
  /** How deep the state nests at most. */
  private depth = 0;
  /** How many characters its longest string has at most, if that isn't the whole state. */
  private longest = Infinity;
  /** How many it has at most because longer ones are refused. */
  private held = Infinity;

  /** Whether parts of the state may be over other limits than that of its size: then the core is asked about each change. */
  mayBeOver = false;

  /** The limits as the core takes them. */
  readonly bounds: Float64Array;

  /** Throws `VALIDATION_FAILED` if a limit isn't a number in its range. One that is `undefined` is the default. */
  constructor(limits: Limits | undefined) {
    this.bounds = bounds(limits);
    const { document = DEFAULTS.document, depth = DEFAULTS.depth, string = DEFAULTS.string, path = DEFAULTS.path, operations = DEFAULTS.operations } = limits ?? {};
    this.limits = { document, depth, string, path, operations };
  }

  /** The size of the document that the core begins with, or a bound of it. */
  begin(weight: number): void {
    this.weight = this.least = weight;
  }

  /** The size of a document whose strings are held to their limit by who keeps it. */
  beginHeld(weight: number): void {
    this.begin(weight);
    this.held = this.limits.string / 3;
  }

  /** Nothing is known of what the core begins with. */
  beginBlind(): void {
    this.isKnown = false;
    this.weight = this.least = Infinity;
  }

  /** What is known of a plain state. */
  beginWith({ bytes, depth, longest }: Intake): void {
    this.isKnown = false;
    this.weight = bytes * 3;
    this.least = bytes;
    this.depth = depth;
    this.longest = longest;
  }

  /** The core has been told of every change, and has weighed what it knows of the document. */
  weigh(weight: number): void {
    this.weight = this.isKnown ? weight : Math.max(weight, this.weight + this.pending);
    this.least = Math.max(this.least, weight);
    this.settled();
  }

  /** Whether it is worth knowing later what is known of the state. */
  get isLarge(): boolean {
    return this.least >= LARGE;
  }

  /**
   * Refuses a state that is over the limit, of which the core knows a part, or would be with so many bytes `more`. Where its
   * weight is over the limit its text is measured, and one that was over it before may shrink, as in the core
   * (src/edit/growth.rs). O(its size), so only where the bounds are near.
   */
  measure(state: unknown, known: number, more = 0): void {
    const { document } = this.limits;
    let size = weightOf(state);
    if (size + more > document) size = textLength(state);
    if (size + more > Math.max(document, this.over)) throw tooLarge();
    this.over = size > document ? size : 0;
    this.weight = Math.max(size, known);
    this.settled();
  }

  /** Of a state of which nothing was known, and which may be over the limit already: how large it is. O(its size). */
  find(state: unknown): void {
    this.over = Infinity;
    this.measure(state, 0);
  }

  private settled(): void {
    this.pending = 0;
    this.counted = null;
  }

  /** A change came in that the core hasn't weighed. */
  add(bytes: number, depth = 0): void {
    this.pending += bytes;
    this.reach(bytes, depth);
  }

  /** Counts a change by what was measured of it. */
  addMeasured(measure: Measure): void {
    this.add(this.more(measure), measure.depth);
    if (measure.grown) this.counted = measure.grown.text;
  }

  /** By how much a change makes the state larger at most: a string that grows a little at a time isn't counted anew each time. */
  private more({ bytes, grown }: Measure): number {
    return grown && grown.before === this.counted ? bytes - grown.before.length * 3 : bytes;
  }

  /** A change came in that may have made the longest string longer by so many bytes, and nests so deep. */
  reach(bytes: number, depth: number): void {
    this.longest += bytes;
    this.depth = Math.max(this.depth, depth);
  }

  /** Runs what may be refused: then what was learnt of the state with the change is forgotten. */
  attempt(change: () => void): void {
    const { weight, least, pending, over, counted, depth, longest } = this;
    try {
      change();
    } catch (error) {
      Object.assign(this, { weight, least, pending, over, counted, depth, longest });
      throw error;
    }
  }

  /** Bounds of the whole state. */
  get whole(): { weight: number; depth: number } {
    return { weight: this.weight + this.pending, depth: this.depth };
  }

  /** What is known of the state, for a tracker that begins with it. */
  get intake(): Intake {
    const bytes = this.whole.weight / 3;
    return { bytes, depth: this.depth, longest: Math.min(this.longest, this.held, bytes) };
  }

  /** Whether so many bytes more may be more than the document may have. */
  isNearSize(bytes: number): boolean {
    return this.weight + this.pending + bytes > this.limits.document;
  }

  /** Whether such a change may be over a limit. */
  isNear(measure: Measure): boolean {
    return this.isNearOther(measure) || this.isNearSize(this.more(measure));
  }

  /** Whether it may be over another limit than that of the document's size. */
  isNearOther({ depth, longest }: Measure): boolean {
    const { depth: deepest, string, path } = this.limits;
    return this.mayBeOver || depth > deepest || depth >= path || longest * 3 > string;
  }
}
