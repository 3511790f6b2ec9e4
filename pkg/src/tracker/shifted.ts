import type { Recorded } from "../state/log.js";
import { isContainer, type Container, type Key } from "../json/containers.js";
import { isEqual } from "../json/equality.js";
import { DEEPEST, pointerOf } from "../json/json.js";
import { Ref } from "../state/payload.js";
import { AROUND, leastLength, MOVE, mostLength } from "../json/size.js";
import type { State } from "../state/state.js";
import { Exchanged } from "../state/told.js";
import type { JSONPatchOperation } from "../types.js";
import { isLong } from "./exchanged.js";
import { areAsLong } from "./telling.js";

// Records of arrays whose items have other indexes afterwards.

/** Of so many records one item's move is told beside the others. */
const FEW = 16;

/**
 * What is told where an item went elsewhere in its array or to another one, or two of an array changed places, and scalars of objects
 * were set beside that; null where it was anything else.
 */
export function moves(recorded: Recorded[], state: State, isExtended: boolean): JSONPatchOperation[] | null {
  if (recorded.length > FEW) return null;
  const [first, second] = recorded as [Recorded, Recorded];
  const isExchange = recorded.length === 2 && first.op instanceof Exchanged;
  const come = isExchange ? second : recorded.find(({ op }) => op === "arrive");
  const taken = isExchange ? first : recorded.find(({ op }) => op === "take");
  if (come === undefined || taken === undefined) return null;
  const moved = isExchange ? exchangedItems(first, second) : movedItem(taken, come);
  const isFar = taken.path !== come.path;
  // An item that comes before another is taken out of the same array would have another index.
  if (moved === null || (!isFar && recorded.indexOf(taken) > recorded.indexOf(come))) return null;
  // Among equal ones it may be that nothing has changed.
  const beside = isExchange ? (second.op as Exchanged).before : isFar ? undefined : itemAt(state, taken);
  if (isContainer(beside) && isEqual(isExchange ? (first.op as Exchanged).before : taken.value, beside, DEEPEST)) return null;
  const told: JSONPatchOperation[] = isFar ? [...moved] : [];
  for (const one of recorded) {
    if (one === come || one === taken) {
      if (!isFar && !told.includes(moved[0]!)) told.push(...moved);
      continue;
    }
    const { op, path, key, value } = one;
    const isSet = (op === "add" || op === "replace") && !isContainer(value) && [...path, key].every((step) => typeof step === "string");
    if (!isSet || (isExtended && op === "replace" && isLong(value))) return null;
    told.push({ op, path: pointerOf([...path, key!]), value });
  }
  let length = 0;
  // An array around the move may have other things in it, but not what is told beside it.
  for (const { from, path } of moved) length += MOVE + mostLength(from) + mostLength(path);
  return areAsLong(state, isFar ? common(taken.path, come.path) : taken.path, length) ? told : null;
}

/** What is now where an item was taken out. */
function itemAt(state: State, { path, key }: Recorded): unknown {
  return [...path, key!].reduce((at: unknown, step) => (isContainer(at) ? (at as Container)[step] : undefined), state.unread());
}

function common(a: readonly Key[], b: readonly Key[]): readonly Key[] {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

type Move = { op: "move"; from: string; path: string };

function movedItem(taken: Recorded, come: Recorded): Move[] | null {
  const [p, q] = [taken.key as number, come.key as number];
  if (!isFrom(come.value, taken.path, p)) return null;
  if (taken.path !== come.path) return isWithin(taken.path, come.path) || isWithin(come.path, taken.path) ? null : [moveOf(taken.path, p, come.path, q)];
  // Of two neighbours the second one moves.
  return [Math.abs(p - q) === 1 ? moveOf(taken.path, Math.max(p, q), taken.path, Math.min(p, q)) : moveOf(taken.path, p, taken.path, q)];
}

function exchangedItems(first: Recorded, second: Recorded): Move[] | null {
  const { path, key: p } = first;
  const { key: q } = second;
  if (path !== second.path || typeof p !== "number" || typeof q !== "number") return null;
  if (!(first.op instanceof Exchanged && second.op instanceof Exchanged) || !isFrom(second.value, path, p) || !isFrom(first.value, path, q)) return null;
  const [low, high] = p < q ? [p, q] : [q, p];
  // Short ones may be told as they are.
  const most = mostLength(`${pointerOf(path)}/${high}`) + MOVE - AROUND.replace;
  if ([first.op, second.op].some(({ before }) => leastLength(before, most, DEEPEST) < most)) return null;
  const moved = [moveOf(path, high, path, low)];
  // What is between the two moves if it is one item.
  if (high > low + 1) moved.push(high === low + 2 ? moveOf(path, high, path, low + 1) : moveOf(path, low + 1, path, high));
  return moved;
}

function moveOf(from: readonly Key[], index: number, to: readonly Key[], place: number): Move {
  return { op: "move", from: `${pointerOf(from)}/${index}`, path: `${pointerOf(to)}/${place}` };
}

/** Whether this is what was in an array at an index. */
function isFrom(value: unknown, path: readonly Key[], index: number): boolean {
  if (!(value instanceof Ref)) return false;
  const from = value.home?.path();
  return from?.length === path.length + 1 && from.at(-1) === index && path.every((key, i) => key === from[i]);
}

/** So many arrays with items that have other indexes now are looked at. */
const SHIFTED = 16;

/**
 * The records, those that shift an array's items in the order of their indexes; `shifted` gets the paths of such arrays. Null where anything
 * else is done to one, or two things at one place: what came may be what was there, edited.
 */
export function inOrder(recorded: Recorded[], shifted: Set<readonly Key[]>): Recorded[] | null {
  for (const { op, path } of recorded) if (op === "insert" || op === "take") shifted.add(path);
  if (shifted.size === 0) return recorded;
  if (shifted.size > SHIFTED) return null;
  const ordered = recorded.slice();
  for (const path of shifted) {
    const from = ordered.findIndex((one) => one.path === path);
    let to = from + 1;
    while (ordered[to]?.path === path) to++;
    if (ordered.some((one, i) => (i < from || i >= to ? isWithin(one.path, path) : one.op !== "push" && one.op !== "insert" && one.op !== "take"))) return null;
    const group = ordered.slice(from, to);
    if (group.every((one, i) => i === 0 || follows(group[i - 1]!, one))) continue;
    const [first, second] = group as [Recorded, Recorded];
    // What was done first has another index when it is done last.
    const last = { ...first, key: (first.key as number) + (second.op === "take" ? -1 : 1) };
    const isBefore = (second.key as number) < (first.key as number) + (first.op === "push" ? 0 : 1);
    if (group.length > 2 || !isBefore || !follows(second, last)) return null;
    ordered.splice(from, 2, second, last);
  }
  return ordered;
}

/** Whether one of an array's records comes after another in it, and if one takes an item out and the other puts one in, not at its place. */
function follows(one: Recorded, next: Recorded): boolean {
  const between = (next.key as number) - (one.key as number);
  // What comes in behind something that came to the end is at the end, too.
  if (one.op === "push") return next.op === "push";
  if (one.op === "take") return between > (next.op === "take" ? -1 : 0);
  return between > (next.op === "take" ? 1 : 0);
}

/** Whether a path leads to a place, or through it. */
export function isWithin(path: readonly Key[], place: readonly Key[]): boolean {
  return path.length >= place.length && place.every((key, i) => key === path[i]);
}
