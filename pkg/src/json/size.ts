import { isContainer } from "./containers.js";
import { isJsonContainer } from "./equality.js";
import { DEEPEST, tooDeep } from "./json.js";

// How long values are as JSON text and how deep they nest: exactly, at least, at most, and as the core weighs them.

/** What the operations of a patch have beside their pointers and values, with a comma. */
export const AROUND = { add: '{"op":"add","path":,"value":},'.length, replace: '{"op":"replace","path":,"value":},'.length, remove: '{"op":"remove","path":},'.length };

export const MOVE = '{"op":"move","from":,"path":},'.length;

/** No number has a longer text (src/text/number.rs). */
export const LONGEST_NUMBER = "-0.0000012345678901234567".length;

/** A string without anything that its text has otherwise. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Names are read sooner than a regular expression is run. */
const SHORT = 24;

function isUnescaped(text: string): boolean {
  if (text.length > SHORT) return PLAIN.test(text);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return false;
  }
  return true;
}

/** How many bytes the JSON text of a value has. O(its size). */
export function textLength(value: unknown): number {
  if (typeof value === "string" && isUnescaped(value)) return value.length + 2;
  return isNumber(value) ? numberLength(value) : bytesOf(JSON.stringify(value));
}

/** How many bytes the text of a number has that JSON has. */
function numberLength(value: number): number {
  if (value >= 0 && value < 10_000 && Number.isInteger(value)) return value < 10 ? 1 : value < 100 ? 2 : value < 1_000 ? 3 : 4;
  return String(value).length;
}

/** How many bytes the texts of values have, each of which is measured once; NaN of what isn't JSON, or nests too deeply. */
export class Lengths {
  private readonly known = new Map<object, number>();
  /** Whether an object has integers as names, which JavaScript puts first: the core may have its members in another order. */
  hasIntegers = false;

  constructor(private readonly deepest: number) {}

  of(value: unknown, depth = this.deepest): number {
    if (typeof value === "string") return textLength(value);
    if (typeof value === "number") return isNumber(value) ? numberLength(value) : NaN;
    if (!isContainer(value)) return value === null || value === true ? 4 : value === false ? 5 : NaN;
    let length = this.known.get(value);
    if (length === undefined) {
      length = depth === 0 || !isJsonContainer(value) ? NaN : Array.isArray(value) ? this.ofItems(value, depth - 1) : this.ofMembers(value as Record<string, unknown>, depth - 1);
      this.known.set(value, length);
    }
    return length;
  }

  private ofItems(items: unknown[], depth: number): number {
    let length = items.length === 0 ? 2 : items.length + 1;
    for (let i = 0; i < items.length; i++) length += this.of(items[i], depth);
    return length;
  }

  private ofMembers(members: Record<string, unknown>, depth: number): number {
    let length = 1;
    const names = Object.keys(members);
    this.hasIntegers ||= names.length > 1 && isDigit(names[0]!.charCodeAt(0));
    for (const name of names) if (members[name] !== undefined) length += this.of(name, depth) + 2 + this.of(members[name], depth);
    return Math.max(length, 2);
  }
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** How many bytes a string has in WTF-8. */
export function bytesOf(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // A pair has four bytes, and either half counts two.
    if (code > 0x7f) bytes += code > 0x7ff && !isPaired(text, i, code) ? 2 : 1;
  }
  return bytes;
}

function isPaired(text: string, at: number, code: number): boolean {
  if (code >= 0xd800 && code < 0xdc00) return (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
  return code >= 0xdc00 && code < 0xe000 && at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

/** How many bytes the JSON text of a string has at most. */
export function mostLength(text: string): number {
  return (isUnescaped(text) ? text.length : text.length * 6) + 2;
}

/** How many bytes the text of a scalar has at most. */
export function mostScalar(value: unknown): number {
  return typeof value === "string" ? mostLength(value) : typeof value === "number" && !Number.isInteger(value) ? LONGEST_NUMBER : String(value).length;
}

/** How many bytes the JSON text of a value has, or `most` if it has more: what is beyond isn't looked at. */
export function lengthTo(value: unknown, most: number, depth: number): number {
  if (typeof value === "string") return value.length + 2 >= most ? most : Math.min(textLength(value), most);
  if (typeof value === "number") return Math.min(textLength(value), most);
  if (!isContainer(value)) return Math.min(value === false ? 5 : 4, most);
  let length = 2;
  if (depth === 0) return Math.min(length, most);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && length < most; i++) length += (i === 0 ? 0 : 1) + lengthTo(value[i], most - length, depth - 1);
    return Math.min(length, most);
  }
  for (const name of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[name];
    if (item !== undefined) length += (length === 2 ? 1 : 2) + textLength(name) + lengthTo(item, most - length, depth - 1);
    if (length >= most) break;
  }
  return Math.min(length, most);
}

/** A lower bound of how many bytes the JSON text has; what is beyond `most` isn't looked at. */
export function leastLength(value: unknown, most: number, depth: number): number {
  if (typeof value === "string") return value.length + 2;
  if (!isContainer(value)) return 1;
  let length = 1;
  if (depth === 0) return length;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && length <= most; i++) length += 1 + leastLength(value[i], most - length, depth - 1);
    return length;
  }
  for (const name of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[name];
    if (item !== undefined) length += name.length + 4 + leastLength(item, most - length, depth - 1);
    if (length > most) break;
  }
  return length;
}

/**
 * Whether a value has a text of about so many bytes at most, nests no deeper, and is what reading that text gives: a Date, or -0, is
 * not. Where it isn't certain, it says no. O(`most`).
 */
export function isShort(value: unknown, most: number, depth: number): boolean {
  return restOf(value, most, depth) >= 0;
}

/** What is left of so many bytes when a value's text is taken from them; less than 0 where {@link isShort} says no. */
export function restOf(value: unknown, most: number, depth: number): number {
  if (typeof value === "string") return most - value.length - 2;
  if (typeof value === "number") return isNumber(value) ? most - 8 : -1;
  if (value === null || typeof value === "boolean") return most - 5;
  if (!isContainer(value) || depth === 0 || !isJsonContainer(value)) return -1;
  let rest = most - 2;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && rest >= 0; i++) rest = restOf(value[i], rest - 1, depth - 1);
    return rest;
  }
  const names = Object.keys(value);
  for (let i = 0; i < names.length && rest >= 0; i++) rest = restOf((value as Record<string, unknown>)[names[i]!], rest - names[i]!.length - 4, depth - 1);
  return rest;
}

/** Whether this is a number that JSON has: not -0, which it has as 0. */
export function isNumber(value: unknown): value is number {
  return Number.isFinite(value) && (value !== 0 || Object.is(value, 0));
}

/** Whether a value has no more containers around each other than so many. */
export function isNestedWithin(value: unknown, limit: number): boolean {
  if (!isContainer(value)) return true;
  if (limit <= 0) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isNestedWithin(value[i], limit - 1)) return false;
    return true;
  }
  for (const name of Object.keys(value)) if (!isNestedWithin((value as Record<string, unknown>)[name], limit - 1)) return false;
  return true;
}

/** What a value weighs in the core (`Node::weight` in src/node/mod.rs): about the bytes of its text, 8 for a number. O(its size). */
export function weightOf(value: unknown, deepest = DEEPEST): number {
  if (typeof value === "string") return bytesOf(value) + 2;
  if (typeof value === "number") return 8;
  if (!isContainer(value)) return 4;
  if (deepest === 0) throw tooDeep([]);
  let weight = 2;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) weight += weightOf(value[i], deepest - 1) + 1;
    return weight;
  }
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    if (item !== undefined) weight += bytesOf(key) + 4 + weightOf(item, deepest - 1);
  }
  return weight;
}
