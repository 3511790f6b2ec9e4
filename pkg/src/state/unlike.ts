import { AROUND, textLength } from "./size.js";

/** The text, with a comma, of the shortest operation that takes an item away, and of that which puts a scalar there (src/diff/matching.rs). */
const REMOVAL = '{"op":"remove","path":"/0"},'.length;
const ARRIVAL = '{"op":"add","path":"/0","value":0},'.length;
/** The text of a number at most, and of an item that is told in about as many bytes where it comes from elsewhere as where it is new. */
const NUMBER = "-0.0000012345678901234567".length;
const SHORT = 48;

/**
 * Whether these are lists of numbers and strings, of which so few are in both that the second has less text than what would be told of
 * its items: then a patch tells it as a whole. O(their length).
 */
export function areUnlike(a: object, b: object): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return false;
  for (let i = 0; i < a.length; i++) if (mostLength(a[i]) >= SHORT) return false;
  const there = new Set<unknown>(a);
  let come = 0;
  for (let i = 0; i < b.length; i++) if (!there.has(b[i])) come++;
  const told = come * ARRIVAL + Math.max(0, a.length - b.length) * REMOVAL - AROUND.replace - 2;
  // Most are without a number being printed.
  return isWithin(b, told, mostLength) || isWithin(b, told, lengthOf);
}

/** Whether the list has less text. */
function isWithin(list: readonly unknown[], most: number, length: (item: unknown) => number): boolean {
  let rest = most - 1;
  for (let i = 0; i < list.length && rest > 0; i++) rest -= 1 + length(list[i]);
  return rest > 0;
}

/** How much text a number or a string has; Infinity for what is neither. */
function lengthOf(item: unknown): number {
  if (typeof item === "number") return Number.isFinite(item) ? String(item).length : Infinity;
  return typeof item === "string" ? textLength(item) : Infinity;
}

/** The same, or more where that saves printing a number. */
function mostLength(item: unknown): number {
  return Number.isFinite(item) ? NUMBER : lengthOf(item);
}
