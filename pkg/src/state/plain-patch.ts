import { EDIT } from "../bridge/boundary.js";
import type { Log } from "./log.js";
import { isContainer, type Container, type Key } from "../json/containers.js";
import { Follower, FOREIGN, type Holder } from "./edits.js";
import { isEqual, isJsonContainer } from "../json/equality.js";
import { DEEPEST, takeState } from "../json/json.js";

// A shortcut (DESIGN.md, 6). Most patches that come in only add, replace, remove, test and increase what is there, and to do that
// to a plain value takes less time than to ask the core. Whatever else there is in a patch, and whatever doesn't fit, has then
// changed nothing, and the core is asked: `tests/node/patches/plain-patch-laws.test.ts` compares the two.

/** Of longer patches and pointers, a call is no longer what takes the time. Whoever has lower limits is held to those. */
const MOST = { operations: 64, path: 200 };
/** A longer text is read once, by the core. */
const TEXT = 1 << 16;
/** A text with such an operation is the core's: it needn't be read here first. */
const OTHERS = /"(?:str_ins|move|copy)"/;
/** How a text begins whose first operation isn't one of those. */
const OURS = /^\[\{"op":"[arti]/;

/** A value after a patch, and bounds of what came in. */
interface Patched {
  value: unknown;
  bytes: number;
  depth: number;
  longest: number;
}

/** An operation as it comes. */
interface Operation {
  op?: unknown;
  path?: unknown;
  value?: unknown;
  inc?: unknown;
}

/**
 * The value after a patch, given as text or as operations; what the patch didn't change it shares with the one before.
 * Undefined where the core has to be asked. What is done goes to the `log`, if there is one. O(the patch · the containers on its ways).
 */
export function patchPlainly(value: unknown, patch: readonly unknown[] | string, holder: Holder = FOREIGN, log: Log | null = null, limits = MOST): Patched | undefined {
  if (typeof patch === "string" && isOthers(patch)) return undefined;
  try {
    const operations: unknown = typeof patch === "string" ? JSON.parse(patch) : patch;
    if (!isContainer(value) || !Array.isArray(operations) || operations.length === 0 || operations.length > Math.min(MOST.operations, limits.operations)) return undefined;
    log?.begin();
    const plain = new PlainPatch(value, holder, log, operations.length === 1, typeof patch === "string", Math.min(MOST.path, limits.path));
    for (let i = 0; i < operations.length; i++) if (!plain.apply(operations[i])) return undefined;
    const patched = plain.end();
    // An operation may have taken back what another one did.
    return operations.length > 1 && isEqual(patched.value, value, DEEPEST) ? { ...patched, value } : patched;
  } catch {
    // The core meets it as well, and says where.
    return undefined;
  }
}

/** Most patches are one operation, of which the beginning says all. */
function isOthers(patch: string): boolean {
  return patch.length > TEXT || ((!OURS.test(patch) || patch.includes('"op"', 8)) && OTHERS.test(patch));
}

class PlainPatch {
  private readonly follower: Follower;
  private bytes = 0;
  private depth = 0;
  private longest = 0;

  constructor(
    value: unknown,
    private readonly holder: Holder,
    private readonly log: Log | null,
    /** Whether what the operation does is all that is to be told. */
    private readonly isAlone: boolean,
    /** Whether the values are nobody else's. */
    private readonly isOwn: boolean,
    /** How many segments a pointer may have. */
    private readonly segments: number,
  ) {
    this.follower = new Follower(value, holder);
  }

  end(): Patched {
    const { bytes, depth, longest } = this;
    return { value: this.follower.end(), bytes, depth, longest };
  }

  apply(operation: unknown): boolean {
    if (!isContainer(operation) || (!this.isOwn && !isJsonContainer(operation))) return false;
    const { op, path: pointer } = operation as Operation;
    if (typeof pointer !== "string" || pointer[0] !== "/" || pointer.includes("~")) return false;
    const path: Key[] = pointer.split("/");
    path.shift();
    const container = path.length <= this.segments ? this.containerOn(path) : undefined;
    if (container === undefined) return false;
    const place = placeIn(container, path.at(-1) as string);
    const before = place === undefined ? undefined : container[place];
    if (!mayBeJson(before)) return false;
    path[path.length - 1] = place ?? path.at(-1)!;
    switch (op) {
      case "add":
        if (!hasOnly(operation, "value")) return false;
        return Array.isArray(container) ? this.insert(container, path, operation.value) : this.set(path, before, operation.value);
      case "replace":
        return before !== undefined && hasOnly(operation, "value") && this.set(path, before, operation.value);
      case "remove":
        return before !== undefined && hasOnly(operation, "path") && this.remove(path);
      case "test":
        return before !== undefined && hasOnly(operation, "value") && !isContainer(before) && before === operation.value;
      case "inc":
        return typeof before === "number" && hasOnly(operation, "inc") && this.increase(path, before, operation.inc);
      default:
        return false;
    }
  }

  /** The container in which the last key of a path is; the keys of items become numbers. */
  private containerOn(path: Key[]): Container | undefined {
    const way: unknown[] = [];
    let at = this.follower.value;
    for (let i = 0; ; i++) {
      if (!isContainer(at)) return undefined;
      if (this.holder === FOREIGN) {
        if (!isJsonContainer(at) || way.includes(at)) return undefined;
        way.push(at);
      }
      if (i === path.length - 1) return at as Container;
      const key = placeIn(at, path[i] as string);
      if (key === undefined) return undefined;
      at = (at as Container)[(path[i] = key)];
    }
  }

  private set(path: Key[], before: unknown, value: unknown): boolean {
    if (value === undefined) return false;
    const taken = this.take(value, path.length);
    const key = path.at(-1)!;
    // An equal value changes nothing, but the place counts as the first that was changed if something else comes there later.
    if (isEqual(taken, before, DEEPEST)) {
      if (!this.isAlone) this.log?.tell(path.slice(0, -1), { kind: "set", key, value: taken, op: null });
      return true;
    }
    this.follower.edit([EDIT.SET, path, taken]);
    const isTold = this.isAlone && !(isContainer(taken) && isContainer(before));
    this.log?.tell(path.slice(0, -1), { kind: "set", key, value: taken, op: isTold ? (before === undefined ? "add" : "replace") : null });
    return true;
  }

  private insert({ length }: Container, path: Key[], value: unknown): boolean {
    const last = path.pop()!;
    const index = last === "-" || last === String(length) ? (length as number) : last;
    if (value === undefined || typeof index !== "number") return false;
    const items = [this.take(value, path.length + 1)];
    this.follower.edit([EDIT.SPLICE, path, index, 0, items]);
    const op = index === length ? "push" : "insert";
    this.log?.tell(path, { kind: "splice", index, remove: 0, values: items, op: this.isAlone ? op : null, gone: [] });
    return true;
  }

  private remove(path: Key[]): boolean {
    const key = path.at(-1)!;
    if (typeof key === "string") {
      this.follower.edit([EDIT.DELETE, path]);
      this.log?.tell(path.slice(0, -1), { kind: "delete", key, op: this.isAlone ? "remove" : null });
      return true;
    }
    path.pop();
    this.follower.edit([EDIT.SPLICE, path, key, 1, []]);
    this.log?.tell(path, { kind: "splice", index: key, remove: 1, values: [], op: this.isAlone ? "take" : null, gone: [undefined] });
    return true;
  }

  private increase(path: Key[], before: number, by: unknown): boolean {
    const sum = typeof by === "number" ? before + by : NaN;
    if (!Number.isFinite(sum) || Object.is(sum, -0)) return false;
    this.bytes += 26;
    this.follower.edit([EDIT.SET, path, sum]);
    this.log?.increment(path, by as number);
    return true;
  }

  /** A value as it comes into a container that is so deep. */
  private take(value: unknown, above: number): unknown {
    const { state, bytes, depth, longest } = takeState(value, this.isOwn);
    this.bytes += bytes * 3 + 26;
    this.depth = Math.max(this.depth, above + depth);
    this.longest = Math.max(this.longest, longest);
    return state;
  }
}

/** The key of what a container has by this name; undefined where it has nothing. */
function placeIn(container: object, name: string): Key | undefined {
  if (!Object.prototype.propertyIsEnumerable.call(container, name)) return undefined;
  if (!Array.isArray(container)) return name;
  const index = Number(name);
  return Number.isInteger(index) ? index : undefined;
}

/** Whether an operation has an `op`, a `path` and this, and nothing else. */
function hasOnly(operation: object, argument: "path" | "value" | "inc"): operation is Required<Operation> {
  const names = Object.keys(operation);
  if (names.length !== (argument === "path" ? 2 : 3)) return false;
  for (let i = 0; i < names.length; i++) if (names[i] !== "op" && names[i] !== "path" && names[i] !== argument) return false;
  return true;
}

function mayBeJson(value: unknown): boolean {
  return typeof value === "number" ? Number.isFinite(value) : typeof value !== "function" && typeof value !== "symbol" && typeof value !== "bigint";
}
