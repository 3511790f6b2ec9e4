import { isContainer, thawed, type Container } from "../state/containers.js";
import { isEqual } from "../state/equality.js";
import { DEEPEST, pointerOf } from "../state/json.js";
import { areNamesakes } from "../state/same.js";
import { AROUND, leastLength, textLength } from "../state/size.js";

/** What the way to an object is taken to add to each operation (`told_briefly` in src/diff/mod.rs). */
const WAY = 24;

type Told = { op: "remove"; path: string } | { op: "add" | "replace"; path: string; value: unknown };

/** The object that is there now is told as a whole. */
export const WHOLE = "whole";

/**
 * What a patch tells of an object that took another one's place, with pointers that begin at the object; null where the core has to be
 * asked: where what differs isn't scalars, and where members may have been renamed. O(the object).
 */
export function differing(before: object, after: object, isExtended: boolean): Told[] | typeof WHOLE | null {
  if (Array.isArray(before) || Array.isArray(after)) return null;
  const [was, is] = [before as Container, after as Container];
  const operations: Told[] = [];
  let [removes, adds] = [false, false];
  for (const name of Object.keys(was)) {
    const [old, value] = [was[name], Object.hasOwn(is, name) ? is[name] : undefined];
    if (old === value || (isContainer(old) && isContainer(value) && isEqual(old, value, DEEPEST))) continue;
    const path = pointerOf([name]);
    removes ||= value === undefined;
    if (value === undefined) operations.push({ op: "remove", path });
    else if (isContainer(old) || isContainer(value) || (isExtended && typeof value === "string")) return null;
    else operations.push({ op: "replace", path, value: thawed(value) });
  }
  for (const name of Object.keys(is)) {
    if (Object.hasOwn(was, name)) continue;
    adds = true;
    operations.push({ op: "add", path: pointerOf([name]), value: thawed(is[name]) });
  }
  if (operations.length === 0 || (removes && adds)) return null;
  if (!areNamesakes(was, is)) return WHOLE;
  if (operations.length === 1) return operations;
  return isAsLong(is, operations);
}

/** The operations where the object's text is surely longer, or else the whole. */
function isAsLong(object: Container, operations: Told[]): Told[] | typeof WHOLE {
  let told = 0;
  for (const operation of operations) {
    told += WAY + AROUND[operation.op] + textLength(operation.path) + (operation.op === "remove" ? 0 : textLength(operation.value));
  }
  const least = 2 * told;
  if (leastLength(object, least, DEEPEST) >= least) return operations;
  return textLength(object) >= least ? operations : WHOLE;
}
