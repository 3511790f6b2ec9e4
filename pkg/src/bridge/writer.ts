import { encodeInto } from "./wtf8.js";

/** Eight bytes, as a number and one by one. */
export const doubleView = new DataView(new ArrayBuffer(8));
export const doubleBytes: Uint8Array = new Uint8Array(doubleView.buffer);

/** Writes what the core reads (src/log/). */
export abstract class Writer {
  protected at = 0;

  constructor(protected bytes: Uint8Array) {}

  /** So many bytes, which begin with those that were written. */
  protected abstract room(length: number): Uint8Array;

  byte(byte: number): void {
    if (this.at === this.bytes.length) this.grow(1);
    this.bytes[this.at++] = byte;
  }

  number(number: number): void {
    this.grow(5);
    while (number > 0x7f) {
      this.bytes[this.at++] = (number & 0x7f) | 0x80;
      number >>>= 7;
    }
    this.bytes[this.at++] = number;
  }

  double(number: number): void {
    this.grow(8);
    doubleView.setFloat64(0, number, true);
    for (let i = 0; i < 8; i++) this.bytes[this.at++] = doubleBytes[i]!;
  }

  /** A string, with its length in front; returns that. Short ASCII is faster without the encoder; a lone surrogate the encoder would lose. */
  text(text: string): number {
    const { length } = text;
    this.grow(length * 3 + 5);
    if (length < 100) {
      const start = this.at + 1;
      let i = 0;
      for (; i < length; i++) {
        const code = text.charCodeAt(i);
        if (code > 0x7f) break;
        this.bytes[start + i] = code;
      }
      if (i === length) {
        this.bytes[this.at] = length;
        this.at = start + length;
        return length;
      }
    }
    const start = this.at + 5;
    const written = encodeInto(text, this.bytes.subarray(start));
    for (let i = 0, rest = written; i < 5; i++, rest >>>= 7) this.bytes[this.at + i] = (rest & 0x7f) | (i < 4 ? 0x80 : 0);
    this.at = start + written;
    return written;
  }

  private grow(room: number): void {
    const { length } = this.bytes;
    if (this.at + room > length) this.bytes = this.room(Math.max(length * 2, this.at + room));
  }
}
