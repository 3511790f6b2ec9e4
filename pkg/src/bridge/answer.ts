import { Writer } from "./writer.js";

/** What a buffer keeps. */
const ROOM = 1 << 16;

/** What is written to cross into the core from memory of JavaScript's: from that of the core it could be taken meanwhile. */
export class Answer extends Writer {
  constructor() {
    super(new Uint8Array(ROOM));
  }

  protected room(length: number): Uint8Array {
    const longer = new Uint8Array(length);
    longer.set(this.bytes);
    return longer;
  }

  begin(): void {
    this.at = 0;
    if (this.bytes.length > ROOM) this.bytes = new Uint8Array(ROOM);
  }

  end(): Uint8Array {
    return this.bytes.subarray(0, this.at);
  }
}
