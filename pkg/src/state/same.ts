import { isContainer, type Container } from "../json/containers.js";
import type { State } from "./state.js";
import { Unread } from "./unread.js";

/** Members that say which object it is: one with another name is another one (src/diff/naming.rs). */
export const NAMES = ["id", "_id", "key"];

/** So many parts of values that changed places are compared: most differ sooner, and others are sooner told than compared. */
const PARTS = 128;

/** Whether values are certainly the same, with their members in the same order; one that isn't surely so counts as another. */
export function isSame(a: unknown, b: unknown, state: State): boolean {
  return new Comparison(state).isSame(a, b);
}

/** Whether arrays of the same length are. Where they may differ at `indexes` alone, if these are given, only those are looked at. */
export function areSame(a: readonly unknown[], b: readonly unknown[], state: State, indexes: readonly number[] | null): boolean {
  const comparison = new Comparison(state);
  if (indexes !== null) return indexes.every((i) => comparison.isSame(a[i], b[i]));
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i]) && !comparison.isSame(a[i], b[i])) return false;
  return true;
}

class Comparison {
  private left = PARTS;

  constructor(private readonly state: State) {}

  isSame(a: unknown, b: unknown): boolean {
    if (Object.is(a, b)) return true;
    if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b)) return false;
    // Those that haven't been read look the same whatever they hold.
    if (a instanceof Unread || b instanceof Unread || this.state.source(a) !== null || this.state.source(b) !== null) return false;
    if (Array.isArray(a) && Array.isArray(b)) {
      this.left -= a.length + 1;
      return a.length === b.length && this.left >= 0 && a.every((item, i) => this.isSame(item, b[i]));
    }
    const names = Object.keys(a);
    const others = Object.keys(b);
    this.left -= names.length + 1;
    if (names.length !== others.length || this.left < 0) return false;
    return names.every((name, i) => name === others[i] && this.isSame((a as Container)[name], (b as Container)[name]));
  }
}

/** Whether two objects have the same name, or neither has one. */
export function areNamesakes(a: Container, b: Container): boolean {
  const name = NAMES.find((name) => isName(a, name) || isName(b, name));
  return name === undefined || (isName(a, name) && isName(b, name) && a[name] === b[name]);
}

/** Where an array has its items, by the member that names them and by their names. */
export type Indexes = Map<string, Map<unknown, number>>;

/**
 * The index of the item that has the name of one that comes, as the copies of a list have that was fetched again; `next` where it has no
 * name, or what is there has none, and -1 where it is another one than any of these. O(1), and once O(items) where others came or went.
 */
export function namesakeOf(item: object, was: readonly unknown[], next: number, indexes: Indexes): number {
  const key = NAMES.find((name) => isName(item as Container, name));
  if (key === undefined) return next;
  const name = (item as Container)[key];
  const there = was[next];
  if (isContainer(there) && (there as Container)[key] === name) return next;
  let known = indexes.get(key);
  if (known === undefined) indexes.set(key, (known = indexesOf(was, key)));
  return known.get(name) ?? (isContainer(there) && isName(there as Container, key) ? -1 : next);
}

function indexesOf(items: readonly unknown[], key: string): Map<unknown, number> {
  const indexes = new Map<unknown, number>();
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (isContainer(item) && isName(item as Container, key)) indexes.set((item as Container)[key], i);
  }
  return indexes;
}

/** Whether a member of this name says which object it is. */
export const isName = (object: Container, name: string): boolean => Object.hasOwn(object, name) && !isContainer(object[name]) && object[name] !== null;
