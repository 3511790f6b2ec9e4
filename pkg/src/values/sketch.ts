import { EDIT, OPERATION, VALUE } from "../bridge/boundary.js";
import { arena, call, core, reserve } from "../bridge/core.js";
import { reading } from "../bridge/engine.js";
import { isJsonContainer } from "../bridge/host.js";
import { byte, number, unpack } from "../bridge/packed.js";
import { Writer } from "../bridge/writer.js";
import { isContainer } from "../state/containers.js";
import { derive, type ViewEdit } from "../state/edits.js";
import { takeState } from "../state/json.js";
import type { JSONPatchOperation } from "../types.js";

// A patch of a few operations crosses together with the places that its pointers name, in one call (src/patch/sketched.rs has
// how), from the innermost container on that has all of them. The core says what the patch does; whatever is unusual, wrong
// above all, it is given all of the state for.

/** Of more operations, and of longer pointers and texts, one call is no longer what takes the time. */
const OPERATIONS = 32;
const SEGMENTS = 200;
const TEXT = 256;
/** A longer value is held against the core's limits. */
const LARGE = 1 << 16;

const KINDS = new Map<unknown, number>([
  ["add", OPERATION.ADD],
  ["remove", OPERATION.REMOVE],
  ["replace", OPERATION.REPLACE],
  ["test", OPERATION.TEST],
  ["inc", OPERATION.INC],
]);

/** An operation as it comes. */
interface Operation {
  op?: unknown;
  path?: unknown;
  value?: unknown;
  inc?: unknown;
}

/** An operation's place, and its value as it is to be put there. */
interface Step {
  path: string[];
  value: unknown;
}

/** What is told has so much room: of what is longer, telling it isn't what takes the time. */
const ROOM = 1 << 14;

const NONE: Uint8Array = new Uint8Array();

/** It is written where the core reads it, which nobody else can use meanwhile: `reading` sees to that. */
class Sketch extends Writer {
  begin(): void {
    this.bytes = reserve(ROOM);
    this.at = 0;
  }

  /** Returns how long it is. The core that it is in may be lost, and mustn't be kept by this. */
  end(): number {
    this.bytes = NONE;
    return this.at;
  }

  protected room(): never {
    throw new RangeError("the sketch is too long");
  }
}

const sketch = new Sketch(NONE);

/** The state after the patch; undefined where that has to be found out by the state itself. O(what is touched). */
export function applySketched(state: unknown, patch: readonly JSONPatchOperation[]): unknown {
  if (reading.isOn || !isContainer(state) || !Array.isArray(patch) || patch.length === 0 || patch.length > OPERATIONS) return undefined;
  sketch.begin();
  const steps = whileReading(readSteps, state, patch);
  const told = sketch.end();
  if (steps === undefined) return undefined;
  const length = call(ask, told, undefined);
  return length === undefined ? undefined : whileReading(derive, state, unpack(reserve(length), () => readEdits(steps)));
}

/** Runs what calls getters if there are any, which then find the core busy, as where it reads the state itself. */
function whileReading<A, B, R>(run: (a: A, b: B) => R, a: A, b: B): R {
  reading.isOn = true;
  try {
    return run(a, b);
  } finally {
    reading.isOn = false;
  }
}

function ask(length: number): number | undefined {
  return core().apply_sketched(arena(), length);
}

function readSteps(state: object, patch: readonly unknown[]): Step[] | undefined {
  const steps: Step[] = [];
  try {
    const paths: string[][] = [];
    for (let i = 0; i < patch.length; i++) {
      const path = pathOf(patch[i]);
      if (path === undefined) return undefined;
      paths.push(path);
    }
    const around = sharedBy(paths);
    const way = wayTo(state, paths[0]!, around);
    if (way === undefined) return undefined;
    sketch.number(around);
    for (let i = 0; i < patch.length; i++) {
      const step = readStep(way, patch[i] as Operation, paths[i]!);
      if (step === undefined) return undefined;
      if (step !== null) steps.push(step);
    }
    return steps;
  } catch {
    // Applied to all of the state, it fails again and says where.
    return undefined;
  }
}

/** The segments of an operation's pointer. */
function pathOf(operation: unknown): string[] | undefined {
  if (!isContainer(operation) || !isJsonContainer(operation)) return undefined;
  const { path } = operation as Operation;
  if (typeof path !== "string" || path[0] !== "/" || path.length > LARGE || path.includes("~")) return undefined;
  const segments = path.split("/");
  segments.shift();
  return segments.length > SEGMENTS ? undefined : segments;
}

/** How many segments lead to the container that has all of these places. */
function sharedBy(paths: readonly string[][]): number {
  const first = paths[0]!;
  let shared = first.length - 1;
  for (let i = 1; i < paths.length; i++) {
    const path = paths[i]!;
    shared = Math.min(shared, path.length - 1);
    for (let k = 0; k < shared; k++) if (path[k] !== first[k]) shared = k;
  }
  return shared;
}

/** The containers from the state on to the one that so many segments lead to. */
function wayTo(state: object, path: readonly string[], length: number): object[] | undefined {
  const way: object[] = [];
  let at: unknown = state;
  for (let i = 0; ; i++) {
    if (!isContainer(at) || !isJsonContainer(at) || way.includes(at)) return undefined;
    way.push(at);
    if (i === length) return way;
    at = memberOf(at, path[i]!);
  }
}

function memberOf(container: object, name: string): unknown {
  return Object.prototype.propertyIsEnumerable.call(container, name) ? (container as Record<string, unknown>)[name] : undefined;
}

/** Writes an operation on something within the last container of `way`; null where it changes nothing. */
function readStep(way: readonly object[], operation: Operation, path: string[]): Step | null | undefined {
  const { op, value, inc } = operation;
  const kind = KINDS.get(op);
  const argument = kind === OPERATION.REMOVE ? "op" : kind === OPERATION.INC ? "inc" : "value";
  if (kind === undefined || !hasOnly(operation, argument)) return undefined;
  sketch.byte(kind);
  sketch.number(path.length + 1 - way.length);
  if (!writePlace(way, path, kind === OPERATION.TEST)) return undefined;
  if (kind === OPERATION.REMOVE) return { path, value: undefined };
  if (kind === OPERATION.INC) {
    if (typeof inc !== "number") return undefined;
    sketch.double(inc);
    return { path, value: inc };
  }
  if (kind === OPERATION.TEST) return writeScalar(value, true) ? null : undefined;
  if (!isContainer(value)) return writeScalar(value, false) ? { path, value: value === 0 ? 0 : value } : undefined;
  const taken = takeState(value, false);
  if (taken.bytes > LARGE) return undefined;
  writeContainer(taken.depth);
  return { path, value: taken.state };
}

/** Whether an operation has an `op`, a `path` and this, and nothing else. */
function hasOnly(operation: object, argument: string): boolean {
  const names = Object.keys(operation);
  if (names.length !== (argument === "op" ? 2 : 3)) return false;
  for (let i = 0; i < names.length; i++) if (names[i] !== "op" && names[i] !== "path" && names[i] !== argument) return false;
  return true;
}

/** Writes what is on the way to a place, from the last container of `around` on, and there. */
function writePlace(around: readonly object[], path: readonly string[], isTested: boolean): boolean {
  const way: object[] = [];
  let at: unknown = around[around.length - 1];
  for (let i = around.length - 1; i < path.length; i++) {
    if (i >= around.length && (!isContainer(at) || !isJsonContainer(at) || way.includes(at) || around.includes(at))) return false;
    const container = at as object;
    sketch.text(path[i]!);
    if (Array.isArray(container)) {
      sketch.byte(1);
      sketch.number(container.length);
    } else {
      sketch.byte(0);
    }
    way.push(container);
    at = memberOf(container, path[i]!);
  }
  sketch.byte(at === undefined ? 0 : 1);
  if (at === undefined) return true;
  if (!isContainer(at)) return writeScalar(at, isTested);
  sketch.byte(VALUE.NULL);
  return !isTested;
}

function writeContainer(depth: number): void {
  sketch.byte(VALUE.OBJECT);
  sketch.number(depth);
}

/** Writes a value that is no container; of a long string only that there is one. */
function writeScalar(value: unknown, isTested: boolean): boolean {
  if (typeof value === "string") {
    if (value.length <= TEXT) {
      sketch.byte(VALUE.TEXT);
      sketch.text(value);
      return true;
    }
    writeContainer(0);
    return !isTested && value.length <= LARGE;
  }
  if (typeof value === "number") {
    sketch.byte(VALUE.NUMBER);
    sketch.double(value);
    return Number.isFinite(value);
  }
  sketch.byte(value === null ? VALUE.NULL : value === true ? VALUE.TRUE : VALUE.FALSE);
  return value === null || typeof value === "boolean";
}

/** The core's answer, with what it needn't say. */
function readEdits(steps: readonly Step[]): ViewEdit[] {
  const edits: ViewEdit[] = [];
  for (let i = 0; i < steps.length; i++) {
    const { path, value } = steps[i]!;
    switch (byte()) {
      case EDIT.SET:
        edits.push([EDIT.SET, path, value]);
        break;
      case EDIT.DELETE:
        edits.push([EDIT.DELETE, path]);
        break;
      case EDIT.SPLICE: {
        const [index, remove] = [number(), number()];
        edits.push([EDIT.SPLICE, path.slice(0, -1), index, remove, remove > 0 ? [] : [value]]);
        break;
      }
      default:
        edits.push([EDIT.ADD, path, value as number]);
    }
  }
  return edits;
}
