import "../load/platform.js";

const encoder = new TextEncoder();
const LONE_SURROGATE = /\p{Surrogate}/u;
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** Whether a string holds no lone surrogate, which the platform's encoder would lose. */
function isWellFormed(text: string & { isWellFormed?(): boolean }): boolean {
  return text.isWellFormed?.() ?? !LONE_SURROGATE.test(text);
}

/**
 * A JSON text in which lone surrogates, which the encoder would lose, are escapes. They can only be in its strings; one behind the backslash of an
 * escape makes it no JSON, and stays.
 */
export function withHalvesEscaped(json: string): string {
  return isWellFormed(json) ? json : json.replace(LONE_SURROGATES, escaped);
}

function escaped(half: string, at: number, text: string): string {
  return isInEscape(text, at) ? half : `\\u${half.charCodeAt(0).toString(16)}`;
}

/** Whether the backslash before a place of a JSON text belongs to what is there. */
function isInEscape(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === "\\") from--;
  return (at - from) % 2 === 1;
}

/** Where a JSON text that goes on is cut, so that neither a surrogate pair nor a backslash and what it escapes is cut in two. */
export function seamOf(text: string): number {
  const end = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800 ? text.length - 1 : text.length;
  return isInEscape(text, end) ? end - 1 : end;
}

/** Writes a string as UTF-8 in which lone surrogates have their three bytes, as the core keeps them; returns its length. */
export function encodeInto(text: string, bytes: Uint8Array): number {
  if (isWellFormed(text)) return encoder.encodeInto(text, bytes).written;
  let at = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (code >= 0xd800 && code < 0xe000) {
      bytes.set([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)], at);
      at += 3;
    } else {
      at += encoder.encodeInto(character, bytes.subarray(at)).written;
    }
  }
  return at;
}

/** The bytes of any view of a buffer, whatever its items are; undefined for what is none. */
export function asBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined;
}
