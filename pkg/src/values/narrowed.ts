import { isAhead, isJsonContainer, isJsonScalar, type KnownRuns } from "../bridge/host.js";
import { isContainer, itemsOf, put } from "../state/containers.js";
import { pointerOf, textLength } from "../state/json.js";
import { segmentsOf } from "../state/pointer.js";
import type { JSONPatchOperation } from "../types.js";

// A shortcut (DESIGN.md, 6). Two versions of a state mostly have nearly everything in common, which JavaScript finds out sooner than the
// core reads it: that is asked about what differs alone. `tests/node/patches/narrowed-laws.test.ts` compares the two.

/** Of values that nest deeper the core is asked about all. */
const DEEP = 128;
/** A longer string may be over a limit. */
const LONG = 1 << 16;
/** With a longer name, in bytes, a removal may be longer than what is left of the object. */
const SHORT_NAME = 10;

/** Two values; undefined where there is nothing. */
export interface Pair {
  before: unknown;
  after: unknown;
}

/** What differs between two values. */
interface Differing extends Pair {
  /** Whether something is left out. */
  isLess: boolean;
  /** Whether a scalar item of an array differs: where something else does as well, it may have come from there. */
  hasScalarItem: boolean;
}

const whole = (before: unknown, after: unknown): Differing => ({ before, after, isLess: false, hasScalarItem: false });

/** What differs nests too deeply to be looked for, or contains itself. */
const TOO_DEEP = whole(undefined, undefined);

type Members = Record<string, unknown>;

/**
 * What differs between two values. An object is there without the members that are equal in both; an array of which one item differs, at
 * the same index, as an object that has this item by its index. So a pointer into that leads to the same place as in the value.
 */
export class Narrowed {
  /** The objects that stand for values of `after`. */
  private objects: Set<unknown> | undefined;
  /** What was found out about arrays that the core is asked about, which needn't be done again. */
  runs: KnownRuns | undefined;
  private readonly differing: Differing | undefined;

  constructor(
    before: unknown,
    after: unknown,
    /** Whether nothing but its place says which item is which. */
    private readonly isByPlace: boolean,
  ) {
    this.differing = this.between(before, after, DEEP);
  }

  get isEqual(): boolean {
    return this.differing === undefined;
  }

  /** What to ask the core about; undefined where that is all. */
  get pair(): Pair | undefined {
    return this.differing?.isLess === true && !this.differing.hasScalarItem ? this.differing : undefined;
  }

  /** The one operation, where a single scalar differs and the core would surely say the same. */
  told(extended: boolean): JSONPatchOperation | undefined {
    const path: string[] = [];
    let pair: Pair = this.differing!;
    while (this.objects?.has(pair.after)) {
      const { before, after } = pair as { before: Members; after: Members };
      const name = onlyName(before, after);
      // Escaped in a pointer it is longer than where it stands: then the whole object may be shorter.
      if (name === undefined || name.includes("/") || name.includes("~")) return undefined;
      path.push(name);
      pair = { before: before[name], after: after[name] };
    }
    const { before, after: value } = pair;
    if (path.length === 0 || !(before === undefined || isScalar(before))) return undefined;
    if (value === undefined) return textLength(path.at(-1)) <= SHORT_NAME ? { op: "remove", path: pointerOf(path) } : undefined;
    if (!isScalar(value) || Object.is(value, -0) || (typeof value === "string" && (value.length > LONG || (extended && hasGrown(before, value))))) return undefined;
    return { op: before === undefined ? "add" : "replace", path: pointerOf(path), value };
  }

  /** Whether something is replaced of which maybe only a part was known, which made it short. */
  replacesPart(patch: readonly JSONPatchOperation[]): boolean {
    return patch.some((operation) => operation.op === "replace" && isContainer(operation.value) && this.objects!.has(this.find(operation.path)));
  }

  private find(pointer: string): unknown {
    let at = this.differing?.after;
    for (const name of segmentsOf(pointer)) at = isContainer(at) && Object.hasOwn(at, name) ? (at as Members)[name] : undefined;
    return at;
  }

  private between(before: unknown, after: unknown, deep: number): Differing | undefined {
    if (before === after && (isJsonScalar(before) || typeof before === "object")) return undefined;
    if (!isContainer(before) || !isContainer(after) || !isJsonContainer(before) || !isJsonContainer(after)) return whole(before, after);
    if (Array.isArray(before) !== Array.isArray(after)) return whole(before, after);
    if (deep === 0) return TOO_DEEP;
    return Array.isArray(before) ? this.items(before, itemsOf(after), deep - 1) : this.members(before as Members, after as Members, deep - 1);
  }

  private items(before: unknown[], after: unknown[], deep: number): Differing | undefined {
    const { length } = before;
    if (length !== after.length) return whole(before, after);
    let at = -1;
    let only: Differing | undefined;
    for (let i = 0; i < length; i++) {
      const inside = this.between(before[i], after[i], deep);
      if (inside === undefined) continue;
      if (inside === TOO_DEEP) return inside;
      if (only !== undefined) return this.severalItems(before, after, at, i);
      [at, only] = [i, inside];
    }
    if (only === undefined) return undefined;
    const [item, other] = [before[at], after[at]];
    const hasScalarItem = isScalar(item) && isScalar(other);
    if (!hasScalarItem && (!isContainer(item) || !isContainer(other) || Array.isArray(item) !== Array.isArray(other))) return whole(before, after);
    // It may be an item that is at another place in the other array.
    if (!this.isByPlace || isAhead(before, at, other) || isAhead(after, at, item)) return whole(before, after);
    return this.made({ before: { [at]: only.before }, after: { [at]: only.after }, isLess: true, hasScalarItem: hasScalarItem || only.hasScalarItem });
  }

  /** Two arrays that differ at this index and, for the second time, at that one. */
  private severalItems(before: unknown[], after: unknown[], first: number, second: number): Differing {
    const isInPlace = !isAhead(before, first, after[first]) && !isAhead(after, first, before[first]);
    const runs = [0, 0, first, first + 1, first + 1, second - first - 1];
    (this.runs ??= new Map()).set(before, { other: after, runs: isInPlace ? runs : runs.slice(0, 3), at: isInPlace ? second : first });
    return whole(before, after);
  }

  private members(before: Members, after: Members, deep: number): Differing | undefined {
    const [names, others] = [Object.keys(before), Object.keys(after)];
    let differing: Differing | undefined;
    let hasEqual = false;
    // Most have the same names in the same order, and then none has to be looked up.
    let isInOrder = names.length === others.length;
    for (let i = 0; i < names.length; i++) {
      const name = names[i]!;
      const item = before[name];
      isInOrder &&= name === others[i] && item !== undefined;
      if (item === undefined) continue;
      const other = isInOrder || Object.hasOwn(after, name) ? after[name] : undefined;
      const inside = other === undefined ? whole(item, other) : this.between(item, other, deep);
      if (inside === TOO_DEEP) return inside;
      if (inside === undefined) hasEqual = true;
      else differing = withMember(differing, name, inside);
    }
    for (let i = 0; !isInOrder && i < others.length; i++) {
      const name = others[i]!;
      const isNew = after[name] !== undefined && (!Object.hasOwn(before, name) || before[name] === undefined);
      if (isNew) differing = withMember(differing, name, whole(undefined, after[name]));
    }
    if (differing === undefined) return undefined;
    differing.isLess ||= hasEqual;
    return this.made(differing);
  }

  private made(differing: Differing): Differing {
    (this.objects ??= new Set()).add(differing.after);
    return differing;
  }
}

/** With what differs in a member. */
function withMember(differing: Differing = whole({}, {}), name: string, inside: Differing): Differing {
  if (inside.before !== undefined) put(differing.before as Members, name, inside.before);
  if (inside.after !== undefined) put(differing.after as Members, name, inside.after);
  differing.isLess ||= inside.isLess;
  differing.hasScalarItem ||= inside.hasScalarItem;
  return differing;
}

/** The name of the only member that two objects have. */
function onlyName(before: Members, after: Members): string | undefined {
  const [names, others] = [Object.keys(before), Object.keys(after)];
  const name = names[0] ?? others[0];
  return names.length <= 1 && others.length <= 1 && (others[0] ?? name) === name ? name : undefined;
}

const hasGrown = (before: unknown, after: string): boolean => typeof before === "string" && before !== "" && after.startsWith(before);

const isScalar = (value: unknown): boolean => value === null || isJsonScalar(value);
