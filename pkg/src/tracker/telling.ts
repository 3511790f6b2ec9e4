import { isContainer, type Container, type Key } from "../json/containers.js";
import { DEEPEST, pointerOf } from "../json/json.js";
import { AROUND, leastLength, Lengths, mostLength, mostScalar, textLength } from "../json/size.js";
import type { State } from "../state/state.js";
import type { JSONPatchOperation } from "../types.js";

/** An array around what is told, which is at the first `depth` keys of a path. */
interface Open {
  array: unknown;
  path: readonly Key[];
  depth: number;
  /** What had been told before it: so many bytes at most, so many operations, and so many that remove something. */
  before: number;
  first: number;
  removals: number;
}

/**
 * What is told, and the arrays around it: one that has less text than what is told of its items is told as a whole, as
 * `src/writes/shorten.rs` says.
 */
export class Telling {
  private readonly open: Open[] = [];
  private readonly told: JSONPatchOperation[] = [];
  /** How many bytes each of these has; 0 where nobody asked yet. */
  private readonly sizes: number[] = [];
  private lengths: Lengths | null = null;
  /** How much is told at most. */
  private length = 0;
  /** How many operations remove something: even one is told as a whole where that is shorter. */
  private removals = 0;

  constructor(
    private readonly state: State,
    /** Whether all that is told is here, and an array may be told as a whole: otherwise that is for the core to say. */
    private readonly mayShorten = false,
  ) {}

  /** Goes on to what is changed next. False where that isn't behind what was changed before, or it isn't known how an array is told. */
  enter(from: readonly Key[], path: readonly Key[]): boolean {
    let common = 0;
    while (common < from.length && from[common] === path[common]) common++;
    const [was, is] = [from[common], path[common]];
    if (typeof was === "number" && typeof is === "number" && is < was) return false;
    // An item that was set twice is told once.
    const isAgain = common > 0 && common === path.length && common === from.length && path[common - 1] !== -1;
    // What is set in an array is told before what was done to its items.
    const isItem = is === undefined && typeof was === "number";
    if (isAgain || isItem || !this.leave(common + 1)) return false;
    const last = this.open.at(-1);
    let at = last === undefined ? this.state.unread() : last.array;
    for (let depth = last === undefined ? 0 : last.depth; depth < path.length; depth++) {
      if (Array.isArray(at) && depth !== last?.depth) {
        this.open.push({ array: at, path, depth, before: this.length, first: this.told.length, removals: this.removals });
      }
      at = this.state.slots(at as object)?.get(path[depth] as number) ?? (at as Container)[path[depth]!];
    }
    return true;
  }

  add(operation: JSONPatchOperation): void {
    this.told.push(operation);
    this.sizes.push(0);
    // Long strings needn't be looked through where nothing is held against them.
    if (this.open.length === 0) return;
    if (operation.op === "remove") this.noteRemovals(AROUND.remove + mostLength(operation.path));
    else {
      const { path, value } = operation as { path: string; value: unknown };
      // A container came: whatever its length is, it is that much longer in the array too.
      this.length += AROUND.replace + mostLength(path) + (isContainer(value) ? leastLength(value, Infinity, DEEPEST) : mostScalar(value));
    }
  }

  /** Operations of so many bytes remove something; of none where there are none, and then too the array may be told as a whole. */
  noteRemovals(length: number): void {
    this.removals++;
    this.length += length;
  }

  /** Whether no array is around what is changed now. */
  get hasNoArray(): boolean {
    return this.open.length === 0;
  }

  /** All that is told; null where it isn't known how an array is. */
  end(): JSONPatchOperation[] | null {
    return this.leave(0) ? this.told : null;
  }

  /** Closes what is deeper. */
  private leave(depth: number): boolean {
    for (let last = this.open.at(-1); last !== undefined && last.depth >= depth; last = this.open.at(-1)) {
      this.open.pop();
      // An operation that puts something there isn't told as a whole.
      if (this.told.length - last.first <= 1 && this.removals === last.removals) continue;
      const { array, depth } = last;
      const most = this.length - last.before - AROUND.replace - 2 * depth - 2;
      const slots = this.state.slots(array as object);
      // Each item has a comma or a bracket beside it.
      if ((slots === null ? leastLength(array, most, DEEPEST) : slots.length * 2) >= most) continue;
      if (slots !== null || !this.state.isWhole || !this.mayShorten || !this.shorten(last)) return false;
    }
    return true;
  }

  /** Tells an array as a whole if that is shorter. False where that isn't known. */
  private shorten({ array, path, depth, before, first, removals }: Open): boolean {
    const whole = { op: "replace" as const, path: pointerOf(path.slice(0, depth)), value: array };
    const length = this.lengthOf(whole);
    let told = 0;
    for (let i = first; i < this.told.length; i++) told += this.sizes[i] ||= this.lengthOf(this.told[i]!);
    if (length >= told) return true;
    // What only the core can measure has no length.
    if (Number.isNaN(length - told) || this.lengths!.hasIntegers) return false;
    this.told.length = this.sizes.length = first;
    this.told.push(whole);
    this.sizes[first] = length;
    this.length = before + length;
    this.removals = removals;
    return true;
  }

  /** How many bytes an operation that removes or puts something has in a patch's text, with a comma. */
  private lengthOf(operation: JSONPatchOperation): number {
    const length = AROUND[operation.op as keyof typeof AROUND] + textLength(operation.path);
    return "value" in operation ? length + (this.lengths ??= new Lengths(DEEPEST)).of(operation.value) : length;
  }
}

/** Whether all arrays on a way have texts of so many bytes. */
export function areAsLong(state: State, way: readonly Key[], least: number): boolean {
  let at: unknown = state.unread();
  for (let depth = 0; ; depth++) {
    const slots = state.slots(at as object);
    if (Array.isArray(at) && (slots === null ? leastLength(at, least, DEEPEST) : slots.length * 2) < least) return false;
    if (depth === way.length) return true;
    at = slots?.get(way[depth] as number) ?? (at as Container)[way[depth]!];
  }
}
