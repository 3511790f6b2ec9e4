import { type Key } from "../state/containers.js";
import { Edited, Items, Composite, Ref, Run } from "../state/payload.js";
import type { Exchanged, SpliceOp } from "../state/told.js";
import { RECORD, VALUE } from "./boundary.js";
import { reserve } from "./core.js";
import { sharedHead, sharedTail } from "./shared.js";
import { Writer } from "./writer.js";

/** Containers with more members than this cross as text, and stay text in the core. */
const MEMBERS = 64;
/** Once so many names are known, all are forgotten: names may be data. */
const NAMED = 4096;

/** Strings from this length on are numbered, so that an answer needn't hold them: so many of a log. */
const LONG = 100;
const TEXTS = 64;

/** So many characters in common at the ends are worth a reference. */
const SHARED = 64;

/** Moving an item takes the core about as long as looking at so many bytes. */
const ITEM = 32;

/** How many places a record takes in the list of records. */
const PLACES = 6;
/** Room for most logs. */
const ROOM = 1024;

/**
 * What a patch says of a record, where that needs no comparison; `sift` removes those items of an array that its {@link Items} don't have.
 * What is told of a container that took the place of another one is found when somebody asks.
 */
export type Operation = SpliceOp | "add" | "replace" | "remove" | "sift" | "str_ins" | "inc" | Exchanged | null;

/** What was recorded of a change that is told without the core. */
export interface Recorded {
  op: Operation;
  path: Key[];
  key: Key | undefined;
  /** Of a removal what was there, if that is known. */
  value: unknown;
  /** The string that a long one took the place of. */
  before?: string;
}

const NONE: Uint8Array = new Uint8Array();
const ROOT: Key[] = [];
const NOTHING: readonly unknown[] = [];

/**
 * What recipes did, as the core's op log (src/log/). Recording keeps references; only when somebody asks for
 * what changed is the log encoded, at once.
 */
export class Log extends Writer {
  /** Of each record: its kind, path, value, two more that its kind needs, and what a patch says of it. */
  private records: unknown[] = [];
  private readonly keys = new Map<string, number>();
  /** Where each reader's last new baseline was recorded, if that record is still there. */
  private readonly advances = new Map<number, number>();
  private known = 0;
  /** Where the last recipe's records begin, if they are there. */
  last = -1;
  /** What the last recipe deleted: of those before it nothing is kept alive. */
  private gone: unknown[] = [];
  /** How many more members the container that is being encoded may have. */
  private budget = 0;
  /** How many records there are. */
  length = 0;
  /** How many of them stay as they are. */
  private pinned = 0;
  /** How much there is to tell in them, and in the last recipe's alone: the parts of arrays count. */
  size = 0;
  lastSize = 0;
  /** About how many bytes the core looks at to carry them out, and the last recipe's. */
  weight = 0;
  lastWeight = 0;
  /** The long strings of the last encoding, by the numbers that the core knows them by. */
  texts: string[] = [];

  constructor() {
    super(NONE);
  }

  /** A recipe begins, as one does anyway at the log's beginning and after a reader's new baseline. */
  begin(): void {
    const { records, length } = this;
    if (length > 0 && records[(length - 1) * PLACES] !== RECORD.ADVANCE) this.add(RECORD.BEGIN, ROOT, null, undefined, 0);
    this.last = this.length;
    if (this.gone.length > 0) this.gone = [];
    this.lastSize = 0;
    this.lastWeight = 0;
  }

  /** What the last recipe's records hold came from outside, and has so many bytes. */
  weigh(bytes: number): void {
    this.weight += bytes;
    this.lastWeight += bytes;
  }

  /** Sets a member, or without a key the value at the path. */
  set(path: Key[], key: Key | undefined, value: unknown, op: Operation = null): void {
    this.add(RECORD.SET, path, value, key, 0, op);
  }

  /** Deletes a member; `gone` is what was there, where that is known. */
  remove(path: Key[], key: Key, op: Operation = null, gone?: unknown): void {
    if (op !== null) this.gone.push(gone);
    this.add(RECORD.DELETE, path, null, key, 0, op);
  }

  splice(path: Key[], index: number, remove: number, insert: unknown[], op: Operation = null, gone: readonly unknown[] = NOTHING): void {
    if (op !== null) for (const one of gone) this.gone.push(one);
    this.add(RECORD.SPLICE, path, insert, index, remove, op);
  }

  permute(path: Key[], order: number[]): void {
    this.add(RECORD.PERMUTE, path, order, undefined, 0);
  }

  /** Adds to the end of a string, which is `copied` characters long then: where an earlier version holds it, the core copies all of it. */
  append(path: Key[], text: string, copied: number): void {
    this.add(RECORD.APPEND, path, text, undefined, copied, "str_ins");
    this.weigh(copied);
  }

  /** Adds to the last record, if that was an addition to the same string; a rewind can't undo it. */
  extend(path: Key[], text: string): boolean {
    const { records } = this;
    const at = records.length - PLACES;
    if (!this.isGrowth(at, path)) return false;
    records[at + 2] = (records[at + 2] as string) + text;
    return true;
  }

  /** Whether a record is an addition to the string at a path, and may be added to. */
  private isGrowth(at: number, path: Key[]): boolean {
    const { records } = this;
    if (records[at] !== RECORD.APPEND || at < this.pinned * PLACES) return false;
    const last = records[at + 1] as Key[];
    return last === path || (last.length === path.length && last.every((key, i) => key === path[i]));
  }

  /** States are known that the records so far lead to: those stay as they are. */
  pin(): void {
    this.pinned = this.length;
  }

  /** Makes the state as of here a reader's baseline. */
  advance(reader: number): void {
    const { records } = this;
    const at = records.length - PLACES;
    if (records[at] === RECORD.ADVANCE && records[at + 4] === reader) return;
    // Only the last baseline of a log matters: an earlier one is no more than where a recipe ended.
    const before = this.advances.get(reader);
    const isLater = before !== undefined && records[before] === RECORD.ADVANCE && records[before + 4] === reader;
    if (isLater) records[before] = RECORD.BEGIN;
    this.advances.set(reader, records.length);
    this.add(RECORD.ADVANCE, ROOT, null, undefined, reader);
    if (isLater) this.join();
  }

  /** Two additions to one string that no reader's baseline is between any more are one, however many tokens a stream has. */
  private join(): void {
    const { records } = this;
    let end = records.length - PLACES;
    while (end >= 0 && records[end] === RECORD.ADVANCE) end -= PLACES;
    if (end < 0 || records[end] !== RECORD.APPEND) return;
    let at = end - PLACES;
    while (at >= 0 && records[at] === RECORD.BEGIN) at -= PLACES;
    if (at < 0 || !this.isGrowth(at, records[end + 1] as Key[])) return;
    records[at + 2] = (records[at + 2] as string) + (records[end + 2] as string);
    this.weight -= records[end + 4] as number;
    // Once for each token: `splice` would make a list of what it takes out.
    records.copyWithin(at + PLACES, end + PLACES);
    for (let i = at; i < end; i++) records.pop();
    for (let i = at + PLACES; i < records.length; i += PLACES) this.advances.set(records[i + 4] as number, i);
    const count = (end - at) / PLACES;
    this.length -= count;
    this.size -= count;
    this.last = -1;
    this.lastSize = this.lastWeight = 0;
  }

  increment(path: Key[], by: number, op: Operation = null): void {
    this.add(RECORD.ADD, path, by, undefined, 0, op);
  }

  /** Forgets the records after `length`, which are the last recipe's. */
  rewind(length: number): void {
    if (length < this.length) this.weigh(-this.lastWeight);
    this.records.length = length * PLACES;
    this.length = length;
    this.measure();
    if (this.last >= length) this.last = -1;
  }

  /** The last recipe's records, if they are there and a patch tells each of them as it is. */
  lastRecipe(most: number): Recorded[] | null {
    const { records, last } = this;
    if (last < 0) return null;
    const recorded: Recorded[] = [];
    let gone = 0;
    for (let i = last * PLACES; i < records.length; i += PLACES) {
      if (records[i] === RECORD.ADVANCE) continue;
      const op = records[i + 2] instanceof Items && (records[i + 2] as Items).whole !== null ? "sift" : (records[i + 5] as Operation);
      if (op === null || recorded.length >= most) return null;
      const [path, value, key] = [records[i + 1] as Key[], records[i + 2], records[i + 3] as Key | undefined];
      if (op === "push" || op === "insert" || op === "arrive") {
        const items = value as unknown[];
        if (recorded.length + items.length > most) return null;
        for (let j = 0; j < items.length; j++) recorded.push({ op, path, key: (key as number) + j, value: items[j] });
      } else if (op === "take") {
        for (let count = records[i + 4] as number; count > 0; count--) recorded.push({ op, path, key, value: this.gone[gone++] });
      } else if (op === "remove") recorded.push({ op, path, key, value: this.gone[gone++] });
      else if (value instanceof Edited) recorded.push({ op, path, key, value: value.text, before: value.before });
      else recorded.push({ op, path, key, value });
    }
    return recorded;
  }

  /** The ways to what the last recipe's records change. */
  *lastPaths(): Iterable<Key[]> {
    for (let i = this.last * PLACES; i >= 0 && i < this.records.length; i += PLACES) yield this.records[i + 1] as Key[];
  }

  private add(kind: number, path: Key[], value: unknown, a: Key | undefined, b: number, op: Operation = null): void {
    this.records.push(kind, path, value, a, b, op);
    this.length++;
    const size = sizeOf(value);
    this.size += size;
    this.lastSize += size;
    if (typeof value === "object" && value !== null) this.weigh(weightOf(value));
  }

  /** After records were taken out. */
  private measure(): void {
    this.size = 0;
    for (let i = 2; i < this.records.length; i += PLACES) this.size += sizeOf(this.records[i]);
  }

  /** Forgets the first records: they are in the core now. */
  drop(count: number): void {
    // An empty map that is cleared is made anew.
    if (this.advances.size > 0) this.advances.clear();
    if (count === this.length) this.records = [];
    else this.records.splice(0, count * PLACES);
    this.length -= count;
    this.pinned = Math.max(this.pinned - count, 0);
    this.measure();
    // Of what is left, the last recipe's weight is known.
    if (this.length === 0) this.lastWeight = 0;
    this.weight = this.lastWeight;
    this.last = Math.max(this.last - count, -1);
    if (this.last < 0 && this.gone.length > 0) this.gone = [];
  }

  /** Forgets the key names that the last encoding introduced: the core refused it. */
  refused(): void {
    this.forget(this.known);
  }

  private forget(known: number): void {
    if (this.keys.size === known) return;
    for (const [key, number] of this.keys) if (number >= known) this.keys.delete(key);
  }

  /** Forgets that the core knows any key names: another one knows none. */
  forgetKeys(): void {
    this.keys.clear();
  }

  /** Writes the first records into the arena; returns how many bytes they are. */
  encode(count: number): number {
    this.at = 0;
    this.known = this.keys.size;
    this.texts = [];
    this.bytes = reserve(ROOM);
    if (this.keys.size > NAMED) {
      this.keys.clear();
      this.known = 0;
      this.byte(RECORD.FORGET);
    }
    try {
      for (let i = 0; i < count * PLACES; i += PLACES) this.record(i);
    } finally {
      // The core that they are in may be lost, and mustn't be kept by this.
      this.bytes = NONE;
    }
    return this.at;
  }

  private record(at: number): void {
    const { records } = this;
    const kind = records[at] as number;
    this.byte(kind);
    if (kind === RECORD.BEGIN) return;
    if (kind === RECORD.ADVANCE) return this.number(records[at + 4] as number);
    const path = records[at + 1] as Key[];
    const key = kind === RECORD.SET || kind === RECORD.DELETE ? (records[at + 3] as Key | undefined) : undefined;
    this.number(key === undefined ? path.length : path.length + 1);
    for (let i = 0; i < path.length; i++) this.step(path[i]!);
    if (key !== undefined) this.step(key);
    const value = records[at + 2];
    switch (kind) {
      case RECORD.SET:
        return this.value(value);
      case RECORD.SPLICE:
        this.number(records[at + 3] as number);
        this.number(records[at + 4] as number);
        return this.values(value as unknown[]);
      case RECORD.PERMUTE:
        this.number((value as number[]).length);
        for (const from of value as number[]) this.number(from);
        return;
      case RECORD.APPEND:
        this.text(value as string);
        return;
      case RECORD.ADD:
        this.double(value as number);
    }
  }

  private values(values: unknown[]): void {
    this.number(values.length);
    for (let i = 0; i < values.length; i++) this.value(values[i]);
  }

  private value(value: unknown): void {
    switch (typeof value) {
      case "number":
        this.byte(VALUE.NUMBER);
        return this.double(value);
      case "string": {
        const isNumbered = value.length >= LONG && this.texts.length < TEXTS;
        if (isNumbered) this.texts.push(value);
        this.byte(isNumbered ? VALUE.LONG : VALUE.TEXT);
        this.text(value);
        return;
      }
      case "boolean":
        return this.byte(value ? VALUE.TRUE : VALUE.FALSE);
      case "object":
        if (value === null) return this.byte(VALUE.NULL);
        if (value instanceof Ref) return this.reference(value);
        if (value instanceof Items) return this.items(value);
        if (value instanceof Composite) return this.members(value);
        if (value instanceof Edited) return this.edited(value);
        return this.whole(value);
    }
  }

  /** A container: member by member if it is small, which needs no text to be written, escaped, and parsed again. */
  private whole(value: object): void {
    const { at } = this;
    const { size } = this.keys;
    const { length } = this.texts;
    this.budget = MEMBERS;
    this.container(value);
    if (this.budget > 0) return;
    this.at = at;
    this.forget(size);
    this.texts.length = length;
    this.byte(VALUE.JSON);
    this.text(JSON.stringify(value));
  }

  private container(value: object): void {
    if (Array.isArray(value)) {
      // Of a list of numbers there is no text that would be smaller in the core.
      if (!(value.length > MEMBERS && value.every(isNumber)) && (this.budget -= value.length) <= 0) return;
      this.byte(VALUE.ARRAY);
      this.number(value.length);
      for (let i = 0; i < value.length; i++) this.member(value[i]);
      return;
    }
    const names = Object.keys(value);
    if ((this.budget -= names.length) <= 0) return;
    this.byte(VALUE.OBJECT);
    this.number(names.length);
    for (const name of names) {
      this.name(name);
      this.member((value as Record<string, unknown>)[name]);
    }
  }

  private member(value: unknown): void {
    if (typeof value === "object" && value !== null) {
      if (this.budget > 0) this.container(value);
    } else {
      this.value(value);
    }
  }

  private members({ names, values }: Composite): void {
    if (names === null) {
      this.byte(VALUE.ARRAY);
      return this.values(values);
    }
    this.byte(VALUE.OBJECT);
    this.number(names.length);
    for (let i = 0; i < names.length; i++) {
      this.name(names[i]!);
      this.value(values[i]);
    }
  }

  private reference({ home }: Ref): void {
    this.byte(VALUE.REFERENCE);
    this.path(home?.path() ?? []);
  }

  private items({ from, parts }: Items): void {
    this.byte(VALUE.GATHERED);
    this.path(from);
    this.number(parts.length);
    for (const part of parts) {
      if (part instanceof Run) {
        this.number(part.length);
        this.number(part.start);
      } else {
        this.number(0);
        this.value(part);
      }
    }
  }

  /** What the strings have in common at their ends crosses as how much that is. */
  private edited({ from, before, text }: Edited): void {
    const isLonger = text.length >= before.length && text.slice(0, before.length) === before;
    const head = isLonger ? before.length : sharedHead(before, text);
    const tail = isLonger ? 0 : sharedTail(before, text, head);
    if (head + tail < SHARED) return this.value(text);
    const isNumbered = this.texts.length < TEXTS;
    if (isNumbered) this.texts.push(text);
    this.byte(isNumbered ? VALUE.LONG_EDITED : VALUE.EDITED);
    this.path(from.path());
    this.number(before.length);
    this.number(head);
    this.number(tail);
    this.text(text.slice(head, text.length - tail));
  }

  private path(path: Key[]): void {
    this.number(path.length);
    for (let i = 0; i < path.length; i++) this.step(path[i]!);
  }

  private step(key: Key): void {
    if (typeof key === "number") this.number(key * 2 + 1);
    else this.name(key);
  }

  /** A name by its number, or a new one, which gets the next. */
  private name(name: string): void {
    const number = this.keys.get(name);
    if (number !== undefined) return this.number((number + 1) * 2);
    this.keys.set(name, this.keys.size);
    this.byte(0);
    this.text(name);
  }

  protected room(length: number): Uint8Array {
    return reserve(length);
  }
}

const sizeOf = (value: unknown): number => (value instanceof Items ? value.parts.length : 1);

/** What carrying out takes beside the new values in it: all items of an array that is gathered anew or put in another order are moved. */
function weightOf(value: unknown): number {
  if (value instanceof Edited) return value.text.length;
  if (Array.isArray(value)) return value.length * ITEM;
  if (!(value instanceof Items)) return 0;
  let items = 0;
  for (const part of value.parts) items += part instanceof Run ? part.length : 1;
  return items * ITEM;
}

const isNumber = (value: unknown): boolean => typeof value === "number";
