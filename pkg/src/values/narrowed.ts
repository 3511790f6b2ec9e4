import { isAhead, isJsonContainer, isJsonScalar, leastLength, type KnownRuns } from "../bridge/host.js";
import { isContainer, itemsOf, put, type Container } from "../state/containers.js";
import { pointerOf, textLength } from "../state/json.js";
import { memberOf, segmentsOf } from "../state/pointer.js";
import type { JSONPatchOperation } from "../types.js";

// A shortcut (DESIGN.md, 6). Two versions of a state mostly have nearly everything in common, which JavaScript finds out sooner than the
// core reads it: that is asked about what differs alone. `tests/node/patches/narrowed-laws.test.ts` compares the two.

/** Of values that nest deeper the core is asked about all. */
const DEEP = 128;
/** A longer string may be over a limit. */
const LONG = 1 << 16;
/** Of more operations, there may be too many. */
const MANY = 4096;
/** What operations have beside pointers in their quotes and values, with a comma. */
const AROUND = { add: '{"op":"add","path":,"value":},'.length, replace: '{"op":"replace","path":,"value":},'.length, remove: '{"op":"remove","path":},'.length };

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

/** Members that are taken for names where all items have one and no two the same (src/diff/naming.rs). */
const NAMES = ["id", "_id", "key"];

type Members = Record<string, unknown>;

/**
 * What differs between two values. An object is there without the members that are equal in both; an array of which few items differ, at
 * the same indexes, as an object that has these by their indexes. So a pointer into that leads to the same place as in the value.
 */
export class Narrowed {
  /** The containers of `after` by the objects that stand for them. */
  private originals: Map<object, object> | undefined;
  /** What was found out about arrays that the core is asked about, which needn't be done again. */
  runs: KnownRuns | undefined;
  private readonly differing: Differing | undefined;

  constructor(
    before: unknown,
    after: unknown,
    /** The member that says which item of an array is which, if only that does. */
    private readonly key: string | undefined,
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

  /** The operations, where nothing but scalars gave way to scalars, or one is all that differs, and the core would surely say the same. */
  told(extended: boolean): JSONPatchOperation[] | undefined {
    const operations: JSONPatchOperation[] = [];
    const length = this.tell(this.differing!, "", extended, operations);
    const areReplaced = operations.length === 1 || (!this.differing!.hasScalarItem && operations.every(({ op }) => op === "replace"));
    return !Number.isNaN(length) && areReplaced ? operations : undefined;
  }

  /**
   * Adds what is to be told of a place, and returns how many bytes it is, but for what its values have beyond their least length;
   * NaN where it isn't certain.
   */
  private tell(pair: Pair, path: string, extended: boolean, operations: JSONPatchOperation[]): number {
    const original = this.originals?.get(pair.after as object);
    if (original === undefined) {
      const operation = path === "" ? undefined : scalarTold(pair, path, extended);
      if (operation === undefined || operations.push(operation) > MANY) return NaN;
      return AROUND[operation.op as "add"] + textLength(path) + leastLength(pair.after, Infinity, 0);
    }
    const { before, after } = pair as { before: Members; after: Members };
    const [names, others] = [Object.keys(before), Object.keys(after)];
    if (names.length !== others.length && names.length > 0 && others.length > 0) return NaN;
    let told = 0;
    for (const name of others.length > 0 ? others : names) {
      // What came and went at once may have moved.
      if (names.length > 0 && others.length > 0 && before[name] === undefined) return NaN;
      told += this.tell({ before: before[name], after: after[name] }, path + pointerOf([name]), extended, operations);
    }
    // What is longer than the container gives way to that.
    const least = AROUND.replace + path.length;
    return told <= least || told <= least + leastLength(original, told - least, DEEP) ? told : NaN;
  }

  /** Whether something is replaced of which maybe only a part was known, which made it short. */
  replacesPart(patch: readonly JSONPatchOperation[]): boolean {
    return patch.some((operation) => operation.op === "replace" && isContainer(operation.value) && this.originals!.has(this.find(operation.path) as object));
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
    let several: Several | undefined;
    for (let i = 0; i < length; i++) {
      const inside = this.between(before[i], after[i], deep);
      if (inside === undefined) continue;
      if (inside === TOO_DEEP) return inside;
      several ??= new Several(before, after, this.key);
      if (!several.add(i, inside)) return this.unknown(several);
    }
    if (several === undefined) return undefined;
    return several.areInPlace ? this.made(after, several.differing) : this.unknown(several);
  }

  /** Arrays of which the core finds out which item is which. */
  private unknown(several: Several): Differing {
    const { before, after } = several;
    (this.runs ??= new Map()).set(before, several.known);
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
    return this.made(after, differing);
  }

  private made(original: object, differing: Differing): Differing {
    (this.originals ??= new Map()).set(differing.after as object, original);
    return differing;
  }
}

/** What is to be told of a place where a scalar is another one, came or went. */
function scalarTold({ before, after: value }: Pair, path: string, extended: boolean): JSONPatchOperation | undefined {
  if (!(before === undefined || isScalar(before))) return undefined;
  if (value === undefined) return { op: "remove", path };
  if (!isScalar(value) || Object.is(value, -0) || (typeof value === "string" && (value.length > LONG || (extended && hasGrown(before, value))))) return undefined;
  return { op: before === undefined ? "add" : "replace", path, value };
}

/** Items of two arrays that differ at the same indexes. */
class Several {
  readonly differing: Differing = { before: {}, after: {}, isLess: true, hasScalarItem: false };
  private readonly at: number[] = [];
  /** The member that names all of them, once there are two, and their names. */
  private name: string | undefined;
  private names: Set<unknown> | undefined;

  constructor(
    readonly before: unknown[],
    readonly after: unknown[],
    private readonly key: string | undefined,
  ) {}

  /** Adds what differs at an index. False where it isn't certain that they are the same item. */
  add(i: number, { before, after, hasScalarItem }: Differing): boolean {
    const { at, differing } = this;
    at.push(i);
    (differing.before as Container)[i] = before;
    (differing.after as Container)[i] = after;
    differing.hasScalarItem ||= hasScalarItem;
    return at.length === 1 || ((at.length > 2 || this.isNamed(at[0]!)) && this.isNamed(i));
  }

  /** Whether they have the same name, which no other has. */
  private isNamed(i: number): boolean {
    const [item, other] = [this.before[i], this.after[i]];
    if (!isContainer(item) || !isContainer(other)) return false;
    this.name ??= (this.key === undefined ? NAMES : [this.key]).find((name) => isName(memberOf(item, name)) && isName(memberOf(other, name)));
    const name = this.name === undefined ? undefined : memberOf(item, this.name);
    const names = (this.names ??= new Set());
    return isName(name) && name === memberOf(other, this.name!) && names.size < names.add(name).size;
  }

  /** Whether each of them is told where it is. */
  get areInPlace(): boolean {
    const { at, before, after } = this;
    if (at.length > 1) return at.every((i) => this.isInPlace(i));
    const [item, other] = [before[at[0]!], after[at[0]!]];
    const areScalars = isScalar(item) && isScalar(other);
    this.differing.hasScalarItem ||= areScalars;
    const areAlike = isContainer(item) && isContainer(other) && Array.isArray(item) === Array.isArray(other);
    return this.key === undefined && (areScalars || areAlike) && this.isInPlace(at[0]!);
  }

  /** Whether neither of the two is an item at another place in the other array. */
  private isInPlace(i: number): boolean {
    return !isAhead(this.before, i, this.after[i]) && !isAhead(this.after, i, this.before[i]);
  }

  /** What is known of the two arrays up to the second item that differs. */
  get known(): { other: unknown[]; runs: number[]; at: number } {
    const [first, second = this.before.length] = this.at as [number];
    const isInPlace = this.isInPlace(first);
    const runs = isInPlace ? [0, 0, first, first + 1, first + 1, second - first - 1] : [0, 0, first];
    return { other: this.after, runs, at: isInPlace ? second : first };
  }
}

const isName = (value: unknown): boolean => typeof value !== "object" && isJsonScalar(value);

/** With what differs in a member. */
function withMember(differing: Differing = whole({}, {}), name: string, inside: Differing): Differing {
  if (inside.before !== undefined) put(differing.before as Members, name, inside.before);
  if (inside.after !== undefined) put(differing.after as Members, name, inside.after);
  differing.isLess ||= inside.isLess;
  differing.hasScalarItem ||= inside.hasScalarItem;
  return differing;
}

const hasGrown = (before: unknown, after: string): boolean => typeof before === "string" && before !== "" && after.startsWith(before);

const isScalar = (value: unknown): boolean => value === null || isJsonScalar(value);
