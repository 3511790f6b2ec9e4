import { isContainer, isObject, itemsOf, put, type Container } from "../json/containers.js";
import { isAhead, isJsonContainer, isJsonScalar, sharedRuns, type KnownRuns, type Start } from "../json/equality.js";
import { NAMES } from "../state/same.js";
import { memberOf } from "../json/pointer.js";
import { leastLength, LONGEST_NUMBER, restOf, textLength } from "../json/size.js";

/** Values that nest deeper aren't looked through. */
export const DEEP = 128;
/** What is shared is left out by the bytes: asking for a part that differs takes as long as reading so many. */
const ASKING = 256;
/** So many of the shared containers are measured; the others are taken to be as long. */
const MEASURED = 64;

/** Two values; undefined where there is nothing. */
export interface Pair {
  before: unknown;
  after: unknown;
}

/** What differs between two values. */
export interface Differing extends Pair {
  /** Whether something is left out. */
  isLess: boolean;
  /** Whether a scalar item of an array differs: where something else does as well, it may have come from there. */
  hasScalarItem: boolean;
}

/** Two containers, for which something stands. */
export interface Original extends Pair {
  /** Whether what stands for them may be longer than they are, or what is told of them. */
  isLonger: boolean;
}

const whole = (before: unknown, after: unknown): Differing => ({ before, after, isLess: false, hasScalarItem: false });

/** Of values that nest too deeply to be looked through, or contain themselves. */
export const TOO_DEEP = whole(undefined, undefined);

/**
 * What differs between two values. An object is there without the members that are equal in both; an array of which few items differ, at
 * the same indexes, as an object that has these by their indexes. So a pointer into that leads to the same place as in the value.
 */
export class Differences {
  /** Containers by the objects that stand for them after. */
  readonly originals = new Map<unknown, Original>();
  /** What arrays share of which the core is asked which item is which. */
  runs: KnownRuns | undefined = undefined;
  /** Some of the containers that are the same object in both, and how many of these there are. */
  private readonly shared: object[] = [];
  private sharedCount = 0;
  /** Lists that differ much. */
  private readonly others: [unknown[], unknown[]][] = [];
  /** The items of arrays of which the core is to find out which is which, and how many of them differ. */
  private listed = 0;
  private unequal = 0;
  /** Undefined where nothing does. */
  readonly root: Differing | undefined;

  constructor(
    before: unknown,
    after: unknown,
    /** The member that says which item of an array is which, if only that does. */
    private readonly key: string | undefined,
  ) {
    this.root = this.between(before, after, DEEP);
  }

  private between(before: unknown, after: unknown, deep: number): Differing | undefined {
    if (before === after && (isJsonScalar(before) || isContainer(before))) {
      if (isContainer(before) && this.sharedCount++ < MEASURED) this.shared.push(before);
      return undefined;
    }
    if (!isContainer(before) || !isContainer(after) || !isJsonContainer(before) || !isJsonContainer(after)) return whole(before, after);
    if (Array.isArray(before) !== Array.isArray(after)) return whole(before, after);
    if (deep === 0) return TOO_DEEP;
    return Array.isArray(before) ? this.items(before, itemsOf(after), deep - 1) : this.members(before as Container, after as Container, deep - 1);
  }

  private items(before: unknown[], after: unknown[], deep: number): Differing | undefined {
    const { length } = before;
    if (length !== after.length) return this.lists(before, after);
    let several: Several | undefined;
    for (let i = 0; i < length; i++) {
      const inside = this.between(before[i], after[i], deep);
      if (inside === undefined) continue;
      if (inside === TOO_DEEP) return inside;
      several ??= new Several(before, after, this.key);
      if (!several.add(i, inside)) return this.lists(before, after, several.start);
    }
    if (several === undefined) return undefined;
    return several.areInPlace ? this.made({ before, after, isLonger: several.isLonger }, several.differing) : this.lists(before, after, several.start);
  }

  /** Two arrays, of which the core is to find out which item is which, but where one has an item more and nothing else differs. */
  private lists(before: unknown[], after: unknown[], start?: Start): Differing {
    const runs = sharedRuns(before, after, start);
    (this.runs ??= new Map()).set(before, { other: after, runs });
    const most = Math.max(before.length, after.length);
    const unequal = runs.reduce((left, length, i) => (i % 3 === 2 ? left - length : left), most);
    if (unequal === 1 && before.length !== after.length) return this.oneItem(before, after, runs);
    this.listed += most;
    this.unequal += unequal;
    if (isMuch(unequal, most)) this.others.push([before, after]);
    return whole(before, after);
  }

  private oneItem(before: unknown[], after: unknown[], [from, to, head]: Uint32Array): Differing {
    const at = from === 0 && to === 0 ? head! : 0;
    const differing: Differing = { ...whole({}, {}), isLess: true };
    if (before.length > after.length) (differing.before as Container)[at] = before[at];
    else (differing.after as Container)[at < before.length ? at : "-"] = after[at];
    return this.made({ before, after, isLonger: true }, differing);
  }

  /** Whether so much differs that reading all of it takes less time than asking for what does, part by part. */
  get isMuch(): boolean {
    return isMuch(this.unequal, this.listed) && !this.others.some(haveItem) && !this.isShared;
  }

  /** Whether it takes longer to read what is the same object in both than to ask for what isn't. */
  private get isShared(): boolean {
    const bytes = this.shared.reduce((bytes, container) => bytes + ASKING - restOf(container, ASKING, DEEP), 0);
    return (bytes * this.sharedCount) / Math.max(1, this.shared.length) > ASKING * (this.originals.size + this.unequal);
  }

  private members(before: Container, after: Container, deep: number): Differing | undefined {
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
    return this.made({ before, after, isLonger: false }, differing);
  }

  private made(original: Original, differing: Differing): Differing {
    this.originals.set(differing.after, original);
    return differing;
  }
}

const isMuch = (unequal: number, items: number): boolean => unequal * 10 >= items;

/** Whether there is an object that is an item of both. */
function haveItem([before, after]: [unknown[], unknown[]]): boolean {
  const items = new Set(before.filter(isContainer));
  return items.size > 0 && after.some((item) => items.has(item as object));
}

/** Items of two arrays that differ at the same indexes. */
class Several {
  readonly differing: Differing = { before: {}, after: {}, isLess: true, hasScalarItem: false };
  private readonly at: number[] = [];
  /** The member that names all of them, once there are two, and their names. */
  private name: string | undefined = undefined;
  private readonly names = new Set<unknown>();
  /** Whether it isn't one that the core takes for a name. */
  private isGuessed = false;

  constructor(
    private readonly before: unknown[],
    private readonly after: unknown[],
    private readonly key: string | undefined,
  ) {}

  /** Adds what differs at an index. False where it isn't certain that they are the same item. */
  add(i: number, { before, after, hasScalarItem }: Differing): boolean {
    const { at, differing } = this;
    at.push(i);
    (differing.before as Container)[i] = before;
    (differing.after as Container)[i] = after;
    differing.hasScalarItem ||= hasScalarItem;
    if (at.length === 2) this.choose(at[0]!, i);
    return at.length === 1 || ((at.length > 2 || this.isNamed(at[0]!)) && this.isNamed(i));
  }

  /** Chooses what names the items, which the first two show. */
  private choose(i: number, j: number): void {
    const [item, other] = [this.before[i], this.after[i]];
    this.name = (this.key === undefined ? NAMES : [this.key]).find((name) => isNameValue(memberOf(item, name)) && isNameValue(memberOf(other, name)));
    if (this.name !== undefined || this.key !== undefined || !isObject(item)) return;
    const stays = (at: number, name: string): boolean => isNameValue(this.nameAt(at, name)) && this.nameAt(at, name) === memberOf(this.after[at], name);
    this.name = Object.keys(item).find((name) => stays(i, name) && stays(j, name) && this.nameAt(i, name) !== this.nameAt(j, name));
    this.isGuessed = true;
  }

  private nameAt(i: number, name: string): unknown {
    return memberOf(this.before[i], name);
  }

  /** Whether they have the same name, which no other has. */
  private isNamed(i: number): boolean {
    if (this.name === undefined || (this.isGuessed && !this.isAlike(i))) return false;
    const name = this.nameAt(i, this.name);
    return isNameValue(name) && name === memberOf(this.after[i], this.name) && this.names.size < this.names.add(name).size;
  }

  /** Whether nothing but scalars differs, and less than is the same. */
  private isAlike(i: number): boolean {
    const [item, other] = [this.before[i], this.after[i]];
    if (!isObject(item) || !isObject(other)) return false;
    const [old, now] = [(this.differing.before as Container)[i], (this.differing.after as Container)[i]] as [Container, Container];
    let [lost, come] = [lengthOf(old), lengthOf(now)];
    for (const name of Object.keys(item)) {
      if (lost <= 0 && come <= 0) break;
      if (Object.hasOwn(old, name) || Object.hasOwn(now, name)) continue;
      const same = name.length + 3 + leastLength(item[name], Math.max(lost, come), DEEP);
      [lost, come] = [lost - same, come - same];
    }
    return lost <= 0 && come <= 0;
  }

  /** Whether each of them is told where it is. */
  get areInPlace(): boolean {
    const { at, before, after } = this;
    if (at.length > 1) return at.every((i) => this.isInPlace(i));
    const [item, other] = [before[at[0]!], after[at[0]!]];
    const areScalars = isJsonScalar(item) && isJsonScalar(other);
    this.differing.hasScalarItem ||= areScalars;
    const areAlike = isContainer(item) && isContainer(other) && Array.isArray(item) === Array.isArray(other);
    return this.key === undefined && (areScalars || areAlike) && this.isInPlace(at[0]!);
  }

  /** Whether neither of the two is an item at another place in the other array. */
  private isInPlace(i: number): boolean {
    return !isAhead(this.before, i, this.after[i]) && !isAhead(this.after, i, this.before[i]);
  }

  /** Whether names for indexes may take more than the items that are left out, or a scalar may have come from elsewhere. */
  get isLonger(): boolean {
    const { at, before, differing } = this;
    return differing.hasScalarItem || at.reduce((bytes, i) => bytes + 5 + String(i).length, 0) > 2 * before.length;
  }

  /** The runs that the two arrays share up to the second item that differs. */
  get start(): Start {
    const [first, second = this.before.length] = this.at as [number];
    const runs = first > 0 ? [0, 0, first] : [];
    if (!this.isInPlace(first)) return { runs, at: first };
    if (second > first + 1) runs.push(first + 1, first + 1, second - first - 1);
    return { runs, at: second };
  }
}

/** How many bytes these members take at most; Infinity where one isn't a scalar. */
function lengthOf(members: Container): number {
  let length = 2;
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (!isJsonScalar(value)) return Infinity;
    length += textLength(name) + 2 + (typeof value === "string" ? textLength(value) : LONGEST_NUMBER);
  }
  return length;
}

const isNameValue = (value: unknown): boolean => value !== null && isJsonScalar(value);

/** With what differs in a member. */
function withMember(differing: Differing = whole({}, {}), name: string, inside: Differing): Differing {
  if (inside.before !== undefined) put(differing.before as Container, name, inside.before);
  if (inside.after !== undefined) put(differing.after as Container, name, inside.after);
  differing.isLess ||= inside.isLess;
  differing.hasScalarItem ||= inside.hasScalarItem;
  return differing;
}
