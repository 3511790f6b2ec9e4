import { put, thawed } from "../json/containers.js";
import { segmentsOf, toldAt } from "../json/pointer.js";
import { OPERATION, PATH, VALUE } from "./boundary.js";
import { doubleBytes, doubleView } from "./writer.js";
import type { JSONPatchOperation } from "../types.js";

const NONE: Uint8Array = new Uint8Array();
const NO_TEXTS: readonly string[] = [];

/** Longer strings are made anew: short ones are names and paths, which mostly come again. */
const SHORT = 24;
/** Short strings that were read lately, by a hash of theirs. */
const recent = new Array<string>(256).fill("");

const newDecoder = (): TextDecoder => new TextDecoder("utf-8", { ignoreBOM: true });
let decoder = newDecoder();
/** How much it has decoded: Safari's fail after 2 GB, as wasm-bindgen's glue knows too. */
let bytesDecoded = 0;

/** What is being read, from where on. */
let bytes = NONE;
let at = 0;
let texts = NO_TEXTS;
let state: unknown = undefined;
/** The last pointer that was there in full, and what is before its last segment. */
let latest = "";
let around: string | null = null;

/**
 * The operations of a patch as the core packs it (src/patch/pack.rs); `known` are the long strings of the last log, `present` is the state
 * that it leads to, if the core was told that it is here. O(its length, and what it takes of the state).
 */
export function readPatch(packed: Uint8Array, known: readonly string[], present: unknown): JSONPatchOperation[] {
  [bytes, at, texts, state] = [packed, 0, known, present];
  try {
    return list(operation);
  } finally {
    // The core that they are in may be lost, and mustn't be kept by this.
    [bytes, texts, state] = [NONE, NO_TEXTS, undefined];
  }
}

function list<T>(item: () => T): T[] {
  const count = number();
  const items = new Array<T>(count);
  for (let i = 0; i < count; i++) items[i] = item();
  return items;
}

function operation(): JSONPatchOperation {
  const kind = bytes[at++];
  const path = pointer();
  switch (kind) {
    case OPERATION.ADD:
      return { op: "add", path, value: value(path) };
    case OPERATION.REMOVE:
      return { op: "remove", path };
    case OPERATION.MOVE:
      return { op: "move", from: path, path: pointer() };
    case OPERATION.COPY:
      return { op: "copy", from: path, path: pointer() };
    case OPERATION.TEST:
      return { op: "test", path, value: value(path) };
    case OPERATION.STR_INS:
      return { op: "str_ins", path, pos: number(), str: text() };
    case OPERATION.INC:
      return { op: "inc", path, inc: double() };
    default:
      return { op: "replace", path, value: value(path) };
  }
}

function pointer(): string {
  if (bytes[at] !== PATH.BESIDE) {
    latest = text();
    around = null;
    return latest;
  }
  at++;
  around ??= latest.slice(0, latest.lastIndexOf("/") + 1);
  return around + number();
}

/** A value; one that is put somewhere may be what is at that pointer in the state. */
function value(path = ""): unknown {
  switch (bytes[at++]) {
    case VALUE.FALSE:
      return false;
    case VALUE.TRUE:
      return true;
    case VALUE.NUMBER:
      return double();
    case VALUE.TEXT:
    case VALUE.JSON:
      return text();
    case VALUE.LONG:
      return texts[number()];
    case VALUE.PRESENT:
      return thawed(toldAt(state, segmentsOf(path)));
    case VALUE.OBJECT: {
      const object = {};
      for (let count = number(); count > 0; count--) put(object, text(), value());
      return object;
    }
    case VALUE.ARRAY:
      return list(value);
    default:
      return null;
  }
}

/** The next number of the answer that is being read (LEB128). */
function number(): number {
  let number = 0;
  for (let shift = 0; ; shift += 7) {
    const next = bytes[at++]!;
    number |= (next & 0x7f) << shift;
    if (next < 0x80) return number >>> 0;
  }
}

function double(): number {
  for (let i = 0; i < 8; i++) doubleBytes[i] = bytes[at++]!;
  return doubleView.getFloat64(0, true);
}

/** A string, or what its JSON text says. */
function text(): string {
  const head = number();
  const start = at;
  at += head >>> 1;
  if ((head & 1) === 0 && at - start <= SHORT) return short(start, at);
  const text = decode(start, at);
  return (head & 1) === 0 ? text : (JSON.parse(text) as string);
}

const decode = (start: number, end: number): string => decoded(bytes.subarray(start, end));

/** The string of a text in UTF-8. */
export function decoded(text: Uint8Array): string {
  bytesDecoded += text.length;
  if (bytesDecoded > 2 ** 30) [decoder, bytesDecoded] = [newDecoder(), 0];
  return decoder.decode(text);
}

function short(start: number, end: number): string {
  const length = end - start;
  let hash = length;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + bytes[i]!) | 0;
  const slot = (hash ^ (hash >>> 8)) & 255;
  const known = recent[slot]!;
  if (known.length === length) {
    let i = 0;
    while (i < length && known.charCodeAt(i) === bytes[start + i]) i++;
    if (i === length) return known;
  }
  const text = decode(start, end);
  // Only ASCII is kept: there each byte is a character.
  if (text.length === length) recent[slot] = text;
  return text;
}
