import { checkJson } from "./adopt.js";
import { call, core, passBytes, passTexts, plain, release } from "./core.js";
import { PatchwireError } from "./errors.js";
import type { DiffOptions, JSONPatchOperation, Limits } from "./types.js";
import type { DocumentHandle } from "./wasm/patchwire.js";

/** JSON text of a patch given as text or as operations. */
export function patchText(patch: readonly JSONPatchOperation[] | string): string {
  if (typeof patch === "string") return patch;
  checkJson(patch);
  return JSON.stringify(patch);
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

  /** @internal */
  constructor(handle: DocumentHandle) {
    this.#handle = handle;
  }

  /** @internal */
  get handle(): DocumentHandle {
    if (this.#handle === null) throw new PatchwireError("CLOSED", "the document was freed");
    return this.#handle;
  }

  /** Reads JSON text. O(length). Throws `INVALID_JSON` with `offset`, `LIMIT_EXCEEDED`. */
  static parse(text: string | Uint8Array, limits?: Limits): StateDocument {
    const bounds = plain(limits);
    const [arena, length] = typeof text === "string" ? passTexts(text) : passBytes(text);
    return new StateDocument(call(() => core().DocumentHandle.parse(arena, length!, bounds)));
  }

  /** The value at a JSON Pointer, `undefined` where there is nothing. O(depth · log n + its size). */
  get(pointer: string): unknown {
    const text = call(() => this.handle.get(pointer));
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** The version after a patch, all of it or nothing. Throws with `opIndex` and `path`. */
  apply(patch: readonly JSONPatchOperation[] | string): StateDocument {
    const [arena, length] = passTexts(patchText(patch));
    return new StateDocument(call(() => this.handle.apply(arena, length!)));
  }

  /**
   * The patch that makes `other` of this version, as {@link diff} tells it. What both share costs nothing. At most
   * as many operations as `other`'s limits allow.
   *
   * @example
   * ```ts
   * import { StateDocument } from "patchwire";
   * const before = StateDocument.parse('{"notes":["a first note, longer than an operation on it would be"]}');
   * const after = before.apply([{ op: "add", path: "/notes/0", value: "b" }]);
   * console.log(before.diff(after)); // [ { op: 'add', path: '/notes/0', value: 'b' } ]
   * ```
   */
  diff(other: StateDocument, options?: DiffOptions): JSONPatchOperation[] {
    return JSON.parse(call(() => this.handle.diff(other.handle, options?.key, options?.dialect === "extended"))) as JSONPatchOperation[];
  }

  /** The whole value as plain JavaScript. O(its size). */
  toJSON(): unknown {
    return JSON.parse(call(() => this.handle.text()));
  }

  /** The JSON text in UTF-8, as `JSON.stringify` prints it; untouched parts are copied. O(its size). */
  toBytes(): Uint8Array {
    return call(() => this.handle.bytes());
  }

  /** Gives its memory back now rather than when it is collected. */
  free(): void {
    if (this.#handle !== null) release(this.#handle);
    this.#handle = null;
  }
}
