import { isContainer, type Container } from "../json/containers.js";
import { Run } from "./payload.js";
import { areNamesakes } from "./same.js";
import { Exchanged, spliceStep, type Step } from "./told.js";

/** An array of more runs and other values is told as such. */
const PARTS = 32;

/** The items of an array as they are told: runs of those of the array that was there, and other values. */
export class Gathered {
  readonly parts: unknown[] = [];
  /** The run that the last item is in. */
  run: Run | null = null;
  /** Where the next item was, if it comes after the last one as before. */
  next = 0;
  /** Whether those that were there come in the order that they had. */
  isInOrder = true;
  /** Whether nothing of the state is in it but scalars, so that it can be told as it is. */
  isPlain = true;
  /** Whether some are containers of the array that was there, which have no places of their own and may be repeated. */
  hasOthers = false;
  constructor(
    /** Whether what comes is frozen, and all items are what they were in it. */
    public isSame: boolean,
    /** Whether all are containers of the array that was there. */
    public isSifted: boolean,
  ) {}

  /** The item that was at an index comes here; `isOfPlace` says that it has a place, which became `final`. */
  keep(index: number, item: unknown, final: unknown, isOfPlace: boolean): void {
    this.isInOrder &&= index >= this.next;
    if (isContainer(final)) this.isPlain = false;
    if (!isContainer(item)) this.isSifted = false;
    else if (!isOfPlace) this.hasOthers = true;
    this.isSame &&= final === item;
    this.extend(index);
  }

  /** So many containers follow that followed before. */
  keepMore(count: number): void {
    if (count === 0) return;
    this.next += count;
    this.run!.length += count;
    this.isPlain = false;
    this.hasOthers = true;
  }

  /** A copy of the item that was at an index comes, which is equal to it. */
  keepEqual(index: number): void {
    if (index < this.next) {
      // It may have come before.
      this.isInOrder = false;
      this.hasOthers = true;
    }
    this.isSame = this.isPlain = false;
    this.extend(index);
  }

  /** Another value comes. */
  put(payload: unknown, item: unknown, final: unknown): void {
    this.run = null;
    this.isSifted = false;
    if (payload !== final && isContainer(item)) this.isPlain = false;
    this.isSame &&= final === item;
    this.parts.push(payload);
    this.next++;
  }

  /** Whether these are the first items of the array that was there, all of them, and nothing else. */
  isWhole(length: number): boolean {
    const first = this.parts[0];
    return length === 0 || (this.parts.length === 1 && first instanceof Run && first.start === 0);
  }

  private extend(index: number): void {
    const { run } = this;
    if (run !== null && run.start + run.length === index) run.length++;
    else this.parts.push((this.run = new Run(index, 1)));
    this.next = index + 1;
  }
}

/**
 * What to set in an array that was `there`, of which a `copy` is there now, if all of its items that were kept are where they were. What
 * one of them took the place of isn't known where not all has been read.
 */
export function replaced(parts: unknown[], there: unknown[] | null, copy: readonly unknown[]): Step[] | null {
  if (parts.length > PARTS) return null;
  const steps: Extract<Step, { kind: "set" }>[] = [];
  let index = 0;
  for (const part of parts) {
    if (!(part instanceof Run)) steps.push({ kind: "set", key: index++, value: part, op: null });
    else if (part.start !== index) return null;
    else index += part.length;
  }
  if (there !== null && areShifted(steps.map(({ key }) => key as number), there, copy)) return null;
  const [only] = steps;
  const before = steps.length === 1 ? there?.[only!.key as number] : undefined;
  if (isContainer(only?.value) && isContainer(before) && !isNamedAs(copy[only.key as number], before, there!)) only.op = new Exchanged(before);
  return steps;
}

/** Whether most of several scalars are those that were beside them, as when one is put in before them and one at their end goes. */
function areShifted(indexes: number[], there: unknown[], copy: readonly unknown[]): boolean {
  const isBeside = (i: number): boolean => !isContainer(copy[i]) && (Object.is(copy[i], there[i - 1]) || Object.is(copy[i], there[i + 1]));
  return indexes.length > 2 && 2 * indexes.filter(isBeside).length > indexes.length;
}

/** Whether an item that took another one's place has the name of a third one: then it is compared with that. */
function isNamedAs(item: unknown, before: object, there: readonly unknown[]): boolean {
  const hasName = (one: unknown): boolean => isContainer(one) && areNamesakes(one as Container, item as Container);
  return isContainer(item) && !hasName(before) && there.some(hasName);
}

/** What to take out of an array that was `there`, and to put into it at few places, if nothing takes the place of what is gone. */
export function shifted(parts: unknown[], there: unknown[]): Step[] | null {
  if (parts.length > PARTS || !parts.some((part) => part instanceof Run)) return null;
  const steps: Step[] = [];
  let values: unknown[] = [];
  let [at, seen] = [0, 0];
  for (const part of [...parts, new Run(there.length, 0)]) {
    if (!(part instanceof Run)) {
      values.push(part);
      continue;
    }
    const gone = there.slice(seen, part.start);
    if (gone.length > 0 && values.length > 0) return null;
    if (gone.length > 0 || values.length > 0) steps.push(spliceStep(at, gone, values, seen === there.length));
    at += values.length + part.length;
    seen = part.start + part.length;
    values = [];
  }
  return steps;
}

/** Whether one item of several is edited: otherwise short arrays are compared by the core. */
export function isEdited(steps: Step[], there: unknown[], copy: unknown[]): boolean {
  if (steps.length !== 1 || copy.length === 1) return false;
  const { key } = steps[0] as Extract<Step, { kind: "set" }>;
  const [before, item] = [there[key as number], copy[key as number]];
  return isContainer(before) && isContainer(item) && Array.isArray(before) === Array.isArray(item);
}

/** How often an item of the runs is repeated at most. */
export function repeatsIn(parts: unknown[], length: number): number {
  const counts = new Uint32Array(length);
  let most = 1;
  for (const part of parts) if (part instanceof Run) for (let i = part.start; i < part.start + part.length; i++) most = Math.max(most, ++counts[i]!);
  return most - 1;
}
