import { arena, passTexts, reserve } from "../bridge/core.js";
import { write } from "../bridge/engine.js";
import { sharedHead, sharedTail } from "../json/common-ends.js";
import { asBytes, withHalvesEscaped } from "../bridge/wtf8.js";
import { refusal } from "../bridge/checks.js";
import type { Arena } from "../wasm/patchwire.js";

/** Below this encoding both takes no longer than looking for what they share. */
const LONG = 4096;

/**
 * Writes two versions of one text side by side into the arena and returns it with the end of each. Strings with
 * characters beyond Latin-1 take a nanosecond a character to encode, and a tenth of that to compare: what they share at
 * their ends is encoded once.
 */
export function passVersions(older: string | Uint8Array, newer: string | Uint8Array): [Arena, number, number] {
  const [before, after] = [textOf(older), textOf(newer)];
  if (typeof before !== "string" || typeof after !== "string") {
    const room = reserve(most(before) + most(after));
    const split = put(before, room, 0);
    return [arena(), split, put(after, room, split)];
  }
  if (before.length < LONG || after.length < LONG) return passTexts(before, after);
  const room = reserve((before.length + after.length) * 3);
  const head = sharedHead(before, after);
  const tail = sharedTail(before, after, head);
  const headEnd = write(before.slice(0, head), room, 0);
  const tailStart = write(before.slice(head, before.length - tail), room, headEnd);
  const split = write(before.slice(before.length - tail), room, tailStart);
  room.copyWithin(split, 0, headEnd);
  const middleEnd = write(after.slice(head, after.length - tail), room, split + headEnd);
  room.copyWithin(middleEnd, tailStart, split);
  return [arena(), split, middleEnd + split - tailStart];
}

function textOf(text: string | Uint8Array): string | Uint8Array {
  const known = typeof text === "string" ? withHalvesEscaped(text) : asBytes(text);
  if (known === undefined) throw refusal("the texts to compare are strings, or bytes in a Uint8Array");
  return known;
}

const most = (text: string | Uint8Array) => (typeof text === "string" ? text.length * 3 : text.length);

function put(text: string | Uint8Array, room: Uint8Array, at: number): number {
  if (typeof text === "string") return write(text, room, at);
  room.set(text, at);
  return at + text.length;
}
