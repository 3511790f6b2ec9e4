import { isContainer, type Container, type Key } from "../state/containers.js";
import { DEEPEST } from "../state/json.js";
import { AROUND, leastLength, mostLength } from "../state/size.js";
import type { State } from "../state/state.js";

/**
 * The arrays around the operations that are told: one that has less text than those has to be told as a whole, and which
 * that are is for the core to say.
 */
export class Arrays {
  /** What is open: how much there had been told before, in how many operations, and where in `path` each array is. */
  private readonly open: { array: unknown; depth: number; before: number; operations: number }[] = [];
  /** How much is told at most. */
  private length = 0;
  /** In how many operations; those that remove something count as two, because even one is told as a whole where that is shorter. */
  private operations = 0;

  constructor(private readonly state: State) {}

  /** Goes on to what is changed next. False where that isn't behind what was changed before, or some array is too short. */
  enter(from: Key[], path: Key[]): boolean {
    let common = 0;
    while (common < from.length && from[common] === path[common]) common++;
    const [was, is] = [from[common], path[common]];
    if (typeof was === "number" && typeof is === "number" && is < was) return false;
    // An item that was set twice is told once.
    const isAgain = common > 0 && common === path.length && common === from.length && path[common - 1] !== -1;
    if (isAgain || (is === undefined && common < from.length) || !this.leave(common + 1)) return false;
    const last = this.open.at(-1);
    let at = last === undefined ? this.state.unread() : last.array;
    for (let depth = last === undefined ? 0 : last.depth; depth < path.length; depth++) {
      if (Array.isArray(at) && depth !== last?.depth) this.open.push({ array: at, depth, before: this.length, operations: this.operations });
      at = this.state.slots(at as object)?.get(path[depth] as number) ?? (at as Container)[path[depth]!];
    }
    return true;
  }

  add(path: string, value: unknown): void {
    // Long strings needn't be looked through where nothing is held against them.
    if (this.open.length === 0) return;
    this.operations++;
    this.length += AROUND.replace + mostLength(path);
    // A container came: whatever its length is, it is that much longer in the array too.
    if (isContainer(value)) this.length += leastLength(value, Infinity, DEEPEST);
    else this.length += typeof value === "string" ? mostLength(value) : String(value).length;
  }

  remove(path: string): void {
    this.take(AROUND.remove + mostLength(path));
  }

  /** Operations of so many bytes that remove something, if any. */
  take(length: number): void {
    this.operations += 2;
    this.length += length;
  }

  /** Whether none is around what is changed now. */
  get areNone(): boolean {
    return this.open.length === 0;
  }

  areShort(): boolean {
    return this.leave(0);
  }

  /** Closes what is deeper. */
  private leave(depth: number): boolean {
    for (let last = this.open.at(-1); last !== undefined && last.depth >= depth; last = this.open.at(-1)) {
      this.open.pop();
      // An operation that puts something there isn't told as a whole.
      if (this.operations - last.operations <= 1) continue;
      const { array, depth } = last;
      const most = this.length - last.before - AROUND.replace - 2 * depth - 2;
      const slots = this.state.slots(array as object);
      // Each item has a comma or a bracket beside it.
      if ((slots === null ? leastLength(array, most, DEEPEST) : slots.length * 2) < most) return false;
    }
    return true;
  }
}
