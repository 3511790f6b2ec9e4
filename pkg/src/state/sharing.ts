import { isContainer, put, type Container } from "../json/containers.js";
import { copyOf } from "../json/copies.js";
import { isEqual } from "../json/equality.js";

/** What nests deeper shares nothing with what was there before. */
const DEEP = 500;
/** In lists up to this length items are looked for that changed places, as a patch tells short lists whole. */
const SHORT_LIST = 64;

/** Whether a container of the state before may become a part of the one after. */
type Test = (container: object) => boolean;

/**
 * A frozen value that comes to a place, with the parts of what is there that are equal to its own; what is there, where all
 * of them are. Items are compared one by one, and in short lists with those at other indexes, members by their names, and where `inOrder` is true only such objects are equal as
 * have them in the same order. O(their sizes).
 */
export function sharing(before: unknown, value: unknown, mayShare: Test, inOrder: boolean, depth = DEEP): unknown {
  if (!isContainer(before) || !isContainer(value) || before === value || depth === 0 || !mayShare(before)) return value;
  if (Array.isArray(before)) return Array.isArray(value) ? sharingItems(before, value, mayShare, inOrder, depth - 1) : value;
  return Array.isArray(value) ? value : sharingMembers(before as Container, value as Container, mayShare, inOrder, depth - 1);
}

function sharingItems(before: unknown[], value: unknown[], mayShare: Test, inOrder: boolean, depth: number): unknown[] {
  // Of a frozen array V8 spreads ten items in the time in which it reads one.
  const [old, own] = [[...before], [...value]];
  let isSame = old.length === own.length;
  let isOwn = true;
  for (let i = 0; i < own.length; i++) {
    let item = i < old.length ? sharing(old[i], own[i], mayShare, inOrder, depth) : own[i];
    if (item !== old[i] && isContainer(item) && own.length <= SHORT_LIST && old.length <= SHORT_LIST) item = elsewhere(old, i, own[i], mayShare, inOrder, depth) ?? item;
    isSame &&= item === old[i];
    isOwn &&= item === own[i];
    own[i] = item;
  }
  return isSame ? before : isOwn ? value : (Object.freeze(own) as unknown[]);
}

/** The item that is equal to one that is at another index now. */
function elsewhere(old: unknown[], at: number, item: unknown, mayShare: Test, inOrder: boolean, depth: number): unknown {
  return old.find((other, i) => i !== at && isContainer(other) && isEqual(other, item, depth) && sharing(other, item, mayShare, inOrder, depth) === other);
}

function sharingMembers(before: Container, value: Container, mayShare: Test, inOrder: boolean, depth: number): Container {
  const [names, others] = [Object.keys(value), Object.keys(before)];
  let isSame = names.length === others.length;
  let own: Container | null = null;
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    const item: unknown = value[name];
    const isThere = name === others[i] || Object.hasOwn(before, name);
    const shared = isThere ? sharing(before[name], item, mayShare, inOrder, depth) : item;
    isSame &&= isThere && shared === before[name] && (!inOrder || name === others[i]);
    if (shared !== item) put((own ??= copyOf(value)), name, shared);
  }
  return isSame ? before : own === null ? value : Object.freeze(own);
}
