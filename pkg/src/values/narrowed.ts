import { isContainer, itemsOf, ownOf, put, withThawed, type Container } from "../json/containers.js";
import { isJsonScalar } from "../json/equality.js";
import { pointerOf } from "../json/json.js";
import { segmentsOf } from "../json/pointer.js";
import { AROUND, isShort, leastLength, Lengths, textLength } from "../json/size.js";
import { areShort, areUnlike, haveCommon } from "./unlike.js";
import type { JSONPatchOperation } from "../types.js";
import { DEEP, Differences, TOO_DEEP, type Pair } from "./differing.js";

// A shortcut (DESIGN.md, 6). Two versions of a state mostly have nearly everything in common, which JavaScript finds out sooner than the
// core reads it: that is asked about what differs alone. `tests/node/patches/narrowed-laws.test.ts` compares the two.

/** A longer string may be over a limit. */
const LONG = 1 << 16;
/** Containers that are longer are copied by the core, and looked through. */
const SHORT = 1 << 12;
/** Of longer containers it is for the core to say whether they are shorter than what is told of them. */
const LONGEST = 1 << 20;
/** Of more operations there are too many, and the core tells larger parts (src/limits.rs). */
const MANY = 10_000;

/**
 * What is to be told of a place: an operation, or in a container several, of which it may be certain that they aren't longer than the
 * container is. `least` is how many bytes they have, but for what their values have beyond their least length.
 */
type Plan = { path: string; least: number } & ({ operation: JSONPatchOperation } | { container: unknown; parts: Plan[]; isSure: boolean });

/** What differs between two values: what is told of it, or what the core is asked about. */
export class Narrowed extends Differences {
  /** How many places there are to tell of, and whether something came or went there. */
  private places = 0;
  private comes = false;
  private goes = false;
  /** What there was at these places, and what there is, where a scalar of an array differs. */
  private readonly was = new Set<unknown>();
  private readonly is = new Set<unknown>();

  /** The operations, where scalars gave way to scalars, and short values came, or went, and the core would surely say the same. */
  told(extended: boolean): JSONPatchOperation[] | undefined {
    const { root } = this;
    if (root === undefined || root === TOO_DEEP) return undefined;
    const plan = this.plan(root, "", extended);
    // What came and went at once may have moved, and so may a scalar of an array have that is elsewhere now.
    const areInPlace = (!this.comes || !this.goes) && (!root.hasScalarItem || this.shareNoScalar);
    if (plan === undefined || (this.places > 1 && !areInPlace)) return undefined;
    const operations: JSONPatchOperation[] = [];
    return Number.isNaN(tell(plan, operations, false, new Lengths(DEEP))) ? undefined : withThawed(operations);
  }

  /** Whether all are scalars, and none of those that there were is one of those that there are. */
  private get shareNoScalar(): boolean {
    for (const value of this.is) if (isContainer(value) || this.was.has(value)) return false;
    for (const value of this.was) if (isContainer(value)) return false;
    return true;
  }

  /** What to ask the core about, after {@link told}; undefined where that is all, or so much of it that it will rather be replaced. */
  asked(all: unknown): Pair | undefined {
    const { root } = this;
    const pair = root?.isLess === true ? this.fit(root) : undefined;
    if (pair === undefined || pair !== root) return undefined;
    const least = this.isMuch ? 2 * leastLength(pair.after, Infinity, DEEP) : 0;
    return least > 0 && leastLength(all, least, DEEP) < least ? undefined : pair;
  }

  /** The pair, with the originals in the place of what may have more text than they do: the core, which tells what is shorter, has to see them. */
  private fit(pair: Pair): Pair {
    const original = this.originals.get(pair.after);
    if (original === undefined) return pair;
    if (original.isLonger) return original;
    const { before, after } = pair as { before: Container; after: Container };
    for (const name of allNames(before, after)) {
      const inside = this.fit({ before: ownOf(before, name), after: ownOf(after, name) });
      if (inside.before !== undefined) put(before, name, inside.before);
      if (inside.after !== undefined) put(after, name, inside.after);
    }
    return pair;
  }

  /** What is to be told of a place; undefined where that isn't certain. */
  private plan(pair: Pair, path: string, extended: boolean): Plan | undefined {
    const original = this.originals.get(pair.after);
    if (original === undefined) return this.planOf(pair, toldOf(pair, path, extended));
    if (differsMuch(pair, original) && isOther(original, extended)) return this.planOf(original, { op: "replace", path, value: original.after });
    const { before, after } = pair as { before: Container; after: Container };
    const parts: Plan[] = [];
    let least = 0;
    let isKnown = true;
    for (const name of allNames(before, after)) {
      const part = this.plan({ before: ownOf(before, name), after: ownOf(after, name) }, path + pointerOf([name]), extended);
      if (part === undefined) isKnown = false;
      else parts.push(part);
      least += part?.least ?? 0;
    }
    if (!isKnown) return undefined;
    const around = AROUND.replace + path.length;
    const isSure = least <= around || least <= around + leastLength(original.after, least - around, DEEP);
    original.isLonger ||= !isSure;
    return { path, least, container: original.after, parts, isSure };
  }

  private planOf({ before, after }: Pair, operation: JSONPatchOperation | undefined): Plan | undefined {
    if (operation === undefined || ++this.places > MANY) return undefined;
    const { op, path } = operation;
    const isList = isContainer(before) && isContainer(after);
    this.comes ||= op === "add" || (isList && !areShort(after));
    this.goes ||= op === "remove" || (isList && !areShort(before));
    if (this.root!.hasScalarItem) {
      this.was.add(before);
      this.is.add(after);
    }
    return { path, operation, least: AROUND[op as "add"] + textLength(path) + leastLength(after, Infinity, DEEP) };
  }

  /** Whether something is replaced of which maybe only a part was known, which made it short. */
  replacesPart(patch: readonly JSONPatchOperation[]): boolean {
    return patch.some((operation) => operation.op === "replace" && isContainer(operation.value) && this.originals.has(this.find(operation.path)));
  }

  private find(pointer: string): unknown {
    let at = this.root?.after;
    for (const name of segmentsOf(pointer)) at = isContainer(at) ? ownOf(at as Container, name) : undefined;
    return at;
  }
}

/**
 * Adds the operations; what is longer than its container gives way to that. Returns how many bytes they have, if that is to be measured;
 * NaN where it isn't certain.
 */
function tell(plan: Plan, operations: JSONPatchOperation[], isMeasured: boolean, lengths: Lengths): number {
  if ("operation" in plan) {
    const { operation, path } = plan;
    operations.push(operation);
    return isMeasured ? AROUND[operation.op as "add"] + textLength(path) + ("value" in operation ? lengths.of(operation.value) : 0) : 0;
  }
  const { path, container, parts, isSure } = plan;
  const first = operations.length;
  let length = 0;
  for (const part of parts) length += tell(part, operations, isMeasured || !isSure, lengths);
  if (isSure) return length;
  const whole = AROUND.replace + textLength(path) + lengths.of(container);
  if (whole >= length) return length;
  operations.length = first;
  operations.push({ op: "replace", path, value: container });
  return whole <= LONGEST ? whole : NaN;
}

/** Names that either has, in the order of the first. */
function allNames(before: Container, after: Container): string[] {
  const names = Object.keys(before);
  for (const name of Object.keys(after)) if (!Object.hasOwn(before, name)) names.push(name);
  return names;
}

/** What is to be told of a place where a scalar is another one, or a short value came or went. */
function toldOf({ before, after: value }: Pair, path: string, extended: boolean): JSONPatchOperation | undefined {
  if (value === undefined) return isShort(before, SHORT, DEEP) ? { op: "remove", path } : undefined;
  if (before === undefined && isContainer(value)) return isShort(value, SHORT, DEEP) ? { op: "add", path, value } : undefined;
  if (isContainer(before) && isContainer(value) && isOther({ before, after: value }, extended)) return { op: "replace", path, value };
  if (path === "") return undefined;
  if (!(before === undefined || isJsonScalar(before))) return undefined;
  if (!isJsonScalar(value) || Object.is(value, -0) || (typeof value === "string" && (value.length > LONG || (extended && hasGrown(before, value))))) return undefined;
  return { op: before === undefined ? "add" : "replace", path, value };
}

/** Whether a list is told as a whole: of one that is shorter than it was nobody has looked at what is gone. */
function isOther(pair: Pair, extended: boolean): boolean {
  return !haveCommon(pair) && areUnlike(pair, extended) && (itemsOf(pair.before as object).length <= itemsOf(pair.after as object).length || isShort(pair.before, Infinity, DEEP));
}

/** Whether so many items of a list differ that it may be shorter as a whole. */
const differsMuch = ({ after }: Pair, original: Pair): boolean => Array.isArray(original.after) && 2 * Object.keys(after as Container).length > original.after.length;

const hasGrown = (before: unknown, after: string): boolean => typeof before === "string" && before !== "" && after.startsWith(before);
