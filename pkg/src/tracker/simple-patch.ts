import type { Recorded } from "../state/log.js";
import { isContainer, withThawed, type Container, type Key } from "../json/containers.js";
import { pointerOf } from "../json/json.js";
import { Run, type Items } from "../state/payload.js";
import { AROUND, mostLength } from "../json/size.js";
import { areNamesakes } from "../state/same.js";
import type { State } from "../state/state.js";
import { Exchanged } from "../state/told.js";
import { areUnlike, haveCommon } from "../values/unlike.js";
import { Unread } from "../state/unread.js";
import type { JSONPatchOperation } from "../types.js";
import type { TrackedOptions } from "./core-side.js";
import { haveOtherNames, differing, isLong, oneOf, slid, WHOLE } from "./exchanged.js";
import { inOrder, isWithin, moves } from "./shifted.js";
import { Telling } from "./telling.js";

/** So many pairs of what is gone and what came are looked at. */
const PAIRS = 256;

/**
 * The patch of one change, where what was recorded is the patch: `d.n = 2` is `[{ op: "replace", path: "/n", value: 2 }]`. Null where
 * the core might say something else, as it does where items moved or less text tells the whole array. The log can cross later
 * then, many changes at once. `state` is as it is afterwards. `tests/node/tracking/simple-patch-laws.test.ts` compares this with
 * the core's own answer.
 */
export function simplePatch(recorded: Recorded[], state: State, isExtended: boolean, options: TrackedOptions, most: number): JSONPatchOperation[] | null {
  if (options.granularity === "key" || options.counters.length > 0 || options.texts.length > 0) return null;
  if (options.arrayDelta !== "precise" && recorded.some((one) => isInArray(one, options.arrayDelta === true))) return null;
  const told = recorded.length === 1 ? ofOne(recorded[0]!, state, isExtended, options, most) : ofSeveral(recorded, state, isExtended, options, most);
  return told && withThawed(told);
}

/** Whether it changes an array that is to be told as a whole. */
function isInArray({ op, path, key }: Recorded, tellsPushes: boolean): boolean {
  return path.some(isIndex) || op === "sift" || (op === "push" ? !tellsPushes : typeof key === "number");
}

function ofOne(one: Recorded, state: State, isExtended: boolean, options: TrackedOptions, most: number): JSONPatchOperation[] | null {
  const { op, path, value, before } = one;
  if (op === "sift") return state.isWhole ? removals(one, new Telling(state), most) : null;
  if (op === "str_ins" || op === "inc") return added(one, state, isExtended);
  if (op === "arrive") return null;
  if (op === "take") return ofSeveral([one], state, isExtended, options, most);
  if (op instanceof Exchanged) return exchanged(op.before, placeOf(one), state, isExtended, options, most);
  const operation = operationOf(one, pointerOf(path));
  if (!isExtended || !mayHaveGrown(one)) return [operation];
  if (before === undefined) return null;
  const text = value as string;
  return text.startsWith(before) ? [{ op: "str_ins", path: operation.path, pos: before.length, str: text.slice(before.length) }] : [operation];
}

function ofSeveral(recorded: Recorded[], state: State, isExtended: boolean, options: TrackedOptions, most: number): JSONPatchOperation[] | null {
  const moved = options.arrayDelta === "precise" ? moves(recorded, state, isExtended) : null;
  if (moved !== null) return moved;
  const telling = new Telling(state, options.arrayDelta === "precise");
  let place = "";
  let above: readonly Key[] | null = null;
  const gone: unknown[] = [];
  const came: unknown[] = [];
  let [sets, exchanges] = [false, false];
  /** The first that came to the end of the last array to whose end something came. */
  let pushed = null as Recorded | null;
  let lists = 0;
  /** Objects that took the place of others, of which what is in them has been told. */
  const others: (readonly Key[])[] = [];
  const shifted = new Set<readonly Key[]>();
  const ordered = inOrder(recorded, shifted);
  if (ordered === null) return null;
  for (const one of ordered) {
    const { op, path, key, value } = one;
    const shifts = shifted.has(path);
    const isPush = op === "push" && !shifts;
    const isItem = typeof key === "number" && op !== "push" && !shifts;
    // What came to the end may have given way to another one.
    if (isItem && pushed?.path === path && key >= (pushed.key as number)) return null;
    if (isPush && pushed?.path !== path) pushed = one;
    sets ||= isItem;
    exchanges ||= isItem && isContainer(value);
    if (path !== above) {
      // What came to an array's end is told before what was done to its items.
      const way: readonly Key[] = isPush || isItem || shifts ? [...path, isPush ? -1 : key!] : path;
      if (!telling.enter(above ?? [], way)) return null;
      place = pointerOf(path);
      above = way;
    }
    if (key === undefined || op === "sift" || op === "arrive" || op === null || others.some((other) => isWithin(path, other)) || (isExtended && mayHaveGrown(one))) return null;
    if (op instanceof Exchanged) {
      const at = placeOf(one);
      const inside = telling.hasNoArray ? exchanged(op.before, at, state, isExtended, options, most) : null;
      if (inside === null) return null;
      others.push(at);
      lists += Array.isArray(op.before) ? 1 : 0;
      for (const operation of inside) {
        telling.add(operation);
        if (operation.op === "remove") gone.push(undefined);
        else if ("value" in operation && (isContainer(operation.value) || operation.op === "add")) came.push(operation.value);
      }
      continue;
    }
    if (op === "remove" || op === "take") gone.push(value);
    else if (isContainer(value) || op !== "replace") came.push(value);
    telling.add(operationOf(one, place));
  }
  // What came may be from a list that is gone, and what is gone in a list that came.
  if (lists > 0 && (came.length > 1 || gone.length > 0)) return null;
  // What came may be an item that gave way to another one.
  if ((exchanges && pushed !== null) || (sets && gone.length > 0 && came.length > 0)) return null;
  const told = haveMoved(gone, came) ? null : telling.end();
  return told !== null && told.length > most ? null : told;
}

/** Where what was set is. */
const placeOf = ({ path, key }: Recorded): readonly Key[] => (key === undefined ? path : [...path, key]);

/** What is told of it in the container at a place. */
function operationOf({ op, key, value }: Recorded, place: string): JSONPatchOperation {
  if (op === "remove" || op === "take") return { op: "remove", path: place + pointerOf([key!]) };
  if (op === "insert") return { op: "add", path: place + pointerOf([key!]), value };
  if (op === "push") return { op: "add", path: `${place}/-`, value };
  return { op: op as "add" | "replace", path: key === undefined ? place : place + pointerOf([key]), value };
}

/** Whether a string is set that the extended dialect tells as its growth, if it has grown. */
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
function exchanged(before: object, place: readonly Key[], state: State, isExtended: boolean, options: TrackedOptions, most: number): JSONPatchOperation[] | null {
  if (options.arrayDelta !== "precise" || !state.isWhole) return null;
  let after = state.unread() as object;
  for (const key of place) after = (after as Container)[key] as object;
  const path = pointerOf(place);
  const scalars = Array.isArray(before) && Array.isArray(after) ? (slid(before, after, most) ?? oneOf(before, after, isExtended)) : null;
  const pair = { before, after };
  const isAnother = scalars === null && !haveCommon(pair) && (haveOtherNames(before, after, isExtended) || areUnlike(pair, isExtended));
  const members = scalars ?? (isAnother ? WHOLE : differing(before, after, isExtended));
  if (members === null) return null;
  if (members === WHOLE) return [{ op: "replace", path, value: after }];
  const operations = members.map((operation) => ({ ...operation, path: path + operation.path }));
  if (operations.length === 1) return operations;
  const telling = new Telling(state, true);
  if (operations.length > most || !telling.enter([], Array.isArray(after) ? [...place, 0] : place)) return null;
  for (const operation of operations) telling.add(operation);
  return telling.end();
}

/** What took out of an array the items that it doesn't have any more. */
function removals(one: Recorded, telling: Telling, most: number): JSONPatchOperation[] | null {
  const place = placeOf(one);
  const { from, parts, whole } = one.value as Items;
  if (from.length !== place.length || !from.every((step, i) => step === place[i]) || !telling.enter([], [...place, 0])) return null;
  const operations: JSONPatchOperation[] = [];
  const pointer = `${pointerOf(place)}/`;
  const around = AROUND.remove + mostLength(pointer);
  let [at, seen] = [0, 0];
  for (const { start, length } of [...(parts as Run[]), new Run(whole!, 0)]) {
    if (start < seen || operations.length + start - seen > most) return null;
    const path = `${pointer}${at}`;
    telling.noteRemovals((around + path.length - pointer.length) * (start - seen));
    for (; seen < start; seen++) operations.push({ op: "remove", path });
    at += length;
    seen += length;
  }
  return telling.end() && operations;
}

const isIndex = (key: Key): boolean => typeof key === "number";
