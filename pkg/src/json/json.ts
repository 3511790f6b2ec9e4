import { isContainer, itemsOf, put, type Key } from "./containers.js";
import { copyOf, copyOfNew } from "./copies.js";
import { PatchwireError } from "../errors.js";

/** Deeper than any allowed document, so that a cycle is noticed; the core checks the real limit. */
export const DEEPEST = 2_000;

/** Whether a container is an array or a plain object, as JSON has them; what it holds is another question. */
export function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

const HINTS: [(value: unknown) => boolean, string][] = [
  [(value) => value instanceof Date, "a Date isn't JSON: call .toISOString()"],
  [(value) => value instanceof Map, "a Map isn't JSON: use Object.fromEntries()"],
  [(value) => value instanceof Set, "a Set isn't JSON: spread it into an array"],
  [(value) => value instanceof Error, "an Error isn't JSON: use String(error)"],
  [(value) => value instanceof ArrayBuffer || ArrayBuffer.isView(value), "bytes aren't JSON: give them as text, in base64 for example"],
  [(value) => typeof value === "bigint", "a bigint isn't JSON: use Number() or String()"],
  [(value) => typeof value === "number", "NaN and infinities aren't JSON: use null"],
  [(value) => typeof value === "function", "a function isn't JSON"],
  [(value) => typeof value === "symbol", "a symbol isn't JSON"],
  [(value) => value === undefined, "undefined and holes in arrays aren't JSON: use null"],
  [(value) => isContainer(value) && isPlain(value), "the value contains itself"],
  [(value) => "then" in (value as object), "a promise isn't JSON: await it first"],
  [(value) => "getState" in (value as object), "what has a state isn't JSON: give what its getState() returns, or its getStepWrites()"],
  [(value) => "toJSON" in (value as object), "an instance of a class isn't JSON: give what its toJSON() returns"],
];

/** Whether an object has members that are named by symbols, of those that a copy would have: JSON has none. */
export function hasSymbols(value: object): boolean {
  const symbols = Object.getOwnPropertySymbols(value);
  return symbols.length > 0 && symbols.some((symbol) => Object.prototype.propertyIsEnumerable.call(value, symbol));
}

export function notJsonAt(why: string, pointer: string): PatchwireError {
  return new PatchwireError("NOT_JSON", `${why} (at '${pointer}')`, { path: pointer });
}

export function symbolNotJson(pointer: string): PatchwireError {
  return notJsonAt("a member that is named by a symbol isn't JSON: give a plain copy without it", pointer);
}

/** The refusal of a value that isn't JSON, with where it is and what to do. */
export function notJson(value: unknown, path: Key[]): PatchwireError {
  const isAll = value === undefined && path.length === 0;
  const hint = isAll ? "undefined isn't JSON: is an argument missing?" : HINTS.find(([test]) => test(value))?.[1] ?? "an instance of a class isn't JSON: assign a plain object";
  return notJsonAt(hint, pointerOf(path));
}

export const beginsWithHole = (array: readonly unknown[]): boolean => array.length > 0 && !(0 in array);

/** Refuses an array that is long in name only before its items are counted or copied: memory and time may not suffice for that. */
export function refuseHoles(array: readonly unknown[], path: Key[]): void {
  if (beginsWithHole(array)) throw notJson(undefined, [...path, 0]);
}

/** The refusal of a value that is nested too deeply; of its path the beginning is enough. */
export function tooDeep(path: Key[]): PatchwireError {
  return new PatchwireError("LIMIT_EXCEEDED", `the document is nested more than ${DEEPEST} levels deep`, { path: pointerOf(path.slice(0, 1)) });
}

/** The refusal of a value at which the stack has ended, which may have room for more levels in another process. */
export function tooDeepForStack(path: Key[]): PatchwireError {
  const levels = path.length;
  return new PatchwireError("LIMIT_EXCEEDED", `the stack ends at ${levels} levels of nesting: nest less, or give the process a larger stack (node --stack-size)`, { path: pointerOf(path.slice(0, 1)) });
}

/** The refusal of a document that is over its limit; the beginning of the path says where it was found out. */
export function tooLarge(path: Key[] = []): PatchwireError {
  return new PatchwireError("LIMIT_EXCEEDED", "the document is over the size limit (limits.document)", path.length === 0 ? {} : { path: pointerOf(path.slice(0, 1)) });
}

/** A path as a JSON Pointer (RFC 6901). */
export function pointerOf(path: readonly Key[]): string {
  let pointer = "";
  for (let i = 0; i < path.length; i++) pointer += `/${segment(path[i]!)}`;
  return pointer;
}

function segment(key: Key): Key {
  // Most names have nothing to escape, which a search finds out sooner than a replacement.
  if (typeof key === "number" || (!key.includes("~") && !key.includes("/"))) return key;
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Bounds of a state, for when the core must be asked about limits. */
export interface Intake {
  depth: number;
  bytes: number;
  /** Characters of the longest string or name. */
  longest: number;
}

/** Large states that were published, which are frozen and stay JSON for ever, as they were measured. */
const published = new WeakMap<object, Intake>();

/** Remembers what is known of a state that is published. */
export function remember(state: unknown, measure: Intake): void {
  if (isContainer(state) && !published.has(state)) published.set(state, measure);
}

/**
 * A private, frozen copy of a whole state; with `own`, the value itself, frozen. Refuses what isn't JSON, and what surely has more than
 * `most` bytes as text: a value that holds another many times over would never be taken to its end. O(its size). A state that was published
 * is taken as it is.
 */
export function takeState(value: unknown, own: boolean, most = Infinity): { state: unknown } & Intake {
  const known = isContainer(value) ? published.get(value) : undefined;
  if (known !== undefined) return { state: value, ...known };
  const intake = new StateIntake(own ? "own" : "copy", [], most);
  return { state: intake.take(value), depth: intake.depth, bytes: intake.bytes, longest: intake.longest };
}

/** Refuses a value that isn't JSON; members that are undefined don't count. O(its size). */
export function checkJson(value: unknown, path: Key[] = []): void {
  new StateIntake("look", path).take(value);
}

/** The text of a value, which is refused where it isn't JSON. O(its size). */
export function jsonOf(value: unknown, path: Key[] = []): string {
  checkJson(value, path);
  return JSON.stringify(value);
}

/** A container in which members can be set and deleted: the given one, or a copy of one in which they can't. */
function changeable(container: object): object {
  return Object.isSealed(container) ? copyOf(container) : container;
}

export class StateIntake implements Intake {
  depth = 0;
  bytes = 0;
  longest = 0;
  /** How many bytes its text has at least. */
  private least = 0;
  private readonly ancestors: object[] = [];

  /** Whether the value itself is frozen, or a copy is made, or neither. */
  constructor(
    private readonly way: "own" | "copy" | "look",
    private readonly path: Key[] = [],
    private readonly most = Infinity,
  ) {}

  take(value: unknown): unknown {
    if (!isContainer(value)) return this.scalar(value);
    const { path, ancestors } = this;
    if (!isPlain(value) || ancestors.includes(value)) throw notJson(value, path);
    if (ancestors.length > DEEPEST) throw tooDeep(path);
    if (hasSymbols(value)) throw symbolNotJson(pointerOf(path));
    this.depth = Math.max(this.depth, ancestors.push(value));
    this.bytes += 3;
    this.least += 2;
    if (this.least > this.most) throw tooLarge(path);
    if (Array.isArray(value)) refuseHoles(value, path);
    const at = path.push("") - 1;
    let target: object;
    if (Array.isArray(value)) {
      target = this.way === "copy" ? new Array(value.length) : value;
      for (let i = 0; i < value.length; i++) target = this.item(target, (path[at] = i), value[i]);
    } else {
      const names = Object.keys(value);
      target = this.way === "copy" ? copyOfNew(value, names) : value;
      // Of what is copied the copy is read, which nobody else can change.
      const read = target as Record<string, unknown>;
      for (let i = 0; i < names.length; i++) {
        const key = names[i]!;
        const item = read[key];
        this.bytes += key.length + 4;
        if (item !== undefined) this.least += key.length + 3;
        if (key.length > this.longest) this.longest = key.length;
        if (item !== undefined) target = this.member(target, (path[at] = key), item);
        else if (this.way !== "look") {
          target = changeable(target);
          delete (target as Record<string, unknown>)[key];
        }
      }
    }
    path.pop();
    ancestors.pop();
    return this.way === "look" ? value : Object.freeze(target);
  }

  /** Takes an item over: the copy of an array is empty at first. */
  private item(target: object, index: number, item: unknown): object {
    if (this.way !== "copy") return this.member(target, index, item);
    itemsOf(target)[index] = this.take(item);
    return target;
  }

  /** Takes over a member that `target` has. Answers what it is a member of then: `target`, or a copy of it. */
  private member(target: object, key: Key, item: unknown): object {
    const taken = this.take(item);
    if (this.way === "look" || Object.is(taken, item)) return target;
    const open = changeable(target);
    put(open, key, taken);
    return open;
  }

  private scalar(value: unknown): unknown {
    this.least++;
    if (typeof value === "string") {
      this.bytes += value.length + 3;
      this.least += value.length;
      if (value.length > this.longest) this.longest = value.length;
    } else if (typeof value === "boolean" || value === null || Number.isFinite(value)) this.bytes += 8;
    else throw notJson(value, this.path);
    // JSON has no -0.
    return value === 0 ? 0 : value;
  }
}
