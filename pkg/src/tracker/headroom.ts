import { bounds } from "../bridge/limits.js";
import type { Measure } from "../state/state.js";
import type { Limits } from "../types.js";

const DEFAULTS = { document: 64 << 20, depth: 512, string: 16 << 20, path: 1024, operations: 10_000 };

/**
 * How near a state is to its limits. What is kept are bounds that cost nothing to know; where they say that a limit may be
 * near, the core is asked before a change is made.
 */
export class Headroom {
  readonly limits: { document: number; depth: number; string: number; path: number; operations: number };
  /** The document's size as of the core. */
  private weight = 0;
  /** What has come in since. */
  private pending = 0;
  /** How deep the state nests at most. */
  private depth = 0;

  /** The limits as the core takes them. */
  readonly bounds: Float64Array;

  /** Throws where a limit is none. */
  constructor(limits: Limits) {
    this.bounds = bounds(limits);
    this.limits = { ...DEFAULTS, ...limits };
  }

  /** The size of the document that the core begins with, or a bound of it. */
  begin(weight: number): void {
    this.weight = weight;
  }

  /** The core has been told of every change, and weighed the document. */
  weigh(weight: number): void {
    this.weight = weight;
    this.pending = 0;
  }

  /** A change came in that the core hasn't weighed. */
  add(bytes: number, depth = 0): void {
    this.pending += bytes;
    this.deepen(depth);
  }

  deepen(depth: number): void {
    this.depth = Math.max(this.depth, depth);
  }

  /** Bounds of the whole state. */
  get whole(): { weight: number; depth: number } {
    return { weight: this.weight + this.pending, depth: this.depth };
  }

  /** Whether such a change may be over a limit. */
  isNear({ bytes, depth, longest }: Measure): boolean {
    const { document, depth: deepest, string, path } = this.limits;
    return depth > deepest || depth >= path || longest * 3 > string || this.weight + this.pending + bytes > document;
  }
}
