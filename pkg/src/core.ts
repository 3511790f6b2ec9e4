import { load } from "#load";
import * as wasm from "./wasm/patchwire.js";
import { PatchwireError, type ErrorPlace, type PatchwireErrorCode } from "./errors.js";

const encoder = new TextEncoder();
let exports: wasm.InitOutput | undefined;
let arena: wasm.Arena;
let heap = new Uint8Array();

/** The wasm classes and functions; the first use compiles and starts the module. */
export function core(): typeof wasm {
  if (exports === undefined) {
    exports = wasm.initSync({ module: load() });
    arena = new wasm.Arena();
  }
  return wasm;
}

/**
 * Resolves when the core can be used. Every supported platform can load it synchronously, so awaiting this is
 * optional; do it to choose when the module is compiled.
 *
 * @example
 * ```ts
 * import { ready } from "patchwire";
 * await ready();
 * ```
 */
export async function ready(): Promise<void> {
  core();
}

/** Wasm memory with room for `length` bytes, and where the room starts. Growth moves it: don't keep it. */
function reserve(length: number): number {
  const room = arena.reserve(length) >>> 0;
  if (heap.buffer !== exports!.memory.buffer) heap = new Uint8Array(exports!.memory.buffer);
  return room;
}

/** Copies bytes into the arena and returns it with their length. */
export function passBytes(bytes: Uint8Array): [wasm.Arena, number] {
  core();
  const start = reserve(bytes.length);
  heap.set(bytes, start);
  return [arena, bytes.length];
}

/** Writes texts side by side into the arena and returns it with the end of each. */
export function passTexts(...texts: string[]): [wasm.Arena, ...number[]] {
  core();
  const start = reserve(texts.reduce((sum, text) => sum + text.length * 3, 0));
  let end = start;
  const ends = texts.map((text) => (end += write(text, end)) - start);
  return [arena, ...ends];
}

/** Below about a hundred characters a loop over ASCII beats the encoder's call. */
function write(text: string, at: number): number {
  if (text.length < 100) {
    let i = 0;
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) break;
      heap[at + i] = code;
    }
    if (i === text.length) return i;
  }
  return encoder.encodeInto(text, heap.subarray(at)).written;
}

/** Runs a call into the core, and makes a PatchwireError of what it throws. */
export function call<R>(run: () => R): R {
  try {
    return run();
  } catch (error) {
    throw translate(error);
  }
}

function translate(error: unknown): unknown {
  if (typeof error !== "string" || error[0] !== "{") return error;
  const { code, message, ...place } = JSON.parse(error) as { code: PatchwireErrorCode; message: string } & ErrorPlace;
  return new PatchwireError(code, message, place);
}
