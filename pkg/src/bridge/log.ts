import { Foreign, type Key, type Slot } from "../state/containers.js";
import { reserve } from "./core.js";
import { encodeInto } from "./wtf8.js";

/** Where a value that is taken along comes from: a place in the document, or what a record of the recipe removed. */
export type Source = { path: Key[]; record?: undefined } | { path: Key[]; record: number; item: number };

/** A value that is, or holds, values taken along. */
export class Taken {
  constructor(
    /** What is around them, with `null` in their places; `undefined` when the value is one itself. */
    readonly template: unknown,
    readonly parts: { path: Key[]; source: Source }[],
  ) {}
}

/** Containers with more members than this cross as text, and stay text in the core. */
const MEMBERS = 64;
/** Once so many names are known, containers cross as text: names may be data. */
const NAMED = 4096;

/** Strings from this length on are numbered, so that an answer needn't hold them: so many of a log. */
const LONG = 100;
const TEXTS = 64;

/** How many places a record takes in the list of records. */
const PLACES = 5;
/** Room for most logs. */
const ROOM = 1024;
const NONE: Uint8Array = new Uint8Array();
const ROOT: Key[] = [];

/** Eight bytes, as a number and one by one. */
export const doubleView = new DataView(new ArrayBuffer(8));
export const doubleBytes = new Uint8Array(doubleView.buffer);

/**
 * What recipes did, as the core's op log (src/log.rs). Recording keeps references; only when somebody asks for
 * what changed is the log encoded, at once.
 */
export class Log {
  /** Of each record: its kind, path, value, and two more that its kind needs. */
  private records: unknown[] = [];
  private readonly keys = new Map<string, number>();
  /** The arena's, while the log is being encoded. */
  private bytes = NONE;
  private at = 0;
  private known = 0;
  /** How many more members the container that is being encoded may have. */
  private budget = 0;
  /** How many records there are. */
  length = 0;
  /** The long strings of the last encoding, by the numbers that the core knows them by. */
  texts: string[] = [];

  begin(): void {
    this.add(0, ROOT, null, undefined, 0);
  }

  set(path: Key[], key: Key, value: Slot | Taken): void {
    this.add(1, path, value, key, 0);
  }

  remove(path: Key[], key: Key): void {
    this.add(2, path, null, key, 0);
  }

  splice(path: Key[], index: number, remove: number, insert: (Slot | Taken)[]): void {
    this.add(3, path, insert, index, remove);
  }

  permute(path: Key[], order: number[]): void {
    this.add(4, path, order, undefined, 0);
  }

  append(path: Key[], text: string): void {
    this.add(5, path, text, undefined, 0);
  }

  /** Adds to the last record, if that was an addition to the same string; a rewind can't undo it. */
  extend(path: Key[], text: string): boolean {
    const { records } = this;
    const at = records.length - PLACES;
    const last = records[at + 1] as Key[] | undefined;
    const isSame = records[at] === 5 && (last === path || (last!.length === path.length && last!.every((key, i) => key === path[i])));
    if (isSame) records[at + 2] = (records[at + 2] as string) + text;
    return isSame;
  }

  increment(path: Key[], by: number): void {
    this.add(6, path, by, undefined, 0);
  }

  /** Forgets the records after `length`. */
  rewind(length: number): void {
    this.records.length = length * PLACES;
    this.length = length;
  }

  private add(kind: number, path: Key[], value: unknown, a: Key | undefined, b: number): void {
    this.records.push(kind, path, value, a, b);
    this.length++;
  }

  /** Forgets the first records: they are in the core now. */
  drop(count: number): void {
    if (count === this.length) this.records = [];
    else this.records.splice(0, count * PLACES);
    this.length -= count;
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
    if (kind === 0) return this.byte(0);
    const value = records[at + 2];
    if (kind === 1) this.defineParts(value);
    if (kind === 3) for (const item of value as unknown[]) this.defineParts(item);
    this.head(kind, records[at + 1] as Key[], kind < 3 ? (records[at + 3] as Key) : undefined);
    switch (kind) {
      case 1:
        return this.value(value);
      case 3:
        this.number(records[at + 3] as number);
        this.number(records[at + 4] as number);
        this.number((value as unknown[]).length);
        for (const item of value as unknown[]) this.value(item);
        return;
      case 4:
        this.number((value as number[]).length);
        for (const from of value as number[]) this.number(from);
        return;
      case 5:
        return this.text(value as string);
      case 6:
        this.double(value as number);
    }
  }

  /** A record's kind and place. */
  private head(kind: number, path: Key[], last: Key | undefined): void {
    const { at } = this;
    this.byte(kind);
    if (this.path(path, last)) return;
    // Key names come before the record that first uses them.
    this.at = at;
    this.define(path);
    if (last !== undefined) this.define([last]);
    this.head(kind, path, last);
  }

  private define(path: Key[]): void {
    for (const key of path) {
      if (typeof key === "string" && !this.keys.has(key)) {
        this.keys.set(key, this.keys.size);
        this.byte(7);
        this.text(key);
      }
    }
  }

  private defineParts(value: unknown): void {
    if (!(value instanceof Taken)) return;
    for (const { path, source } of value.parts) {
      this.define(path);
      this.define(source.path);
    }
  }

  private value(value: unknown): void {
    switch (typeof value) {
      case "number":
        // What isn't finite stands for something that a later record overwrites.
        if (!Number.isFinite(value)) return this.byte(0);
        this.byte(3);
        return this.double(value);
      case "string": {
        const isNumbered = value.length >= LONG && this.texts.length < TEXTS;
        if (isNumbered) this.texts.push(value);
        this.byte(isNumbered ? 10 : 4);
        return this.text(value);
      }
      case "boolean":
        return this.byte(value ? 2 : 1);
      case "object":
        if (value === null) return this.byte(0);
        if (value instanceof Foreign) return this.byte(0);
        if (value instanceof Taken) return this.taken(value);
        return this.whole(value);
      default:
        return this.byte(0);
    }
  }

  /** A container: member by member if it is small, which needs no text to be written, escaped, and parsed again. */
  private whole(value: object): void {
    const { at } = this;
    const { size } = this.keys;
    const { length } = this.texts;
    this.budget = size < NAMED ? MEMBERS : 0;
    this.container(value);
    if (this.budget > 0) return;
    this.at = at;
    this.forget(size);
    this.texts.length = length;
    this.byte(5);
    this.text(JSON.stringify(value));
  }

  private container(value: object): void {
    if (Array.isArray(value)) {
      if ((this.budget -= value.length) <= 0) return;
      this.byte(9);
      this.number(value.length);
      for (let i = 0; i < value.length; i++) this.member(value[i]);
      return;
    }
    const names = Object.keys(value);
    if ((this.budget -= names.length) <= 0) return;
    this.byte(8);
    this.number(names.length);
    for (const name of names) {
      const number = this.keys.get(name);
      if (number === undefined) {
        this.keys.set(name, this.keys.size);
        this.byte(1);
        this.text(name);
      } else this.number(number * 2);
      this.member((value as Record<string, unknown>)[name]);
    }
  }

  private member(value: unknown): void {
    if (typeof value === "object" && value !== null && !(value instanceof Foreign)) {
      if (this.budget > 0) this.container(value);
    } else if (typeof value === "number" && !Number.isSafeInteger(value)) {
      // The core asks JavaScript to print such a number: then better once.
      this.budget = 0;
    } else {
      this.value(value);
    }
  }

  private taken({ template, parts }: Taken): void {
    if (template === undefined) {
      this.byte(6);
      return this.source(parts[0]!.source);
    }
    this.byte(7);
    this.text(JSON.stringify(template));
    this.number(parts.length);
    for (const { path, source } of parts) {
      this.path(path);
      this.source(source);
    }
  }

  private source(source: Source): void {
    if (source.record === undefined) {
      this.byte(0);
    } else {
      this.byte(1);
      this.number(source.record);
      this.number(source.item);
    }
    this.path(source.path);
  }

  /** A path, with one more key maybe; false where a name in it isn't known. */
  private path(path: Key[], last?: Key): boolean {
    this.number(last === undefined ? path.length : path.length + 1);
    for (let i = 0; i < path.length; i++) if (!this.key(path[i]!)) return false;
    return last === undefined || this.key(last);
  }

  private key(key: Key): boolean {
    const number = typeof key === "number" ? key * 2 + 1 : this.keys.get(key);
    if (number === undefined) return false;
    this.number(typeof key === "number" ? number : number * 2);
    return true;
  }

  private byte(byte: number): void {
    if (this.at === this.bytes.length) this.grow(1);
    this.bytes[this.at++] = byte;
  }

  private number(number: number): void {
    this.grow(5);
    while (number > 0x7f) {
      this.bytes[this.at++] = (number & 0x7f) | 0x80;
      number >>>= 7;
    }
    this.bytes[this.at++] = number;
  }

  private double(number: number): void {
    this.grow(8);
    doubleView.setFloat64(0, number, true);
    for (let i = 0; i < 8; i++) this.bytes[this.at++] = doubleBytes[i]!;
  }

  /** Short ASCII is faster without the encoder; a lone surrogate the encoder would lose. */
  private text(text: string): void {
    const { length } = text;
    this.grow(length * 3 + 5);
    if (length < 100) {
      const start = this.at + 1;
      let i = 0;
      for (; i < length; i++) {
        const code = text.charCodeAt(i);
        if (code > 0x7f) break;
        this.bytes[start + i] = code;
      }
      if (i === length) {
        this.bytes[this.at] = length;
        this.at = start + length;
        return;
      }
    }
    const start = this.at + 5;
    const written = encodeInto(text, this.bytes.subarray(start));
    for (let i = 0, rest = written; i < 5; i++, rest >>>= 7) this.bytes[this.at + i] = (rest & 0x7f) | (i < 4 ? 0x80 : 0);
    this.at = start + written;
  }

  private grow(room: number): void {
    const { length } = this.bytes;
    if (this.at + room > length) this.bytes = reserve(Math.max(length * 2, this.at + room));
  }
}
