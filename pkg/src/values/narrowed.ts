import { isContainer, put, thawed } from "../state/containers.js";
import { areUnlike } from "../state/equality.js";
import { pointerOf } from "../state/json.js";
import { segmentsOf } from "../state/pointer.js";
import { AROUND, isShort, leastLength, textLength } from "../state/size.js";
import type { JSONPatchOperation } from "../types.js";
import { DEEP, Differences, isScalar, TOO_DEEP, type Members, type Pair } from "./differing.js";

// A shortcut (DESIGN.md, 6). Two versions of a state mostly have nearly everything in common, which JavaScript finds out sooner than the
// core reads it: that is asked about what differs alone. `tests/node/patches/narrowed-laws.test.ts` compares the two.

/** A longer string may be over a limit. */
const LONG = 1 << 16;
/** Containers that are longer are copied by the core, and looked through. */
const SHORT = 1 << 12;
/** Of more operations there are too many, and the core tells larger parts (src/limits.rs). */
const MANY = 10_000;

/** A member that every object may have in name only, such as `__proto__`. */
const own = (object: Members, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined);

/** What differs between two values: what is told of it, or what the core is asked about. */
export class Narrowed extends Differences {
  /** The operations, where scalars gave way to scalars, and short values came, or went, and the core would surely say the same. */
  told(extended: boolean): JSONPatchOperation[] | undefined {
    const operations: JSONPatchOperation[] = [];
    const { root } = this;
    if (root === undefined || root === TOO_DEEP) return undefined;
    const length = this.tell(root, "", extended, operations);
    // What came and went at once may have moved.
    const areInPlace = !operations.some(({ op }) => op === "add") || !operations.some(({ op }) => op === "remove");
    return !Number.isNaN(length) && (operations.length === 1 || (areInPlace && !root.hasScalarItem)) ? operations : undefined;
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
    const { before, after } = pair as { before: Members; after: Members };
    for (const name of namesOf(before, after)) {
      const inside = this.fit({ before: own(before, name), after: own(after, name) });
      if (inside.before !== undefined) put(before, name, inside.before);
      if (inside.after !== undefined) put(after, name, inside.after);
    }
    return pair;
  }

  /**
   * Adds what is to be told of a place, and returns how many bytes it is, but for what its values have beyond their least length;
   * NaN where it isn't certain.
   */
  private tell(pair: Pair, path: string, extended: boolean, operations: JSONPatchOperation[]): number {
    const original = this.originals.get(pair.after);
    if (original === undefined) {
      const operation = path === "" ? undefined : toldOf(pair, path, extended);
      if (operation === undefined || operations.length === MANY) return NaN;
      operations.push(operation);
      return AROUND[operation.op as "add"] + textLength(path) + leastLength(pair.after, Infinity, DEEP);
    }
    const { before, after } = pair as { before: Members; after: Members };
    let told = 0;
    for (const name of namesOf(before, after)) {
      told += this.tell({ before: own(before, name), after: own(after, name) }, path + pointerOf([name]), extended, operations);
    }
    // What is longer than the container gives way to that.
    const least = AROUND.replace + path.length;
    const isShorter = told <= least || told <= least + leastLength(original.after, told - least, DEEP);
    original.isLonger ||= !isShorter && !Number.isNaN(told);
    return isShorter ? told : NaN;
  }

  /** Whether something is replaced of which maybe only a part was known, which made it short. */
  replacesPart(patch: readonly JSONPatchOperation[]): boolean {
    return patch.some((operation) => operation.op === "replace" && isContainer(operation.value) && this.originals.has(this.find(operation.path)));
  }

  private find(pointer: string): unknown {
    let at = this.root?.after;
    for (const name of segmentsOf(pointer)) at = isContainer(at) ? own(at as Members, name) : undefined;
    return at;
  }
}

/** Names that either has, in the order of the first. */
function namesOf(before: Members, after: Members): string[] {
  const names = Object.keys(before);
  for (const name of Object.keys(after)) if (!Object.hasOwn(before, name)) names.push(name);
  return names;
}

/** What is to be told of a place where a scalar is another one, or a short value came or went. */
function toldOf({ before, after: value }: Pair, path: string, extended: boolean): JSONPatchOperation | undefined {
  if (value === undefined) return isShort(before, SHORT, DEEP) ? { op: "remove", path } : undefined;
  if (before === undefined && isContainer(value)) return isShort(value, SHORT, DEEP) ? { op: "add", path, value: JSON.parse(JSON.stringify(value)) } : undefined;
  if (isContainer(before) && isContainer(value) && areUnlike(before, value)) return { op: "replace", path, value: thawed(value) };
  if (!(before === undefined || isScalar(before))) return undefined;
  if (!isScalar(value) || Object.is(value, -0) || (typeof value === "string" && (value.length > LONG || (extended && hasGrown(before, value))))) return undefined;
  return { op: before === undefined ? "add" : "replace", path, value };
}

const hasGrown = (before: unknown, after: string): boolean => typeof before === "string" && before !== "" && after.startsWith(before);
