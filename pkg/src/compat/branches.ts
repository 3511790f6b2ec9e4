import { isContainer } from "../state/containers.js";
import { checkJson, DEEPEST, isPlain, pointerOf } from "../state/json.js";
import type { JSONPatchOperation } from "../types.js";

// What branches of a graph's state have otherwise than the state that they started from, by reference.

export type Members = Record<string, unknown>;

/** In a longer or deeper value the core looks for what is over its limits. */
const LARGE = 1 << 22;
const DEEP = 256;

export function isMembers(value: unknown): value is Members {
  return isContainer(value) && !Array.isArray(value);
}

/** A member, unless it is inherited. */
export function ownOf(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Members)[key] : undefined;
}

/** What branches have in a member's place, of those that don't have the base's there by reference. */
export function othersThan<N extends string>(base: unknown, name: N, branches: readonly Record<N, unknown>[]): unknown[] {
  const others: unknown[] = [];
  for (let i = 0; i < branches.length; i++) if (branches[i]![name] !== base) others.push(branches[i]![name]);
  return others;
}

/** A member that some branch doesn't have by the same reference as the base, and what those branches have there, in their order. */
export interface Changed {
  key: string;
  before: unknown;
  values: unknown[];
}

/** What branches changed: the base's members in its order, then new ones. */
export function changedIn(base: Members, branches: readonly Members[]): Changed[] {
  const keys = Object.keys(base);
  const befores = Object.values(base);
  const count = keys.length;
  const known: (Changed | undefined)[] = new Array(count);
  const added = new Map<string, Changed>();
  for (let at = 0; at < branches.length; at++) {
    const branch = branches[at]!;
    const own = Object.keys(branch);
    const held = Object.values(branch);
    // A copy has its members in the base's order: to look each up by its name would take several times as long.
    let i = 0;
    for (; i < count && own[i] === keys[i]; i++) if (held[i] !== befores[i]) note(known, i, keys[i]!, befores[i], held[i]);
    for (let j = i; j < count; j++) note(known, j, keys[j]!, befores[j], ownOf(branch, keys[j]!));
    for (let j = i; j < own.length; j++) {
      const key = own[j]!;
      if (Object.hasOwn(base, key)) continue;
      const one = added.get(key);
      if (one === undefined) added.set(key, { key, before: undefined, values: [held[j]] });
      else one.values.push(held[j]);
    }
  }
  const changed: Changed[] = [];
  for (let i = 0; i < count; i++) if (known[i] !== undefined) changed.push(known[i]!);
  added.forEach((one) => changed.push(one));
  return changed;
}

function note(changed: (Changed | undefined)[], at: number, key: string, before: unknown, value: unknown): void {
  if (Object.is(value, before)) return;
  const one = changed[at];
  if (one === undefined) changed[at] = { key, before, values: [value] };
  else one.values.push(value);
}

/** Whether a value is a list with all of another one's items before its own. */
function isAppendedTo(before: readonly unknown[], value: unknown): value is unknown[] {
  if (!Array.isArray(value) || value.length < before.length) return false;
  for (let i = 0; i < before.length; i++) if (before[i] !== value[i] && !Object.is(before[i], value[i])) return false;
  return true;
}

/** A list with all that branches appended to it; undefined where one did something else, or appended what isn't short. */
export function appendedTo(before: readonly unknown[], values: readonly unknown[]): unknown[] | undefined {
  const added: unknown[] = [];
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (!isAppendedTo(before, value)) return undefined;
    for (let i = before.length; i < value.length; i++) added.push(value[i]);
  }
  // Objects that all have by the same reference are what they were.
  for (let i = 0; i < before.length; i++) if (typeof before[i] !== "object" && !isShort(before[i])) return undefined;
  return isShort(added) ? [...before, ...added] : undefined;
}

/** What a branch has otherwise than by reference: the core makes the branch of it, which then shares the base's values. */
export function difference(base: object, branch: object): JSONPatchOperation[] {
  const operations: JSONPatchOperation[] = [];
  tell(operations, "", base, branch);
  if (!operations.every((operation) => !("value" in operation) || isPlainJson(operation.value, 0))) checkJson(branch);
  return operations;
}

function tell(operations: JSONPatchOperation[], path: string, before: unknown, after: unknown): void {
  if (Object.is(before, after)) return;
  if (Array.isArray(before) && isAppendedTo(before, after)) {
    for (let i = before.length; i < after.length; i++) operations.push({ op: "add", path: `${path}/-`, value: after[i] });
  } else if (isMembers(before) && isMembers(after) && isPlain(after)) {
    for (const key of Object.keys(before)) {
      if (before[key] !== undefined && (!Object.hasOwn(after, key) || after[key] === undefined)) operations.push({ op: "remove", path: path + pointerOf([key]) });
    }
    for (const key of Object.keys(after)) {
      const place = path + pointerOf([key]);
      if (Object.hasOwn(before, key) && before[key] !== undefined) {
        if (after[key] !== undefined) tell(operations, place, before[key], after[key]);
      } else if (after[key] !== undefined) operations.push({ op: "add", path: place, value: after[key] });
    }
  } else {
    operations.push({ op: "replace", path, value: after });
  }
}

/** Whether this is JSON, as far as can be told without looking twice. */
export function isPlainJson(value: unknown, depth: number): boolean {
  return lengthOf(value, depth) < Infinity;
}

/** Whether this is JSON that is within all limits. */
export function isShort(value: unknown): boolean {
  return lengthOf(value, DEEPEST - DEEP) < LARGE;
}

/** Whether this is a number that JSON has: not -0, which it has as 0. */
export function isNumber(value: unknown): value is number {
  return Number.isFinite(value) && (value !== 0 || Object.is(value, 0));
}

/** How many characters a value has, about; infinitely many where it isn't plainly JSON, as which -0 would be 0. */
function lengthOf(value: unknown, depth: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return isNumber(value) || typeof value === "boolean" || value === null ? 8 : Infinity;
  if (depth > DEEPEST || !isPlain(value) || Object.getOwnPropertySymbols(value).length > 0) return Infinity;
  let length = 2;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) length += lengthOf(value[i], depth + 1);
  } else {
    const keys = Object.keys(value);
    const held: unknown[] = Object.values(value);
    for (let i = 0; i < keys.length; i++) length += keys[i]!.length + lengthOf(held[i], depth + 1);
  }
  return length;
}
