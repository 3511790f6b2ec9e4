import { DEFAULTS } from "./limits.js";
import { isContainer, type Key } from "../json/containers.js";
import { isEqual, sharedRuns, type KnownRuns } from "../json/equality.js";
import { checkJson, DEEPEST, hasSymbols, isPlain, notJson, pointerOf, refuseHoles, symbolNotJson } from "../json/json.js";
import { isNestedWithin, isShort, lengthTo } from "../json/size.js";
import { PatchwireError } from "../errors.js";
import { VALUE } from "./boundary.js";
import { attempt } from "./engine.js";
import { Writer } from "./writer.js";

/** So many items come along with an array that is opened; of a longer one those that are asked for. */
const FEW = 32;

/** Of values of which all is looked into, a container that isn't longer, and doesn't nest deeper, comes as text at once. */
const SMALL = 256;
const SHALLOW = 32;

/** So many names are known by number. */
const NAMED = 4096;

/** What a buffer keeps. */
const ROOM = 1 << 16;

const NOTHING = new Uint8Array();

/** A container that the core has opened. */
interface Opened {
  value: object;
  /** An object's members that are containers, in their order, and their names. */
  children: object[] | null;
  names: string[] | null;
  /** What holds it, and its position there; nothing of a whole value. */
  holder: Opened | null;
  position: number;
  /** How many containers of the value are around it, itself counted; 0 of what holds whole values. */
  depth: number;
  /** Which of its items are in an array that it was compared with, too: 1 for those, which nobody looks into. */
  shared?: Uint8Array;
}

class Answer extends Writer {
  constructor() {
    super(new Uint8Array(ROOM));
  }

  protected room(length: number): Uint8Array {
    const longer = new Uint8Array(length);
    longer.set(this.bytes);
    return longer;
  }

  begin(): void {
    this.at = 0;
    if (this.bytes.length > ROOM) this.bytes = new Uint8Array(ROOM);
  }

  end(): Uint8Array {
    return this.bytes.subarray(0, this.at);
  }
}

const answer = new Answer();

/**
 * Plain values, of which the core reads what it looks into (src/wasm/host.rs): a level at a time, by numbers that opened
 * containers get. Whatever fails here is thrown when the core has returned (`call`), and what it returned then is dropped:
 * an exception mustn't pass through the core.
 */
export class Values {
  /** By their numbers, of which 0 is none. */
  private readonly opened: (Opened | undefined)[] = [undefined];
  private deepest: number;
  private readonly free: number[] = [];
  private readonly names = new Map<string, number>();

  private constructor(
    private first: readonly unknown[],
    depth: number,
    private readonly longest: number,
    /** Whether the values are frozen, and known to be JSON: then they may be kept. */
    private readonly isOurs: boolean,
    /** Whether all of them is looked into, but for what is in both, and nothing is given back of them. */
    private readonly isCompared = false,
    private readonly known?: KnownRuns,
  ) {
    this.deepest = Math.min(depth, DEEPEST);
  }

  /** Anybody's values, of which nothing is known. */
  static given(values: readonly unknown[], depth: number = DEFAULTS.depth, longest: number = DEFAULTS.string): Values {
    return new Values(values, depth, longest, false);
  }

  /** Anybody's values that are compared with each other. */
  static compared(values: readonly unknown[], depth: number = DEFAULTS.depth, longest: number = DEFAULTS.string, known?: KnownRuns): Values {
    return new Values(values, depth, longest, false, true, known);
  }

  /** A frozen value that is known to be JSON, nested so deep at most. */
  static ours(value: unknown, depth: number): Values {
    return new Values([value], depth, Infinity, true);
  }

  /** Holds another frozen value, nested so deep at most, until the core releases it: the number of what holds it. */
  hold(value: object, depth: number): number {
    this.deepest = Math.max(this.deepest, Math.min(depth, DEEPEST));
    return this.holder([value]);
  }

  private holder(values: readonly unknown[]): number {
    return this.add({ value: values, children: null, names: null, holder: null, position: 0, depth: 0 });
  }

  private add(opened: Opened): number {
    const number = this.free.pop() ?? this.opened.length;
    this.opened[number] = opened;
    return number;
  }

  /** A bound of how deep the values nest, if that is known. */
  nesting(): number {
    return this.isOurs ? this.deepest : 0xffff_ffff;
  }

  roots(): Uint8Array {
    return this.answered(() => {
      const { first } = this;
      // They are kept no longer than they are read.
      this.first = [];
      answer.number(this.holder(first));
      answer.number(first.length);
      for (const value of first) this.entry(value, null, "");
    });
  }

  open(holder: number, position: number): Uint8Array {
    return this.answered(() => {
      const above = this.around(holder);
      const value = this.find(holder, position);
      const opened: Opened = { value, children: null, names: null, holder: above, position, depth: (above?.depth ?? 0) + 1 };
      if (!this.isOurs) this.check(opened);
      answer.number(this.add(opened));
      if (Array.isArray(value)) {
        const isShort = value.length <= FEW;
        answer.byte(isShort ? 1 : 2);
        answer.number(value.length);
        if (isShort) this.slots(opened, 0, value.length);
        return;
      }
      answer.byte(0);
      this.members(opened);
    });
  }

  items(array: number, first: number, count: number): Uint8Array {
    return this.answered(() => this.slots(this.opened[array]!, first, first + count));
  }

  print(holder: number, position: number): string {
    return this.attempt("null", () => JSON.stringify(this.checked(this.find(holder, position), holder, position)));
  }

  length(holder: number, position: number, most: number): number {
    return this.attempt(0, () => this.lengthOf(holder, position, most));
  }

  lengths(places: Uint32Array, most: number): number {
    return this.attempt(0, () => {
      let length = 0;
      for (let i = 0; i < places.length && length < most; i += 2) length += this.lengthOf(places[i]!, places[i + 1]!, most - length);
      return length;
    });
  }

  isNestedWithin(holder: number, position: number, limit: number): boolean {
    return this.attempt(false, () => isNestedWithin(this.find(holder, position), limit));
  }

  isSame(a: number, at: number, b: number, otherAt: number): boolean {
    return this.attempt(false, () => this.find(a, at) === this.find(b, otherAt));
  }

  isEqual(a: number, at: number, b: number, otherAt: number): boolean {
    return this.attempt(false, () => isEqual(this.find(a, at), this.find(b, otherAt), DEEPEST));
  }

  sharedRuns(a: number, b: number): Uint32Array {
    return this.attempt(new Uint32Array(), () => {
      const [old, other] = [this.opened[a]!, this.opened[b]!];
      const [items, others] = [old.value as unknown[], other.value as unknown[]];
      const known = this.known?.get(items);
      const runs = known?.other === others ? known.runs : sharedRuns(items, others);
      if (this.isCompared) {
        old.shared = sharedItems(old, runs, 0);
        other.shared = sharedItems(other, runs, 1);
      }
      return runs;
    });
  }

  release(container: number): void {
    this.opened[container] = undefined;
    this.free.push(container);
  }

  private answered(write: () => void): Uint8Array {
    return this.attempt(NOTHING, () => {
      answer.begin();
      write();
      return answer.end();
    });
  }

  private attempt<R>(otherwise: R, run: () => R): R {
    return attempt(otherwise, run, this.isOurs);
  }

  private lengthOf(holder: number, position: number, most: number): number {
    const value = this.find(holder, position);
    const length = lengthTo(value, most, DEEPEST);
    if (length < most) this.checked(value, holder, position);
    return length;
  }

  /** The value, of which all is JSON. */
  private checked(value: object, holder: number, position: number): object {
    if (!this.isOurs) {
      const above = this.around(holder);
      checkJson(value, above === null ? [] : pathIn(above, keyOf(above, position)));
    }
    return value;
  }

  /** The container of that number, if it is a part of a value. */
  private around(holder: number): Opened | null {
    const opened = this.opened[holder]!;
    return opened.depth === 0 ? null : opened;
  }

  private find(holder: number, position: number): object {
    const { children, value: items } = this.opened[holder]!;
    const value: unknown = (children ?? (items as object[]))[position];
    if (!isContainer(value)) throw notJson(undefined, []);
    return value;
  }

  private check(opened: Opened): void {
    const { value } = opened;
    if (!isPlain(value)) throw notJson(value, pathOf(opened));
    if (hasSymbols(value)) throw symbolNotJson(pointerOf(pathOf(opened)));
    if (Array.isArray(value)) refuseHoles(value, pathOf(opened));
    for (let above = opened.holder; above !== null; above = above.holder) if (above.value === value) throw notJson(value, pathOf(opened));
    if (opened.depth > this.deepest) {
      throw new PatchwireError("LIMIT_EXCEEDED", "arrays and objects are nested over the depth limit (limits.depth)", { path: pointerOf(pathOf(opened)) });
    }
  }

  private slots(array: Opened, first: number, end: number): void {
    const items = array.value as unknown[];
    for (let i = first; i < end; i++) this.entry(items[i], array, i, array.shared?.[i] === 1);
  }

  private members(object: Opened): void {
    const value = object.value as Record<string, unknown>;
    const names = Object.keys(value);
    const children: object[] = (object.children = []);
    const ofChildren: string[] = (object.names = []);
    const items: unknown[] = [];
    let count = 0;
    for (const name of names) {
      const item = value[name];
      if (item !== undefined) count++;
      items.push(item);
    }
    answer.number(count);
    for (let i = 0; i < names.length; i++) {
      const item = items[i];
      if (item === undefined) continue;
      this.name(names[i]!);
      if (this.entry(item, object, names[i]!)) {
        children.push(item as object);
        ofChildren.push(names[i]!);
      }
    }
  }

  /** Says whether it is a container that is there to be opened. */
  private entry(value: unknown, holder: Opened | null, key: Key, isShared = false): boolean {
    if (typeof value === "string") {
      answer.byte(VALUE.TEXT);
      const length = answer.text(value);
      if (length > this.longest) throw new PatchwireError("LIMIT_EXCEEDED", "a string is over the size limit (limits.string)", { path: pointerOf(pathIn(holder, key)) });
    } else if (typeof value === "number" && Number.isFinite(value)) {
      answer.byte(VALUE.NUMBER);
      answer.double(value);
    } else if (isContainer(value)) {
      if (this.isCompared && !isShared && (holder?.depth ?? 0) + SHALLOW <= this.deepest && this.longest > 3 * SMALL && isShort(value, SMALL, SHALLOW)) {
        answer.byte(VALUE.JSON);
        answer.text(JSON.stringify(value));
        return false;
      }
      answer.byte(Array.isArray(value) ? VALUE.ARRAY : VALUE.OBJECT);
      return true;
    } else if (value === null || typeof value === "boolean") {
      answer.byte(value === null ? VALUE.NULL : value ? VALUE.TRUE : VALUE.FALSE);
    } else {
      throw notJson(value, pathIn(holder, key));
    }
    return false;
  }

  private name(name: string): void {
    const number = this.names.get(name);
    if (number !== undefined) return answer.number(number + 2);
    // Names may be data: once there are so many all are forgotten.
    const isFull = this.names.size >= NAMED;
    if (isFull) this.names.clear();
    this.names.set(name, this.names.size);
    answer.byte(isFull ? 1 : 0);
    answer.text(name);
  }
}

const keyOf = ({ names }: Opened, position: number): Key => (names === null ? position : names[position]!);

function pathOf(opened: Opened): Key[] {
  const path: Key[] = [];
  for (let at = opened; at.holder !== null; at = at.holder) path.push(keyOf(at.holder, at.position));
  return path.reverse();
}

const pathIn = (holder: Opened | null, key: Key): Key[] => (holder === null ? [] : [...pathOf(holder), key]);

/** The items of an array that are in the runs, of which its starts are at `offset`. */
function sharedItems({ value }: Opened, runs: Uint32Array, offset: 0 | 1): Uint8Array {
  const shared = new Uint8Array((value as unknown[]).length);
  for (let i = 0; i < runs.length; i += 3) shared.fill(1, runs[i + offset]!, runs[i + offset]! + runs[i + 2]!);
  return shared;
}
