import "../load/platform.js";
import { PatchwireError, type ErrorPlace, type PatchwireErrorCode } from "../errors.js";
import { pointerText } from "../json/pointer.js";
import { encodeInto, withHalvesEscaped } from "./wtf8.js";

const encoder = new TextEncoder();

/** More can't be had in one piece of wasm memory. */
const MOST_BYTES = 1 << 30;

/** What the arena keeps: room beyond it is given back once less is asked for (src/wasm/arena.rs). */
const KEPT = 1 << 20;

/** Texts from this length on get room for the bytes that they have, shorter ones for the bytes that they may have. */
const LARGE = 1 << 16;

/** A `WebAssembly.Memory`, whose name not every user's TypeScript knows; for the same reason a module is an object here. */
interface Memory {
  readonly buffer: ArrayBuffer;
}

/** What wasm-bindgen writes for every module of the core, besides its own classes and functions. */
interface Glue<Arena> {
  Arena: new () => Arena;
  initSync(source: { module: object }): { readonly memory: Memory };
  __wbg_reset_state(): void;
}

/** The buffer through which bytes enter the core (src/wasm/arena.rs). */
interface Room {
  reserve(length: number): number;
}

/** Whether values are being read for the core, and what that failed with, if it did (host.ts). */
export const reading: { isOn: boolean; failure: { thrown: unknown; isLasting: boolean } | null } = { isOn: false, failure: null };

/** What a value runs while it is read, a getter for one, would find the core half-way through something. */
function refuseWithin(): void {
  if (reading.isOn) throw new PatchwireError("TRACKER_BUSY", "a value that is being read asks for something itself");
}

/** Reads something for the core. What fails is thrown when the core has returned, which goes on with what there is otherwise. */
export function attempt<R>(otherwise: R, run: () => R, isLasting = false): R {
  // What has failed isn't asked again.
  if (reading.failure !== null) return otherwise;
  reading.isOn = true;
  try {
    return run();
  } catch (thrown) {
    reading.failure = { thrown, isLasting };
    return otherwise;
  } finally {
    reading.isOn = false;
  }
}

const FROM_EARLIER_INSTANCE = "Invalid stale object from previous Wasm instance";

/** The glue marks each object with the number of its instance (`--experimental-reset-state-function`). */
interface Instanced {
  __wbg_inst?: number;
}

/**
 * One module of the core, which `load` compiles: starts it, passes what it is called with, and starts another instance
 * when one died. There are several (DESIGN.md, "Crossing into wasm"), each with memory of its own.
 */
export function createEngine<Arena extends Room, G extends Glue<Arena>>(glue: G & Glue<Arena>, load: () => object) {
  let module: object | undefined;
  let isFirst = true;
  /** The running instance's memory; none before the first use, and when an instance died and no other could be started. */
  let memory: Memory | undefined;
  let buffer: Arena;
  /** What is known of the buffer's room. */
  let room: Uint8Array = new Uint8Array();

  /** The wasm classes and functions; the first use compiles and starts the module. */
  function core(): G {
    if (memory === undefined) start();
    return glue;
  }

  function start(): void {
    module ??= compile(load);
    try {
      // The glue starts the module once by itself. Started again, it refuses what belongs to an earlier instance.
      if (!isFirst) glue.__wbg_reset_state();
      const started = glue.initSync({ module });
      isFirst = false;
      buffer = new glue.Arena();
      ({ memory } = started);
    } catch (cause) {
      if (isFirst) throw cause;
      throw new PatchwireError("ENGINE_LOST", "the core failed, and there was no room to start it again: see `cause`", {}, { cause });
    }
  }

  /** The buffer in wasm memory through which bytes enter; of the running instance. */
  function arena(): Arena {
    if (memory === undefined) start();
    return buffer;
  }

  /**
   * The arena's bytes, with room for at least `length` and what was written there before. Valid until the core is called:
   * memory that has grown is another buffer, and then this one is empty.
   */
  function reserve(length: number): Uint8Array {
    refuseWithin();
    if (memory === undefined) start();
    // What lay in memory before it grew has no length, and can't be used even for no bytes.
    if (room.length < length || room.length === 0 || (room.length > KEPT && length <= KEPT)) {
      if (length > MOST_BYTES) throw new PatchwireError("LIMIT_EXCEEDED", "a text is over the size that the core can take");
      const address = call(() => buffer.reserve(length));
      room = new Uint8Array(memory!.buffer, address, length);
    }
    return room;
  }

  /** Copies bytes into the arena and returns it with their length. */
  function passBytes(bytes: Uint8Array): [Arena, number] {
    reserve(bytes.length).set(bytes);
    return [buffer, bytes.length];
  }

  /** Writes a JSON text into the arena at a place, and returns its end. */
  function put(json: string, at: number): number {
    const text = withHalvesEscaped(json);
    if (text.length < LARGE) return write(text, reserve(at + text.length * 3), at);
    // Most characters take one byte, which leaves no room unused.
    for (let rest = text, most = 1; ; most = 3) {
      const { read, written } = encoder.encodeInto(rest, reserve(at + rest.length * most).subarray(at));
      at += written;
      if (read === rest.length) return at;
      rest = rest.slice(read);
    }
  }

  /** Writes a JSON Pointer into the arena, with its lone surrogates; returns it with its length. */
  function passPointer(pointer: string): [arena: Arena, length: number] {
    const bytes = reserve(pointerText(pointer).length * 3);
    return [buffer, encodeInto(pointer, bytes)];
  }

  /** Writes JSON texts side by side into the arena and returns it with the end of each. */
  function passTexts<T extends string[]>(...texts: T): [Arena, ...{ [I in keyof T]: number }] {
    let end = 0;
    const ends = texts.map((text) => (end = put(text, end))) as { [I in keyof T]: number };
    return [buffer, ...ends];
  }

  /**
   * Runs a call into the core, and makes a PatchwireError of what the core throws. Every call goes through here: what
   * traps leaves the instance's memory in any state, so that nothing in it may be used again.
   *
   * Nothing of the caller's runs inside the core (options are copied first): an exception that passed
   * through its frames would leave what they had borrowed borrowed for ever. A function given to the core has to be
   * imported with `catch`; what it throws then comes back as the core's own answer, and passes through here unchanged.
   *
   * What is called for every small update takes its arguments here instead of closing over them.
   */
  function call<R>(run: () => R): R;
  function call<A, B, R>(run: (a: A, b: B) => R, a: A, b: B): R;
  function call<A, B, R>(run: (a: A, b: B) => R, a?: A, b?: B): R {
    refuseWithin();
    if (memory === undefined) start();
    let result: R;
    try {
      result = run(a!, b!);
    } catch (error) {
      const translated = translate(error);
      throw reading.failure === null ? translated : failed(translated);
    }
    if (reading.failure !== null) throw failed();
    return result;
  }

  /** What reading values failed with. Where the core may go on to use what it was told instead, it can't be used any more. */
  function failed(instead?: unknown): unknown {
    const { thrown, isLasting } = reading.failure!;
    reading.failure = null;
    if (isLoss(instead)) return instead;
    return isLasting ? lose(thrown) : thrown;
  }

  /** Whether what the handle stands for is in the running instance's memory, and not in that of one that died. */
  function isAlive(handle: object): boolean {
    return memory !== undefined && (handle as Instanced).__wbg_inst === (buffer as Instanced).__wbg_inst;
  }

  /** Gives a handle's memory back. The glue itself would free whatever lies at a dead handle's address by now. */
  function release(handle: { free(): void }): void {
    if (isAlive(handle)) call(() => handle.free());
  }

  function translate(error: unknown): unknown {
    if (typeof error === "string" && error[0] === "{") {
      return errorOf(error);
    }
    if (!(error instanceof Error)) return error;
    if (error.message === FROM_EARLIER_INSTANCE) {
      return new PatchwireError("ENGINE_LOST", "the core failed meanwhile, and this was in its memory: parse the document again");
    }
    return isFatal(error) ? lose(error) : error;
  }

  /** Lets go of the instance, whose memory can then be collected, and starts another one. */
  function lose(cause: unknown): PatchwireError {
    memory = undefined;
    room = new Uint8Array();
    // Until its text is made, V8 keeps an error's frames, and with them the instance.
    void (cause as Error | undefined)?.stack;
    try {
      start();
    } catch {
      // There may be no stack or no memory just now; the next use tries again.
    }
    return new PatchwireError("ENGINE_LOST", "the core failed, and what was in its memory is lost: see `cause`", {}, { cause });
  }

  return { core, arena, reserve, passBytes, passTexts, passPointer, call, isAlive, release };
}

/** Compiles the module. Its bytes are sound: if a CompileError or an EvalError (Safari) comes, a policy forbids them. */
function compile(load: () => object): object {
  try {
    return load();
  } catch (cause) {
    const { name } = cause as Error;
    const why =
      typeof WebAssembly === "undefined" ? "there is no WebAssembly here"
      : name === "CompileError" || name === "EvalError" ? "WebAssembly may not be compiled here: a page's Content-Security-Policy needs 'wasm-unsafe-eval' in its script-src, see docs/csp.md"
      : "the core can't be compiled here: see `cause`";
    throw new PatchwireError("ENGINE_BLOCKED", why, {}, { cause });
  }
}

/** Writes a text at a place, and returns its end. Below about a hundred characters a loop over ASCII beats the encoder's call. */
export function write(text: string, bytes: Uint8Array, at: number): number {
  if (text.length < 100) {
    let i = 0;
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) break;
      bytes[at + i] = code;
    }
    if (i === text.length) return at + i;
  }
  return at + encoder.encodeInto(text, bytes.subarray(at)).written;
}

/** An error of the core's, of its text. */
export function errorOf(text: string): PatchwireError {
  const { code, message, ...place } = JSON.parse(text) as { code: PatchwireErrorCode; message: string } & ErrorPlace;
  return new PatchwireError(code, message, place);
}

/** Whether this is `ENGINE_LOST`. */
export function isLoss(error: unknown): boolean {
  return error instanceof PatchwireError && error.code === "ENGINE_LOST";
}

/** Whether this is `ENGINE_BLOCKED`. */
export function isBlocked(error: unknown): boolean {
  return error instanceof PatchwireError && error.code === "ENGINE_BLOCKED";
}

/** Traps, running out of memory among them; and running out of stack, or of room for what comes out, on the way. */
function isFatal(error: Error): boolean {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError || error.name === "InternalError";
}
