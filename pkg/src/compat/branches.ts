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

/**
 * The members that some branch doesn't have by the same reference as the base: the base's in its order, then new ones; with
 * what those branches have there, in their order.
 */
export function changedIn(base: unknown, branches: readonly unknown[]): [key: string, values: unknown[]][] {
  const changed: [string, unknown[]][] = [];
  if (!isMembers(base) || branches.length === 0) return changed;
  const [keys, values] = [Object.keys(base), Object.values(base)];
  const all = branches.filter(isMembers).map((branch) => ({ branch, own: Object.keys(branch), held: Object.values(branch) }));
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    let others: unknown[] | undefined;
    for (const { branch, own, held } of all) {
      // A copy has its members in the base's order: to look each up by its name would take several times as long.
      const value = own[i] === key ? held[i] : ownOf(branch, key);
      if (!Object.is(value, values[i])) (others ??= []).push(value);
    }
    if (others !== undefined) changed.push([key, others]);
  }
  const added = new Map<string, unknown[]>();
  for (const { own, held } of all) {
    for (let i = 0; i < own.length; i++) {
      const key = own[i]!;
      if (key === keys[i] || Object.hasOwn(base, key)) continue;
      const others = added.get(key);
      if (others !== undefined) others.push(held[i]);
      else {
        added.set(key, [held[i]]);
        changed.push([key, added.get(key)!]);
      }
    }
  }
  return changed;
}

/** Whether a value is a list with all of another one's items before its own. */
export function isAppendedTo(before: readonly unknown[], value: unknown): value is unknown[] {
  return Array.isArray(value) && before.every((item, i) => i < value.length && Object.is(item, value[i]));
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

/** How many characters a value has, about; infinitely many where it isn't plainly JSON, as which -0 would be 0. */
function lengthOf(value: unknown, depth: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value === "object" && value !== null) {
    if (depth > DEEPEST || !isPlain(value) || Object.getOwnPropertySymbols(value).length > 0) return Infinity;
    let length = 2;
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) length += lengthOf(value[i], depth + 1);
    } else {
      for (const key of Object.keys(value)) length += key.length + lengthOf((value as Members)[key], depth + 1);
    }
    return length;
  }
  return typeof value === "boolean" || value === null || (Number.isFinite(value) && !Object.is(value, -0)) ? 8 : Infinity;
}
