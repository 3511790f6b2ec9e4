import { arena, call, core, passBytes, passPointer, passTexts, release, reserve } from "./core.js";
import { PatchwireError } from "../errors.js";
import { bounds } from "./limits.js";
import { isExtended, refusal } from "./checks.js";
import { decoded } from "./packed.js";
import { asBytes } from "./wtf8.js";
import { patchText } from "./patch-text.js";
import type { DiffOptions, JSONPatchOperation, Limits, RFC6902Operation } from "../types.js";
import type { DocumentHandle } from "../wasm/patchwire.js";

/** What a document is read from, and why that failed, if it has: what was read since may not be what is there. */
export interface DocumentOrigin {
  readonly failure: unknown;
}

/**
 * One version of a document, outside of JavaScript's heap: small records stay text until they are touched, and
 * versions share what they have in common. If the core fails, what was in its memory is lost: every use then throws
 * `ENGINE_LOST`, and the document has to be parsed again. After `free` every use throws `CLOSED`.
 *
 * @example
 * ```ts
 * import { StateDocument } from "patchwire";
 * const before = StateDocument.parse('{"notes":["a"]}');
 * const after = before.apply([{ op: "add", path: "/notes/-", value: "b" }]);
 * console.log(after.get("/notes"), before.get("/notes")); // [ 'a', 'b' ] [ 'a' ]
 * ```
 */
export class StateDocument {
  #handle: DocumentHandle | null;
  /** @internal What it is read from, where it is read part by part: the core doesn't keep that. */
  readonly origin: DocumentOrigin | undefined;

  /** Takes what the core holds: {@link StateDocument.parse} makes documents of text. */
  constructor(handle: DocumentHandle, origin?: DocumentOrigin) {
    if (typeof (handle as Partial<DocumentHandle> | null)?.text !== "function") throw refusal("a document is made of text or of a value: StateDocument.parse(text), new StateTracker(value).document()");
    this.#handle = handle;
    this.origin = origin;
  }

  /** @internal */
  get handle(): DocumentHandle {
    if (this.#handle === null) throw new PatchwireError("CLOSED", "the document was freed");
    if (this.origin?.failure !== undefined) throw this.origin.failure;
    return this.#handle;
  }

  /**
   * Reads JSON text, or its UTF-8 bytes. O(length).
   *
   * @throws PatchwireError `INVALID_JSON` with the `offset` in bytes, `LIMIT_EXCEEDED`.
   * @example
   * ```ts
   * import { PatchwireError, StateDocument } from "patchwire";
   * try {
   *   StateDocument.parse('{"notes":[1,2,}');
   * } catch (error) {
   *   if (error instanceof PatchwireError) console.log(error.code, error.offset); // INVALID_JSON 14
   * }
   * ```
   */
  static parse(text: string | Uint8Array, limits?: Limits): StateDocument {
    const given = bounds(limits);
    const [arena, length] = pass(text);
    return made(call(() => core().DocumentHandle.parse(arena, length, given)));
  }

  /**
   * Reads the text of another version, or its UTF-8 bytes, within this one's limits: the same as {@link parse} would
   * read, sharing with this version what both have. Many times as fast where little has changed and the text is as
   * `JSON.stringify` prints it; {@link diff} then looks at what changed only. O(length).
   *
   * @throws PatchwireError `INVALID_JSON` with the `offset` in bytes, `LIMIT_EXCEEDED`, `ENGINE_LOST`, `CLOSED`.
   * @example
   * ```ts
   * import { StateDocument } from "patchwire";
   * const before = StateDocument.parse('{"status":"running","log":["started"]}');
   * const after = before.parseNext('{"status":"done","log":["started"]}');
   * console.log(before.diff(after)); // [ { op: 'replace', path: '/status', value: 'done' } ]
   * ```
   */
  parseNext(text: string | Uint8Array): StateDocument {
    const [arena, length] = pass(text);
    return made(call(() => this.handle.parse_next(arena, length)), this.origin);
  }

  /**
   * The value at a JSON Pointer (RFC 6901), a copy as plain JavaScript; `undefined` where there is nothing.
   * O(depth · log n + its size).
   *
   * @throws PatchwireError `INVALID_POINTER`, `ENGINE_LOST`, `CLOSED`.
   * @example
   * ```ts
   * import { StateDocument } from "patchwire";
   * const document = StateDocument.parse('{"files":{"src/a.ts":{"lines":12}}}');
   * console.log(document.get("/files/src~1a.ts/lines"), document.get("/files/b.ts/lines")); // 12 undefined
   * ```
   */
  get(pointer: string): unknown {
    const [arena, length] = passPointer(pointer);
    const text = call(() => this.handle.get(arena, length));
    return text === undefined ? undefined : JSON.parse(text);
  }

  /**
   * The version after a patch of either dialect, as operations or as JSON text: all of it or nothing. This version stays
   * as it is. O(the patch · depth · log n).
   *
   * @throws PatchwireError `INVALID_PATCH`, `INVALID_POINTER`, `PATH_NOT_FOUND`, `INDEX_OUT_OF_RANGE`, `TEST_FAILED`,
   *   with `opIndex` and `path`; `INVALID_JSON`, `NOT_JSON`, `LIMIT_EXCEEDED`, `ENGINE_LOST`, `CLOSED`.
   * @example
   * ```ts
   * import { PatchwireError, StateDocument } from "patchwire";
   * const document = StateDocument.parse('{"version":3}');
   * console.log(document.apply('[{"op":"inc","path":"/version","inc":1}]').toJSON()); // { version: 4 }
   * try {
   *   document.apply([{ op: "remove", path: "/version" }, { op: "test", path: "", value: null }]);
   * } catch (error) {
   *   if (error instanceof PatchwireError) console.log(error.code, error.opIndex); // TEST_FAILED 1
   * }
   * ```
   */
  apply(patch: readonly JSONPatchOperation[] | string): StateDocument {
    const [arena, length] = passTexts(patchText(patch));
    return made(call(() => this.handle.apply(arena, length)), this.origin);
  }

  /**
   * The patch that makes `other` of this version, as {@link diff} tells it. What both share costs nothing. At most
   * as many operations as `other`'s limits allow.
   *
   * @throws PatchwireError `ENGINE_LOST`; `CLOSED` where either was freed.
   * @example
   * ```ts
   * import { StateDocument } from "patchwire";
   * const before = StateDocument.parse('{"notes":["a first note, longer than an operation on it would be"]}');
   * const after = before.apply([{ op: "add", path: "/notes/0", value: "b" }]);
   * console.log(before.diff(after)); // [ { op: 'add', path: '/notes/0', value: 'b' } ]
   * ```
   */
  diff(other: StateDocument, options?: DiffOptions & { dialect?: "rfc6902" | undefined }): RFC6902Operation[];
  diff(other: StateDocument, options?: DiffOptions): JSONPatchOperation[];
  diff(other: StateDocument, options?: DiffOptions): JSONPatchOperation[] {
    if (!isDocument(other)) throw refusal("a document is compared with another StateDocument");
    const extended = isExtended(options, "key");
    return JSON.parse(call(() => this.handle.diff(other.handle, options?.key, extended))) as JSONPatchOperation[];
  }

  /**
   * The whole value as plain JavaScript, a copy; what `JSON.stringify` asks for. O(its size).
   *
   * @throws PatchwireError `ENGINE_LOST`, `CLOSED`.
   * @example
   * ```ts
   * import { StateDocument } from "patchwire";
   * const document = StateDocument.parse('{ "n": 1.0 }');
   * console.log(document.toJSON(), JSON.stringify({ document })); // { n: 1 } {"document":{"n":1}}
   * ```
   */
  toJSON(): unknown {
    // As a string the core would check it once more.
    const length = call(() => this.handle.print(arena()));
    return JSON.parse(decoded(reserve(length).subarray(0, length)));
  }

  /**
   * The JSON text in UTF-8, as `JSON.stringify` prints it; untouched parts are copied. O(its size).
   *
   * @throws PatchwireError `ENGINE_LOST`, `CLOSED`.
   * @example
   * ```ts
   * import { StateDocument } from "patchwire";
   * const bytes = StateDocument.parse('{ "n": 1.0 }').toBytes();
   * console.log(bytes.length, new TextDecoder().decode(bytes)); // 7 {"n":1}
   * ```
   */
  toBytes(): Uint8Array {
    return call(() => this.handle.bytes());
  }

  /** @internal What is at a path of positions, one level of it where it has more than `small` bytes. */
  open(path: number[], small: number): string {
    return call(() => this.handle.open(Uint32Array.from(path), small));
  }

  /** @internal The members of the object at a path. */
  members(path: number[]): string {
    return call(() => this.handle.members(Uint32Array.from(path)));
  }

  /** @internal One member of the object at a path; undefined where there is none of that name. */
  member(path: number[], name: string): string | undefined {
    const [arena, length] = passPointer(name);
    return call(() => this.handle.member(Uint32Array.from(path), arena, length));
  }

  /** @internal Children of what is at a path, without those of more than `small` bytes. */
  read(path: number[], children: number[], small: number): string {
    return call(() => this.handle.read(Uint32Array.from(path), Uint32Array.from(children), small));
  }

  /**
   * Gives its memory back now rather than when it is collected. Other versions keep what they share with it. Every
   * further use throws `CLOSED`; to free it again does nothing.
   *
   * @example
   * ```ts
   * import { PatchwireError, StateDocument } from "patchwire";
   * const before = StateDocument.parse('{"n":1}');
   * const after = before.apply([{ op: "add", path: "/m", value: 2 }]);
   * before.free();
   * console.log(after.toJSON()); // { n: 1, m: 2 }
   * try {
   *   before.get("/n");
   * } catch (error) {
   *   if (error instanceof PatchwireError) console.log(error.code); // CLOSED
   * }
   * ```
   */
  free(): void {
    if (this.#handle !== null) release(this.#handle);
    this.#handle = null;
  }
}

// A class that names itself is called otherwise by bundlers, in stacks and where it is printed.

const made = (handle: DocumentHandle, origin?: DocumentOrigin): StateDocument => new StateDocument(handle, origin);
const isDocument = (value: unknown): boolean => value instanceof StateDocument;

/** Writes text that is to be parsed into the arena. */
function pass(text: string | Uint8Array): ReturnType<typeof passBytes> {
  if (typeof text === "string") return passTexts(text);
  const bytes = asBytes(text);
  if (bytes === undefined) throw new PatchwireError("INVALID_JSON", "a document is parsed from a string, or from bytes", { offset: 0 });
  return passBytes(bytes);
}
