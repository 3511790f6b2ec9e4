import type { Log } from "../state/log.js";
import { isContainer, type Container, type Key } from "../json/containers.js";
import { namesOf } from "../json/copies.js";
import type { State } from "../state/state.js";
import type { Readers } from "./readers.js";

/** With so many records the log goes to the core with the next change, so that it can't grow for ever. */
const LENGTH = 4_096;
/** Or with so many bytes in them: the core takes some 2 ns for each, and whoever makes the next change waits for that. */
const UNREAD_BYTES = 4 << 20;
/** What everybody has read the core mostly needn't carry out: it is kept a while longer. */
const READ_BYTES = 32 << 20;
/** Of a recipe with so many records, all in short containers, the core gets the state that it left: each record would take it about a microsecond. */
const MANY = 128;
/** A recipe over so many bytes takes the core longer than comparing what it left, if anybody asks. */
const HEAVY = 64 << 10;
/** What the history holds of a place that was set, in bytes. */
const SCALAR = 160;

/** And of each member of a container that was copied for it. */
const SLOT = 8;

/** Whether the containers on these ways have so many members at most. */
function areSmall(ways: Iterable<readonly Key[]>, state: unknown, most: number): boolean {
  const seen = new Set<unknown>();
  for (const way of ways) {
    let at = state;
    for (let depth = 0; isContainer(at); depth++) {
      if (!seen.has(at)) {
        seen.add(at);
        most -= Array.isArray(at) ? at.length : namesOf(at).length;
        if (most < 0) return false;
      }
      if (depth === way.length) break;
      at = (at as Container)[way[depth]!];
    }
  }
  return true;
}

/** What the core is given of the log's first `count` records: the records, or the state that they led to. */
export type Portion =
  | { kind: "records"; count: number }
  /** As one step of the history, which holds so many bytes. */
  | { kind: "step"; count: number; state: unknown; bytes: number }
  /** In the place of all that was before, which nobody asks for any more. */
  | { kind: "beginning"; count: number; state: unknown };

/** A state that recipes left: what leads to it are the log's records up to `at`. */
interface Left {
  at: number;
  state: unknown;
}

/**
 * What was recorded and the core hasn't been told of: when it has to be, and which states it may be given instead of the
 * records that led to them. A version that everybody has read, and that nobody can undo, can be the core's beginning; what a
 * recipe left that takes long to carry out can be a step of its history, which is compared where somebody asks what changed.
 */
export class Backlog {
  private beginning: (Left & { changes: number }) | null = null;
  /** In their order. What leads to each are the records of one recipe, `from` one on. */
  private readonly steps: (Left & { from: number; bytes: number })[] = [];

  constructor(
    private readonly readers: Readers,
    /** How many changes can be undone. */
    private readonly undoable: number,
  ) {}

  /** Whether the log, but for its last recipe if that stays in it, is long enough to go to the core. */
  isDue(log: Log, leavesLast: boolean): boolean {
    const size = leavesLast ? log.size - log.lastSize : log.size;
    return size > LENGTH || this.isHeavy(leavesLast ? log.weight - log.lastWeight : log.weight);
  }

  /** Whether so many bytes are too many to be kept. */
  private isHeavy(bytes: number): boolean {
    if (bytes <= UNREAD_BYTES) return false;
    if (!this.readers.haveRead(this.readers.changes - 1)) return true;
    // Once nobody can undo what was before it, the core begins with that version.
    return bytes > READ_BYTES && (this.beginning === null || this.isPast(this.beginning.changes));
  }

  /** Whether what led to a version can't be undone any more. */
  private isPast(changes: number): boolean {
    return this.readers.changes - changes >= this.undoable;
  }

  /** Remembers the state that the last recipe left, or that everybody has read, if the core may be given that. */
  remember(state: State, isRecipe: boolean): void {
    const { log } = state;
    if (isRecipe && this.isLong(state)) {
      this.steps.push({ from: log.last, at: log.length, bytes: Math.max(log.lastSize * SCALAR, log.lastWeight), state: state.publish() });
      log.pin();
    }
    if (this.beginning === null && (log.size > LENGTH / 2 || log.weight > READ_BYTES / 2)) {
      this.beginning = { at: log.length, state: state.publish(), changes: this.readers.changes };
      log.pin();
    }
  }

  /** Whether the last recipe takes the core long, and what the state that it left doesn't share with others isn't much more. */
  private isLong(state: State): boolean {
    const { log } = state;
    if (log.lastSize > LENGTH || log.lastWeight > HEAVY) return true;
    return log.lastSize > MANY && areSmall(log.lastPaths(), state.unread(), (log.lastSize * SCALAR) / SLOT);
  }

  /** What the core is given first of the log's first `count` records. */
  next(count: number): Portion {
    const { beginning } = this;
    if (beginning !== null && this.isPast(beginning.changes) && this.readers.haveRead(beginning.changes)) {
      return { kind: "beginning", count: beginning.at, state: beginning.state };
    }
    const step = this.steps[0];
    if (step === undefined || step.at > count) return { kind: "records", count };
    if (step.from > 0) return { kind: "records", count: step.from };
    return { kind: "step", count: step.at, state: step.state, bytes: step.bytes };
  }

  /** The core knows what the log's first records say. */
  drop(count: number): void {
    const { steps, beginning } = this;
    if (beginning !== null && (beginning.at -= count) <= 0) this.beginning = null;
    for (const step of steps) {
      step.from -= count;
      step.at -= count;
    }
    while (steps.length > 0 && steps[0]!.from < 0) steps.shift();
  }

  /** There is no log any more. */
  clear(): void {
    this.beginning = null;
    this.steps.length = 0;
  }
}
