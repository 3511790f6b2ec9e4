import { isContainer } from "./containers.js";
import { Run } from "./payload.js";

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
