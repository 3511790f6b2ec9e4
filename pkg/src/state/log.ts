import { isContainer, type Key } from "../json/containers.js";
import { Edited, Items, Composite, Ref, Run } from "./payload.js";
import type { Exchanged, SpliceOp, Step } from "./told.js";
import { RECORD, VALUE } from "../bridge/boundary.js";
import { reserve } from "../bridge/core.js";
import { sharedHead, sharedTail } from "../json/common-ends.js";
import { Writer } from "../bridge/writer.js";

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
  path: readonly Key[];
  key: Key | undefined;
  /** Of a removal what was there, if that is known. */
  value: unknown;
  /** The string that a long one took the place of. */
  before?: string;
}

const NONE: Uint8Array = new Uint8Array();
const ROOT: readonly Key[] = [];
const NOTHING: readonly unknown[] = [];

/** What a record says: what was done to the container or the scalar at its path, or that a recipe begins, or a reader's new baseline. */
type Entry =
  | Step
  | { kind: "append"; text: string; copied: number }
  | { kind: "add"; by: number; op: "inc" | null }
  | { kind: "begin" }
  | { kind: "advance"; reader: number };

const BEGIN: Entry = { kind: "begin" };

/**
 * What recipes did, as the core's op log (src/log/). Recording keeps references; only when somebody asks for
 * what changed is the log encoded, at once.
 */
export class Log extends Writer {
  /** Of each record what it says, and the path of what it says it of. */
  private entries: Entry[] = [];
  private paths: (readonly Key[])[] = [];
  private readonly keys = new Map<string, number>();
  /** Where each reader's last new baseline was recorded, if that record is still there. */
  private readonly advances = new Map<number, number>();
  private known = 0;
  /** Where the last recipe's records begin, if they are there. */
  last = -1;
  /** How many more members the container that is being encoded may have. */
  private budget = 0;
  /** Whether the last recipe's records may hold something that it took out. */
  private hasGone = false;
  /** How many of the records stay as they are. */
  private pinned = 0;
  /** The number of records, each part of a gathered array counted; and of the last recipe alone. */
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

  /** How many records there are. */
  get length(): number {
    return this.entries.length;
  }

  /** A recipe begins, as one does anyway at the log's beginning and after a reader's new baseline. */
  begin(): void {
    const { entries } = this;
    if (entries.length > 0 && entries[entries.length - 1]!.kind !== "advance") this.add(ROOT, BEGIN);
    if (this.hasGone) this.forgetGone();
    this.last = entries.length;
    this.lastSize = 0;
    this.lastWeight = 0;
  }

  /** What the last recipe took out is told of it alone, and not kept alive by what it is told with. */
  private forgetGone(): void {
    this.hasGone = false;
    for (let i = Math.max(this.last, 0); i < this.entries.length; i++) {
      const entry = this.entries[i]!;
      if (entry.kind === "delete") entry.gone = undefined;
      else if (entry.kind === "splice") entry.gone = NOTHING;
    }
  }

  /** What the last recipe's records hold came from outside, and has so many bytes. */
  weigh(bytes: number): void {
    this.weight += bytes;
    this.lastWeight += bytes;
  }

  /** What was done to the container at a path, which isn't changed any more. */
  tell(path: readonly Key[], step: Step): void {
    // Its kind is read once: objects of so many shapes are looked up each time.
    switch (step.kind) {
      case "set":
      case "rewrite": {
        const { value } = step;
        this.add(path, step, sizeOf(value));
        if (isContainer(value)) this.weigh(weightOf(value));
        return;
      }
      case "splice":
        this.hasGone = true;
        this.add(path, step);
        return this.weigh(step.values.length * ITEM);
      case "permute":
        this.add(path, step);
        return this.weigh(step.order.length * ITEM);
      case "delete":
        this.hasGone = true;
        this.add(path, step);
    }
  }

  /** Adds to the end of a string, which is `copied` characters long then: where an earlier version holds it, the core copies all of it. */
  append(path: readonly Key[], text: string, copied: number): void {
    this.add(path, { kind: "append", text, copied });
    this.weigh(copied);
  }

  /** Adds to the last record, if that was an addition to the same string; a rewind can't undo it. */
  extend(path: readonly Key[], text: string): boolean {
    const growth = this.growthAt(this.length - 1, path);
    if (growth === null) return false;
    growth.text += text;
    return true;
  }

  /** The addition to the string at a path that a record is, if it is one, and may be added to. */
  private growthAt(at: number, path: readonly Key[]): Extract<Entry, { kind: "append" }> | null {
    const entry = this.entries[at];
    if (entry?.kind !== "append" || at < this.pinned) return null;
    const last = this.paths[at]!;
    return last === path || (last.length === path.length && last.every((key, i) => key === path[i])) ? entry : null;
  }

  /** States are known that the records so far lead to: those stay as they are. */
  pin(): void {
    this.pinned = this.length;
  }

  /** Makes the state as of here a reader's baseline. */
  advance(reader: number): void {
    const { entries } = this;
    if (isAdvance(entries[entries.length - 1], reader)) return;
    // Only the last baseline of a log matters: an earlier one is no more than where a recipe ended.
    const before = this.advances.get(reader);
    const isLater = before !== undefined && isAdvance(entries[before], reader);
    if (isLater) entries[before] = BEGIN;
    this.advances.set(reader, entries.length);
    this.add(ROOT, { kind: "advance", reader });
    if (isLater) this.join();
  }

  /** Two additions to one string that no reader's baseline is between any more are one, however many tokens a stream has. */
  private join(): void {
    const { entries, paths } = this;
    let end = entries.length - 1;
    while (end >= 0 && entries[end]!.kind === "advance") end--;
    const joined = entries[end];
    if (joined?.kind !== "append") return;
    let at = end - 1;
    while (at >= 0 && entries[at]!.kind === "begin") at--;
    const growth = this.growthAt(at, paths[end]!);
    if (growth === null) return;
    growth.text += joined.text;
    this.weight -= joined.copied;
    const count = end - at;
    // Once for each token: `splice` would make a list of what it takes out.
    entries.copyWithin(at + 1, end + 1);
    for (let i = 0; i < count; i++) {
      entries.pop();
      // What is left at the end are baselines, which have no path.
      paths.pop();
    }
    for (let i = at + 1; i < entries.length; i++) {
      const entry = entries[i]!;
      paths[i] = ROOT;
      if (entry.kind === "advance") this.advances.set(entry.reader, i);
    }
    this.size -= count;
    this.last = -1;
    this.lastSize = this.lastWeight = 0;
  }

  increment(path: readonly Key[], by: number, op: "inc" | null = null): void {
    this.add(path, { kind: "add", by, op });
  }

  /** Forgets the records after `length`, which are the last recipe's. */
  rewind(length: number): void {
    if (length < this.length) this.weigh(-this.lastWeight);
    this.discount(length, this.length);
    this.entries.length = this.paths.length = length;
    if (this.last >= length) this.last = -1;
  }

  /** The last recipe's records, if they are there and a patch tells each of them as it is. */
  lastRecipe(most: number): Recorded[] | null {
    const { entries, paths, last } = this;
    if (last < 0) return null;
    const recorded: Recorded[] = [];
    for (let i = last; i < entries.length; i++) {
      const [entry, path] = [entries[i]!, paths[i]!];
      if (entry.kind === "advance") continue;
      if (entry.kind === "begin" || entry.kind === "permute" || recorded.length >= most) return null;
      if (entry.kind === "splice") {
        const { op, index, remove, values, gone } = entry;
        const [isTake, count] = op === "take" ? [true, remove] : [false, values.length];
        if (op === null || recorded.length + count > most) return null;
        for (let j = 0; j < count; j++) recorded.push({ op, path, key: isTake ? index : index + j, value: isTake ? gone[j] : values[j] });
      } else if (entry.kind === "append") recorded.push({ op: "str_ins", path, key: undefined, value: entry.text });
      else if (entry.op === null && !isSift(entry)) return null;
      else if (entry.kind === "add") recorded.push({ op: entry.op, path, key: undefined, value: entry.by });
      else if (entry.kind === "delete") recorded.push({ op: entry.op, path, key: entry.key, value: entry.gone });
      else recorded.push(recordedOf(entry, path));
    }
    return recorded;
  }

  /** The ways to what the last recipe's records change. */
  *lastPaths(): Iterable<readonly Key[]> {
    if (this.last < 0) return;
    for (let i = this.last; i < this.entries.length; i++) yield this.entries[i]!.kind === "rewrite" ? this.paths[i]!.slice(0, -1) : this.paths[i]!;
  }

  private add(path: readonly Key[], entry: Entry, size = 1): void {
    this.entries.push(entry);
    this.paths.push(path);
    this.size += size;
    this.lastSize += size;
  }

  /** Before records are taken out. */
  private discount(from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const entry = this.entries[i]!;
      this.size -= entry.kind === "set" || entry.kind === "rewrite" ? sizeOf(entry.value) : 1;
    }
  }

  /** Forgets the first records: they are in the core now. */
  drop(count: number): void {
    // An empty map that is cleared is made anew.
    if (this.advances.size > 0) this.advances.clear();
    if (count === this.length) [this.entries, this.paths, this.size] = [[], [], 0];
    else {
      this.discount(0, count);
      this.entries.splice(0, count);
      this.paths.splice(0, count);
    }
    this.pinned = Math.max(this.pinned - count, 0);
    // Of what is left, the last recipe's weight is known.
    if (this.length === 0) this.lastWeight = 0;
    this.weight = this.lastWeight;
    this.last = Math.max(this.last - count, -1);
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
      for (let i = 0; i < count; i++) this.record(this.paths[i]!, this.entries[i]!);
    } finally {
      // The core that they are in may be lost, and mustn't be kept by this.
      this.bytes = NONE;
    }
    return this.at;
  }

  private record(path: readonly Key[], entry: Entry): void {
    switch (entry.kind) {
      case "begin":
        return this.byte(RECORD.BEGIN);
      case "advance":
        this.byte(RECORD.ADVANCE);
        return this.number(entry.reader);
      case "set":
      case "rewrite":
        this.byte(RECORD.SET);
        this.path(path, entry.kind === "set" ? entry.key : undefined);
        return this.value(entry.value);
      case "delete":
        this.byte(RECORD.DELETE);
        return this.path(path, entry.key);
      case "splice":
        this.byte(RECORD.SPLICE);
        this.path(path);
        this.number(entry.index);
        this.number(entry.remove);
        return this.values(entry.values);
      case "permute":
        this.byte(RECORD.PERMUTE);
        this.path(path);
        this.number(entry.order.length);
        for (const from of entry.order) this.number(from);
        return;
      case "append":
        this.byte(RECORD.APPEND);
        this.path(path);
        this.text(entry.text);
        return;
      case "add":
        this.byte(RECORD.ADD);
        this.path(path);
        return this.double(entry.by);
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
      if (!(value.length > MEMBERS && value.every((item) => typeof item === "number")) && (this.budget -= value.length) <= 0) return;
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
    if (isContainer(value)) {
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

  /** A path, and a step beyond its end if there is one. */
  private path(path: readonly Key[], key?: Key): void {
    this.number(key === undefined ? path.length : path.length + 1);
    for (let i = 0; i < path.length; i++) this.step(path[i]!);
    if (key !== undefined) this.step(key);
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

type Assignment = Extract<Entry, { kind: "set" | "rewrite" }>;

const isAdvance = (entry: Entry | undefined, reader: number): boolean => entry?.kind === "advance" && entry.reader === reader;

/** Whether it keeps some of an array's items in their order, and nothing else. */
const isSift = (entry: Entry): boolean => (entry.kind === "set" || entry.kind === "rewrite") && entry.value instanceof Items && entry.value.whole !== null;

function recordedOf(entry: Assignment, path: readonly Key[]): Recorded {
  const [place, key] = entry.kind === "set" ? [path, entry.key] : [path.slice(0, -1), path.at(-1)];
  if (isSift(entry)) return { op: "sift", path: place, key, value: entry.value };
  const { op, value } = entry;
  return value instanceof Edited ? { op, path: place, key, value: value.text, before: value.before } : { op, path: place, key, value };
}

/** How much a record tells that sets this value: the parts of arrays count. */
const sizeOf = (value: unknown): number => (value instanceof Items ? value.parts.length : 1);

/** What carrying out takes beside the new values in it: all items of an array that is gathered anew are moved. */
function weightOf(value: object): number {
  if (value instanceof Edited) return value.text.length;
  if (Array.isArray(value)) return value.length * ITEM;
  if (!(value instanceof Items)) return 0;
  let items = 0;
  for (const part of value.parts) items += part instanceof Run ? part.length : 1;
  return items * ITEM;
}
