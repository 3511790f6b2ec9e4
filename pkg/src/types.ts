import type { StandardSchemaV1 } from "./values/validate.js";

type Scalar = string | number | boolean | null | undefined;

type Callable = (...args: never[]) => unknown;

// A list of any length is named by its items, and not mapped, so that a type that holds itself (as JSON's does) comes to an end. One
// that begins or ends with places of its own is mapped.
type Tuple = readonly [unknown, ...unknown[]] | readonly [...unknown[], unknown];

/** A state as it is published: frozen, shared between versions, `===` where nothing changed. */
export type Immutable<T> = T extends Scalar | Callable
  ? T
  : T extends Tuple ? { readonly [K in keyof T]: Immutable<T[K]> }
  : T extends readonly (infer Item)[]
    ? number extends T["length"] ? readonly Immutable<Item>[] : { readonly [K in keyof T]: Immutable<T[K]> }
    : T extends object ? { readonly [K in keyof T]: Immutable<T[K]> } : T;

/** A state while a recipe runs: write to it as to a plain object. */
export type Draft<T> = T extends Scalar | Callable
  ? T
  : T extends Tuple ? { -readonly [K in keyof T]: Draft<T[K]> }
  : T extends readonly (infer Item)[]
    ? number extends T["length"] ? Draft<Item>[] : { -readonly [K in keyof T]: Draft<T[K]> }
    : T extends object ? { -readonly [K in keyof T]: Draft<T[K]> } : T;

/** The type of what is at a JSON Pointer of a state; `unknown` where types don't say. */
export type ValueAt<T, Pointer extends string> = Pointer extends ""
  ? T
  : Pointer extends `/${infer Name}/${infer Rest}` ? ValueAt<Inside<T, Name>, `/${Rest}`> : Pointer extends `/${infer Name}` ? Inside<T, Name> : unknown;

type Inside<T, Name extends string> = unknown extends T
  ? T
  : T extends Scalar ? undefined : T extends readonly (infer Item)[] ? (Name extends `${number}` ? Item | undefined : unknown) : Name extends keyof T ? T[Name] : unknown;

/** What a generator function returns, which has run nothing yet. */
type Generated = Record<"next" | "return" | "throw", (...given: never) => unknown>;

/** What a recipe may return: neither a promise nor a generator. What it returns doesn't become the state. */
export type RecipeResult<R> = R & (unknown extends R ? unknown : [Extract<R, PromiseLike<unknown> | Generated>] extends [never] ? unknown : never);

/** One operation of JSON Patch (RFC 6902 §4). */
export type RFC6902Operation =
  | { op: "add" | "replace" | "test"; path: string; value: unknown }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; from: string; path: string };

/** One operation of JSON Patch, or of its extended dialect (`str_ins` as json-joy defines it, but that the string and the place in it must be there; `inc`). */
export type JSONPatchOperation =
  | RFC6902Operation
  | { op: "str_ins"; path: string; pos: number; str: string }
  | { op: "inc"; path: string; inc: number };

/** One write of a step. `key` is the first segment of `path`, `''` at the root. */
export type WriteOp = { key: string; path: string } & (
  | { kind: "append"; items: unknown[] }
  | { kind: "append_text"; text: string }
  | { kind: "increment"; by: number }
  | { kind: "splice"; index: number; remove: number; items: unknown[] }
  | { kind: "move"; from: string }
  | { kind: "replace"; value: unknown; isNew?: boolean }
  | { kind: "delete" }
);

/** The net effect of a step: the one source of wire patches and of persistence. */
export interface StepWrites {
  /** In the order in which they apply. */
  ops: WriteOp[];
  /** What a reader should know, one sentence each; usually nothing. */
  warnings: string[];
}

/** Step writes as they may be given: an op may name its place by `key` alone. */
export interface StepWritesInput {
  ops: readonly (Omit<WriteOp, "path" | "key"> & { kind: WriteOp["kind"]; path?: string; key?: string; [member: string]: unknown })[];
  warnings?: readonly string[];
}

/** Names a version that a tracker keeps. What is in it is the tracker's affair. */
export type CheckpointId = string;

/** Which operations a peer understands. */
export type Dialect = "rfc6902" | "extended";

/** How values are compared. */
export interface DiffOptions {
  /**
   * The member that tells which item of an array is which: objects in which it is the same are the same item,
   * whatever else changed. Without it equal items are the same, those told apart by `id`, `_id` or `key`, and
   * those at the same place that resemble each other.
   */
  key?: string | undefined;
  /** Which operations the patch may have. */
  dialect?: Dialect | undefined;
}

/** Bounds on what is accepted; over one is `LIMIT_EXCEEDED`. */
export interface Limits {
  /** Bytes of JSON text in a document, or in a patch that comes in: 64 MB. A number may count for 8, `false` for 4, and an escape for what it stands for, where that is less. */
  document?: number | undefined;
  /** Nested arrays and objects: 512; at most 2,000. */
  depth?: number | undefined;
  /** Operations in one patch: 10,000. */
  operations?: number | undefined;
  /** Bytes of UTF-8 in a string: 16 MB. Names of members count for the document alone. */
  string?: number | undefined;
  /** Segments of a pointer: 1,024. */
  path?: number | undefined;
  /** Bytes of a frame: 8 MB; at least 1,024. */
  frame?: number | undefined;
}

/** A function that throws, or returns `false`, for a state that may not be. As a method's type it may be one that was written for a state of the type `T`. */
export type Validator<T> = { validate(next: Immutable<T>): void }["validate"];

/** How a `StateTracker` tells what changed, and what it accepts. */
export interface StateTrackerOptions<T = unknown> {
  /**
   * `'precise'`: changes in arrays are told index by index. `true`: pushing is `append`, for writers in parallel. `false`: a
   * change in an array replaces it. The default is `'precise'`, and `false` with `granularity: 'key'`.
   */
  arrayDeltaMode?: boolean | "precise" | undefined;
  /** `'path'` (default): writes at the deepest point that changed. `'key'`: one op per top-level key. */
  granularity?: "path" | "key" | undefined;
  /** Pointers to numbers whose changes are told as `increment`; `*` is any one segment. */
  counters?: string[] | undefined;
  /** Pointers to strings whose growth at the end is told as `append_text`; `*` is any one segment. */
  texts?: string[] | undefined;
  /** Take the initial value over and freeze it, rather than copy it. */
  own?: boolean | undefined;
  /** Bounds on what is accepted. */
  limits?: Limits | undefined;
  /** Steps that `undo` can take back: 100, as long as the values they hold are under a quarter of `limits.document`. */
  history?: number | undefined;
  /**
   * What every state must satisfy: a schema, or a function that throws or returns `false`. It sees the whole frozen state; it
   * can't change it.
   */
  validate?: StandardSchemaV1 | Validator<T> | undefined;
}

/** How step writes are told. */
export interface StepWritesOptions {
  /**
   * Each item of an array that changed by itself, though the array as a whole were shorter: for what is merged with the writes
   * of others, as {@link mergeWrites} does, who may have changed other items. Without `arrayDeltaMode: "precise"` it changes nothing.
   */
  byItem?: boolean | undefined;
}

/**
 * An independent reader of the changes, with its own baseline. If the core fails with changes that the reader hasn't
 * read, its next question throws `ENGINE_LOST`, once: the state is whole and is the new baseline, but what led to it is
 * lost. Whoever follows this reader needs the state as a snapshot.
 */
export interface WriteCursor {
  /**
   * The net effect since the baseline. O(what changed).
   *
   * @throws PatchwireError `ENGINE_LOST`, `CLOSED`.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ tokens: 10 });
   * const rows = tracker.cursor();
   * tracker.increment("/tokens", 5);
   * console.log(rows.stepWrites()); // { ops: [ { kind: 'increment', key: 'tokens', path: '/tokens', by: 5 } ], warnings: [] }
   * ```
   */
  stepWrites(options?: StepWritesOptions): StepWrites;
  /**
   * What changed since the baseline, as JSON Patch operations. O(what changed).
   *
   * @throws PatchwireError `ENGINE_LOST`, `CLOSED`.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ tokens: 10 });
   * const wire = tracker.cursor();
   * tracker.increment("/tokens", 5);
   * console.log(wire.patches()); // [ { op: 'replace', path: '/tokens', value: 15 } ]
   * console.log(wire.patches({ dialect: "extended" })); // [ { op: 'inc', path: '/tokens', inc: 5 } ]
   * ```
   */
  patches(options?: { dialect?: "rfc6902" | undefined }): RFC6902Operation[];
  patches(options?: { dialect?: Dialect | undefined }): JSONPatchOperation[];
  /**
   * What {@link patches} gives as JSON text, without building objects; `[]` where nothing changed. O(what changed).
   *
   * @throws PatchwireError `ENGINE_LOST`, `CLOSED`.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ answer: "" });
   * const wire = tracker.cursor();
   * for (const token of ["Hel", "lo"]) {
   *   tracker.append("/answer", token);
   *   console.log(wire.patchText({ dialect: "extended" }));
   *   // [{"op":"str_ins","path":"/answer","pos":0,"str":"Hel"}]
   *   // [{"op":"str_ins","path":"/answer","pos":3,"str":"lo"}]
   *   wire.advance();
   * }
   * ```
   */
  patchText(options?: { dialect?: Dialect | undefined }): string;
  /**
   * Makes the present state the baseline of this reader alone. O(1).
   *
   * @throws PatchwireError `CLOSED`.
   * @example
   * ```ts
   * import { StateTracker } from "patchwire";
   * const tracker = new StateTracker({ n: 0 });
   * const [wire, rows] = [tracker.cursor(), tracker.cursor()];
   * tracker.update((draft) => { draft.n = 1; });
   * wire.advance();
   * console.log(wire.patches().length, rows.patches().length); // 0 1
   * ```
   */
  advance(): void;
  /**
   * Ends the reader; it costs a little while it exists, and holds on to the baseline. To close it again does nothing.
   *
   * @example
   * ```ts
   * import { PatchwireError, StateTracker } from "patchwire";
   * const wire = new StateTracker({ n: 0 }).cursor();
   * wire.close();
   * try {
   *   wire.patchText();
   * } catch (error) {
   *   if (error instanceof PatchwireError) console.log(error.message); // CLOSED: the cursor was closed
   * }
   * ```
   */
  close(): void;
}
