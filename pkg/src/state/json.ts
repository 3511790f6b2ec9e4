import { isContainer, put, type Key } from "./containers.js";
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
  [(value) => typeof value === "bigint", "a bigint isn't JSON: use Number() or String()"],
  [(value) => typeof value === "number", "NaN and infinities aren't JSON: use null"],
  [(value) => typeof value === "function", "a function isn't JSON"],
  [(value) => typeof value === "symbol", "a symbol isn't JSON"],
  [(value) => value === undefined, "undefined and holes in arrays aren't JSON: use null"],
  [(value) => isContainer(value) && isPlain(value), "the value contains itself"],
];

/** The refusal of a value that isn't JSON, with where it is and what to do. */
export function notJson(value: unknown, path: Key[]): PatchwireError {
  const hint = HINTS.find(([test]) => test(value))?.[1] ?? "an instance of a class isn't JSON: assign a plain object";
  return new PatchwireError("NOT_JSON", `${hint} (at '${pointerOf(path)}')`, { path: pointerOf(path) });
}

/** The refusal of a value that is nested too deeply; of its path the beginning is enough. */
export function tooDeep(path: Key[]): PatchwireError {
  return new PatchwireError("LIMIT_EXCEEDED", `the document is nested more than ${DEEPEST} levels deep`, { path: pointerOf(path.slice(0, 1)) });
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

/**
 * A private, frozen copy of a whole state; with `own`, the value itself, frozen. `depth` and `bytes` are bounds for when the
 * core must be asked about limits. Refuses what isn't JSON. O(its size).
 */
export function takeState(value: unknown, own: boolean): { state: unknown; depth: number; bytes: number } {
  const intake = new StateIntake(own);
  return { state: intake.take(value), depth: intake.depth, bytes: intake.bytes };
}

/** Refuses a value that isn't JSON; members that are undefined don't count. O(its size). */
export function checkJson(value: unknown): void {
  new StateIntake(false).take(value);
}

class StateIntake {
  depth = 0;
  bytes = 0;
  private readonly path: Key[] = [];
  private readonly ancestors: object[] = [];

  constructor(private readonly own: boolean) {}

  take(value: unknown): unknown {
    if (!isContainer(value)) return this.scalar(value);
    const { path, ancestors } = this;
    if (!isPlain(value) || ancestors.includes(value)) throw notJson(value, path);
    if (ancestors.length > DEEPEST) throw tooDeep(path);
    const symbol = Object.getOwnPropertySymbols(value)[0];
    if (symbol !== undefined) throw notJson(symbol, path);
    this.depth = Math.max(this.depth, ancestors.push(value));
    const target: object = this.own ? value : Array.isArray(value) ? new Array(value.length) : {};
    const at = path.length++;
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) this.member(target, (path[at] = i), value[i]);
    } else {
      for (const key of Object.keys(value)) {
        const item = (value as Record<string, unknown>)[key];
        this.bytes += key.length + 4;
        if (item !== undefined) this.member(target, (path[at] = key), item);
        else if (this.own) delete (value as Record<string, unknown>)[key];
      }
    }
    path.length = at;
    ancestors.pop();
    return Object.freeze(target);
  }

  private member(target: object, key: Key, item: unknown): void {
    const taken = this.take(item);
    if (!this.own) put(target, key, taken);
  }

  private scalar(value: unknown): unknown {
    if (typeof value === "string") this.bytes += value.length + 3;
    else if (typeof value === "boolean" || value === null || Number.isFinite(value)) this.bytes += 8;
    else throw notJson(value, this.path);
    return value;
  }
}
