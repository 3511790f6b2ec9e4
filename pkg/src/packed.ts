import { put } from "./containers.js";
import type { JSONPatchOperation } from "./types.js";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const NONE: Uint8Array = new Uint8Array();
const NO_TEXTS: readonly string[] = [];
const OPS = ["add", "remove", "replace", "move", "copy", "test", "str_ins", "inc"] as const;

/** Longer strings are made anew: short ones are names and paths, which mostly come again. */
const SHORT = 24;
const RECENT = 256;

const double = new DataView(new ArrayBuffer(8));
const doubleBytes = new Uint8Array(double.buffer);

/** Reads patches as the core packs them (src/patch/pack.rs). */
class PackedReader {
  private bytes = NONE;
  private at = 0;
  private texts = NO_TEXTS;
  /** Short strings that were read lately, by a hash of theirs. */
  private readonly recent = new Array<string>(RECENT).fill("");

  read(bytes: Uint8Array, texts: readonly string[]): JSONPatchOperation[] {
    this.bytes = bytes;
    this.texts = texts;
    this.at = 0;
    const count = this.number();
    const operations = new Array<JSONPatchOperation>(count);
    for (let i = 0; i < count; i++) operations[i] = this.operation();
    // The core that they are in may be lost, and mustn't be kept by this.
    this.bytes = NONE;
    this.texts = NO_TEXTS;
    return operations;
  }

  private operation(): JSONPatchOperation {
    const op = OPS[this.byte()]!;
    const path = this.text();
    switch (op) {
      case "remove":
        return { op, path };
      case "move":
      case "copy":
        return { op, from: path, path: this.text() };
      case "str_ins":
        return { op, path, pos: this.number(), str: this.text() };
      case "inc":
        return { op, path, inc: this.double() };
      default:
        return { op, path, value: this.value() };
    }
  }

  private value(): unknown {
    switch (this.byte()) {
      case 1:
        return false;
      case 2:
        return true;
      case 3:
        return this.double();
      case 4:
      case 5:
        return this.text();
      case 6:
        return this.texts[this.number()];
      case 8: {
        const object = {};
        for (let count = this.number(); count > 0; count--) put(object, this.text(), this.value());
        return object;
      }
      case 9: {
        const count = this.number();
        const array = new Array<unknown>(count);
        for (let i = 0; i < count; i++) array[i] = this.value();
        return array;
      }
      default:
        return null;
    }
  }

  private byte(): number {
    return this.bytes[this.at++]!;
  }

  private number(): number {
    const { bytes } = this;
    let byte = bytes[this.at++]!;
    if (byte < 0x80) return byte;
    let number = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[this.at++]!;
      number |= (byte & 0x7f) << shift;
    }
    return number >>> 0;
  }

  private double(): number {
    const { bytes, at } = this;
    for (let i = 0; i < 8; i++) doubleBytes[i] = bytes[at + i]!;
    this.at = at + 8;
    return double.getFloat64(0, true);
  }

  /** A string, or what its JSON text says. */
  private text(): string {
    const head = this.number();
    const start = this.at;
    const end = (this.at = start + (head >>> 1));
    if ((head & 1) === 1) return JSON.parse(this.decoded(start, end)) as string;
    return end - start > SHORT ? this.decoded(start, end) : this.short(start, end);
  }

  private decoded(start: number, end: number): string {
    return decoder.decode(this.bytes.subarray(start, end));
  }

  private short(start: number, end: number): string {
    const { bytes, recent } = this;
    let hash = end - start;
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + bytes[i]!) | 0;
    const slot = (hash ^ (hash >>> 8)) & (RECENT - 1);
    const known = recent[slot]!;
    if (known.length === end - start) {
      let at = start;
      while (at < end && known.charCodeAt(at - start) === bytes[at]) at++;
      if (at === end) return known;
    }
    const text = this.decoded(start, end);
    // Beyond ASCII two strings may have the same bytes and characters.
    if (text.length === end - start) recent[slot] = text;
    return text;
  }
}

const reader = new PackedReader();

/** The operations of a packed patch; `texts` are the long strings of the last log. O(its length). */
export function readPatch(bytes: Uint8Array, texts: readonly string[]): JSONPatchOperation[] {
  return reader.read(bytes, texts);
}
