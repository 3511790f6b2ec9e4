import type { Recorded } from "../bridge/log.js";
import { isContainer, thawed, type Container, type Key } from "../state/containers.js";
import { DEEPEST, pointerOf } from "../state/json.js";
import { Ref, Run, type Items } from "../state/payload.js";
import { AROUND, leastLength, MOVE, mostLength } from "../state/size.js";
import { areNamesakes } from "../state/same.js";
import type { State } from "../state/state.js";
import { Exchanged } from "../state/told.js";
import { areUnlike } from "../state/unlike.js";
import { Unread } from "../state/unread.js";
import type { JSONPatchOperation } from "../types.js";
import type { TrackedOptions } from "./core-side.js";
import { areOthers, differing, isLong, WHOLE } from "./exchanged.js";

/** So many pairs of what is gone and what came are looked at. */
const PAIRS = 256;

/**
 * The patch of one change, where what was recorded is the patch: `d.n = 2` is `[{ op: "replace", path: "/n", value: 2 }]`. Null where
 * the core might say something else, as it does where items moved or less text tells the whole array. The log can cross later
 * then, many changes at once. `state` is as it is afterwards. `tests/node/tracking/simple-patch-laws.test.ts` compares this with
 * the core's own answer.
 */
export function simplePatch(recorded: Recorded[], state: State, isExtended: boolean, options: TrackedOptions, most: number): JSONPatchOperation[] | null {
  if (options.byKey || options.counters.length > 0 || options.texts.length > 0) return null;
  if (!options.precise && recorded.some((one) => isInArray(one, options.append))) return null;
  return recorded.length === 1 ? ofOne(recorded[0]!, state, isExtended, options, most) : ofSeveral(recorded, state, isExtended, options, most);
}

/** Whether it changes an array that is to be told as a whole. */
function isInArray({ op, path, key }: Recorded, tellsPushes: boolean): boolean {
  return path.some(isIndex) || op === "sift" || (op === "push" ? !tellsPushes : typeof key === "number");
}

function ofOne(one: Recorded, state: State, isExtended: boolean, options: TrackedOptions, most: number): JSONPatchOperation[] | null {
  const { op, path, key, value, before } = one;
  if (op === "sift") return state.isWhole ? removals(one, new Arrays(state), most) : null;
  if (op === "str_ins" || op === "inc") return added(one, state, isExtended);
  if (op === "arrive") return null;
  if (op === "take") return ofSeveral([one], state, isExtended, options, most);
  if (op instanceof Exchanged) return exchanged(op.before, [...path, key!], state, isExtended, options, most);
  const operation = operationOf(one, pointerOf(path));
  if (!isExtended || !mayHaveGrown(one)) return [operation];
  if (before === undefined) return null;
  const text = value as string;
  return text.startsWith(before) ? [{ op: "str_ins", path: operation.path, pos: before.length, str: text.slice(before.length) }] : [operation];
}

function ofSeveral(recorded: Recorded[], state: State, isExtended: boolean, options: TrackedOptions, most: number): JSONPatchOperation[] | null {
  if (recorded.length === 2 && recorded[0]!.path === recorded[1]!.path) {
    const moved = moves(recorded[0]!, recorded[1]!, new Arrays(state));
    if (moved !== null) return moved;
  }
  const arrays = new Arrays(state);
  const operations: JSONPatchOperation[] = [];
  let place = "";
  let above: Key[] | null = null;
  const gone: unknown[] = [];
  const came: unknown[] = [];
  let [pushes, sets] = [false, false];
  let lists = 0;
  /** Objects that took the place of others, of which what is in them has been told. */
  const others: Key[][] = [];
  const shifted = new Set<Key[]>();
  const ordered = inOrder(recorded, shifted);
  if (ordered === null) return null;
  for (const one of ordered) {
    const { op, path, key, value } = one;
    const shifts = shifted.has(path);
    const isPush = op === "push" && !shifts;
    const isItem = typeof key === "number" && op !== "push" && !shifts;
    pushes ||= isPush;
    sets ||= isItem;
    if (path !== above) {
      // What came to an array's end is told before what was done to its items.
      const way: Key[] = isPush || isItem || shifts ? [...path, isPush ? -1 : key!] : path;
      if (!arrays.enter(above ?? [], way)) return null;
      place = pointerOf(path);
      above = way;
    }
    if (key === undefined || op === "sift" || op === "arrive" || op === null || others.some((other) => isWithin(path, other)) || (isExtended && mayHaveGrown(one))) return null;
    if (op instanceof Exchanged) {
      const inside = arrays.areNone ? exchanged(op.before, [...path, key!], state, isExtended, options, most) : null;
      if (inside === null) return null;
      others.push([...path, key!]);
      lists += Array.isArray(op.before) ? 1 : 0;
      operations.push(...inside);
      for (const operation of inside) {
        if ("value" in operation) came.push(operation.value);
        else gone.push(undefined);
      }
      continue;
    }
    if (op === "remove" || op === "take") gone.push(value);
    else if (isContainer(value) || op !== "replace") came.push(value);
    const operation = operationOf(one, place);
    operations.push(operation);
    if (operation.op === "remove") arrays.remove(operation.path);
    else arrays.add(operation.path, value);
  }
  if (operations.length > most) return null;
  // What came may be from a list that is gone, and what is gone in a list that came.
  if (lists > 0 && (came.length > 1 || gone.length > 0)) return null;
  // What came may be an item that gave way to another one.
  if (sets && (pushes || (gone.length > 0 && came.length > 0))) return null;
  return !haveMoved(gone, came) && arrays.areShort() ? operations : null;
}

/** What is told of two records of an array, where an item went elsewhere in it, or two changed places; null where it was anything else. */
function moves(first: Recorded, second: Recorded, arrays: Arrays): JSONPatchOperation[] | null {
  const { path } = first;
  const [p, q] = [first.key, second.key];
  if (typeof p !== "number" || typeof q !== "number" || !isFrom(second.value, path, p)) return null;
  const place = pointerOf(path);
  const operations: JSONPatchOperation[] = [];
  const [low, high] = p < q ? [p, q] : [q, p];
  const move = (from: number, to: number): unknown => operations.push({ op: "move", from: `${place}/${from}`, path: `${place}/${to}` });
  if (first.op === "take" && second.op === "arrive") {
    // Of two neighbours the second one moves.
    if (high === low + 1) move(high, low);
    else move(p, q);
  } else if (first.op instanceof Exchanged && second.op instanceof Exchanged && isFrom(first.value, path, q)) {
    move(high, low);
    // What is between the two moves if it is one item.
    if (high === low + 2) move(high, low + 1);
    else if (high > low + 2) move(low + 1, high);
    // Short ones may be told as they are.
    const most = mostLength(`${place}/${high}`) + MOVE - AROUND.replace;
    if ([first.op, second.op].some(({ before }) => leastLength(before, most, DEEPEST) < most)) return null;
  } else return null;
  if (!arrays.enter([], [...path, 0])) return null;
  for (const { from, path } of operations as { from: string; path: string }[]) arrays.take(MOVE + mostLength(from) + mostLength(path));
  return arrays.areShort() ? operations : null;
}

/** Whether this is what was in an array at an index. */
function isFrom(value: unknown, path: Key[], index: number): boolean {
  if (!(value instanceof Ref)) return false;
  const from = value.home?.path();
  return from?.length === path.length + 1 && from.at(-1) === index && path.every((key, i) => key === from[i]);
}

/** So many arrays with items that have other indexes now are looked at. */
const SHIFTED = 16;

/**
 * The records with those that shift an array's items, of whose paths the set is, in the order of their indexes. Null where anything else is
 * done to such an array, or two things at one place: what came may be what was there, edited.
 */
function inOrder(recorded: Recorded[], shifted: Set<Key[]>): Recorded[] | null {
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
function isWithin(path: Key[], place: Key[]): boolean {
  return path.length >= place.length && place.every((key, i) => key === path[i]);
}

/** What is told of it in the container at a place. */
function operationOf({ op, key, value }: Recorded, place: string): JSONPatchOperation {
  if (op === "remove" || op === "take") return { op: "remove", path: place + pointerOf([key!]) };
  if (op === "insert") return { op: "add", path: place + pointerOf([key!]), value: thawed(value) };
  if (op === "push") return { op: "add", path: `${place}/-`, value: thawed(value) };
  return { op: op as "add" | "replace", path: key === undefined ? place : place + pointerOf([key]), value: thawed(value) };
}

/** Whether it is a string that the extended dialect tells as its growth, if it has grown. */
function mayHaveGrown({ op, value }: Recorded): boolean {
  return op === "replace" && isLong(value);
}

/** Whether something that came may be one that is gone, which was moved then, and maybe edited on its way (src/moves/pairs.rs). */
function haveMoved(gone: readonly unknown[], came: readonly unknown[]): boolean {
  if (gone.length * came.length > PAIRS) return true;
  return gone.some((one) => came.some((other) => mayBeOne(one, other)));
}

function mayBeOne(gone: unknown, came: unknown): boolean {
  if (!isContainer(came) || !isContainer(gone)) return gone === undefined || gone === came;
  // What hasn't been read is one of these, too.
  return gone instanceof Unread || Array.isArray(gone) || Array.isArray(came) || areNamesakes(gone as Container, came as Container);
}

/** What is told of a string or a number that was added to. */
function added({ op, path, value }: Recorded, state: State, isExtended: boolean): JSONPatchOperation[] | null {
  const pointer = pointerOf(path);
  if (isExtended && op === "inc") return [{ op, path: pointer, inc: value as number }];
  let length = state.growth(pointer)?.length;
  if (length === undefined || !isExtended) {
    let now = state.unread();
    if (!state.isWhole) return null;
    for (const key of path) now = (now as Container)[key];
    if (!isExtended) return [{ op: "replace", path: pointer, value: now }];
    length = (now as string).length;
  }
  return [{ op: "str_ins", path: pointer, pos: length - (value as string).length, str: value as string }];
}

/** What is told of a container that took the place of another one. */
function exchanged(before: object, place: Key[], state: State, isExtended: boolean, options: TrackedOptions, most: number): JSONPatchOperation[] | null {
  if (!options.precise || !state.isWhole) return null;
  let after = state.unread() as object;
  for (const key of place) after = (after as Container)[key] as object;
  const path = pointerOf(place);
  const members = areUnlike({ before, after }, isExtended) || areOthers(before, after, isExtended) ? WHOLE : differing(before, after, isExtended);
  if (members === null) return null;
  if (members === WHOLE) return [{ op: "replace", path, value: thawed(after) }];
  const operations = members.map((operation) => ({ ...operation, path: path + operation.path }));
  if (operations.length === 1) return operations;
  const arrays = new Arrays(state);
  if (operations.length > most || !arrays.enter([], place)) return null;
  for (const operation of operations) {
    if (operation.op === "remove") arrays.remove(operation.path);
    else arrays.add(operation.path, operation.value);
  }
  return arrays.areShort() ? operations : null;
}

/** What took out of an array the items that it doesn't have any more. */
function removals({ path, key, value }: Recorded, arrays: Arrays, most: number): JSONPatchOperation[] | null {
  const place = key === undefined ? path : [...path, key];
  const { from, parts, whole } = value as Items;
  if (from.length !== place.length || !from.every((step, i) => step === place[i]) || !arrays.enter([], [...place, 0])) return null;
  const operations: JSONPatchOperation[] = [];
  const pointer = `${pointerOf(place)}/`;
  const around = AROUND.remove + mostLength(pointer);
  let [at, seen] = [0, 0];
  for (const { start, length } of [...(parts as Run[]), new Run(whole!, 0)]) {
    if (start < seen || operations.length + start - seen > most) return null;
    const path = `${pointer}${at}`;
    arrays.take((around + path.length - pointer.length) * (start - seen));
    for (; seen < start; seen++) operations.push({ op: "remove", path });
    at += length;
    seen += length;
  }
  return arrays.areShort() ? operations : null;
}

/**
 * The arrays around the operations that are told: one that has less text than those has to be told as a whole, and which
 * that are is for the core to say.
 */
export class Arrays {
  /** What is open: how much there had been told before, in how many operations, and where in `path` each array is. */
  private readonly open: { array: unknown; depth: number; before: number; operations: number }[] = [];
  /** How much is told at most. */
  private length = 0;
  /** In how many operations; those that remove something count as two, because even one is told as a whole where that is shorter. */
  private operations = 0;

  constructor(private readonly state: State) {}

  /** Goes on to what is changed next. False where that isn't behind what was changed before, or some array is too short. */
  enter(from: Key[], path: Key[]): boolean {
    let common = 0;
    while (common < from.length && from[common] === path[common]) common++;
    const [was, is] = [from[common], path[common]];
    if (typeof was === "number" && typeof is === "number" && is < was) return false;
    // An item that was set twice is told once.
    const isAgain = common > 0 && common === path.length && common === from.length && path[common - 1] !== -1;
    if (isAgain || (is === undefined && common < from.length) || !this.leave(common + 1)) return false;
    const last = this.open.at(-1);
    let at = last === undefined ? this.state.unread() : last.array;
    for (let depth = last === undefined ? 0 : last.depth; depth < path.length; depth++) {
      if (Array.isArray(at) && depth !== last?.depth) this.open.push({ array: at, depth, before: this.length, operations: this.operations });
      at = this.state.slots(at as object)?.get(path[depth] as number) ?? (at as Container)[path[depth]!];
    }
    return true;
  }

  add(path: string, value: unknown): void {
    // Long strings needn't be looked through where nothing is held against them.
    if (this.open.length === 0) return;
    this.operations++;
    this.length += AROUND.replace + mostLength(path);
    // A container came: whatever its length is, it is that much longer in the array too.
    if (isContainer(value)) this.length += leastLength(value, Infinity, DEEPEST);
    else this.length += typeof value === "string" ? mostLength(value) : String(value).length;
  }

  remove(path: string): void {
    this.take(AROUND.remove + mostLength(path));
  }

  /** Operations of so many bytes that remove something, if any. */
  take(length: number): void {
    this.operations += 2;
    this.length += length;
  }

  /** Whether none is around what is changed now. */
  get areNone(): boolean {
    return this.open.length === 0;
  }

  areShort(): boolean {
    return this.leave(0);
  }

  /** Closes what is deeper. */
  private leave(depth: number): boolean {
    for (let last = this.open.at(-1); last !== undefined && last.depth >= depth; last = this.open.at(-1)) {
      this.open.pop();
      // An operation that puts something there isn't told as a whole.
      if (this.operations - last.operations <= 1) continue;
      const { array, depth } = last;
      const most = this.length - last.before - AROUND.replace - 2 * depth - 2;
      const slots = this.state.slots(array as object);
      // Each item has a comma or a bracket beside it.
      if ((slots === null ? leastLength(array, most, DEEPEST) : slots.length * 2) < most) return false;
    }
    return true;
  }
}

const isIndex = (key: Key): boolean => typeof key === "number";
