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
// how). The core says what the patch does; whatever is unusual, wrong above all, it is given all of the state for.

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
    for (let i = 0; i < patch.length; i++) {
      const step = readStep(state, patch[i]);
      if (step === undefined) return undefined;
      if (step !== null) steps.push(step);
    }
    return steps;
  } catch {
    // Applied to all of the state, it fails again and says where.
    return undefined;
  }
}

/** Writes an operation; null where it changes nothing. */
function readStep(state: object, operation: unknown): Step | null | undefined {
  if (!isContainer(operation) || !isJsonContainer(operation)) return undefined;
  const { op, path, value, inc } = operation as { op?: unknown; path?: unknown; value?: unknown; inc?: unknown };
  const kind = KINDS.get(op);
  const argument = kind === OPERATION.REMOVE ? "op" : kind === OPERATION.INC ? "inc" : "value";
  if (kind === undefined || !hasOnly(operation, argument) || typeof path !== "string" || path[0] !== "/" || path.includes("~")) return undefined;
  const segments = path.split("/");
  segments.shift();
  if (segments.length > SEGMENTS || path.length > LARGE) return undefined;
  sketch.byte(kind);
  sketch.number(segments.length);
  if (!writePlace(state, segments, kind === OPERATION.TEST)) return undefined;
  if (kind === OPERATION.REMOVE) return { path: segments, value: undefined };
  if (kind === OPERATION.INC) {
    if (typeof inc !== "number") return undefined;
    sketch.double(inc);
    return { path: segments, value: inc };
  }
  if (kind === OPERATION.TEST) return writeScalar(value, true) ? null : undefined;
  if (!isContainer(value)) return writeScalar(value, false) ? { path: segments, value: value === 0 ? 0 : value } : undefined;
  const taken = takeState(value, false);
  if (taken.bytes > LARGE) return undefined;
  writeContainer(taken.depth);
  return { path: segments, value: taken.state };
}

/** Whether an operation has an `op`, a `path` and this, and nothing else. */
function hasOnly(operation: object, argument: string): boolean {
  const names = Object.keys(operation);
  if (names.length !== (argument === "op" ? 2 : 3)) return false;
  for (let i = 0; i < names.length; i++) if (names[i] !== "op" && names[i] !== "path" && names[i] !== argument) return false;
  return true;
}

/** Writes what is on the way to a place, and there. */
function writePlace(state: object, segments: readonly string[], isTested: boolean): boolean {
  const way: object[] = [];
  let at: unknown = state;
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i]!;
    if (!isContainer(at) || !isJsonContainer(at) || way.includes(at)) return false;
    sketch.text(segment);
    if (Array.isArray(at)) {
      sketch.byte(1);
      sketch.number(at.length);
    } else {
      sketch.byte(0);
    }
    way.push(at);
    at = Object.prototype.propertyIsEnumerable.call(at, segment) ? (at as Record<string, unknown>)[segment] : undefined;
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
