import { isObject, ownOf } from "../json/containers.js";
import { checkJson, DEEPEST, isPlain, pointerOf } from "../json/json.js";
import { isShort } from "../json/size.js";
import type { JSONPatchOperation } from "../types.js";

// What branches of a graph's state have otherwise than the state that they started from, by reference.

export type Members = Record<string, unknown>;

/** In a longer or deeper value the core looks for what is over its limits. */
const LARGE = 1 << 22;
const DEEP = 256;

/** Whether this is just what JSON would give back, as far as can be told without looking twice. */
export const isPlainJson = (value: unknown): boolean => isShort(value, Infinity, DEEPEST);

/** Whether it is that, and within all limits. */
export const isWithinLimits = (value: unknown): boolean => isShort(value, LARGE, DEEP);

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
  for (let i = 0; i < before.length; i++) if (typeof before[i] !== "object" && !isWithinLimits(before[i])) return undefined;
  return isWithinLimits(added) ? [...before, ...added] : undefined;
}

/** What a branch has otherwise than by reference: the core makes the branch of it, which then shares the base's values. */
export function difference(base: object, branch: object): JSONPatchOperation[] {
  const operations: JSONPatchOperation[] = [];
  tell(operations, "", base, branch);
  if (!operations.every((operation) => !("value" in operation) || isPlainJson(operation.value))) checkJson(branch);
  return operations;
}

function tell(operations: JSONPatchOperation[], path: string, before: unknown, after: unknown): void {
  if (Object.is(before, after)) return;
  if (Array.isArray(before) && isAppendedTo(before, after)) {
    for (let i = before.length; i < after.length; i++) operations.push({ op: "add", path: `${path}/-`, value: after[i] });
  } else if (isObject(before) && isObject(after) && isPlain(after)) {
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
