import { expect } from "vitest";
import type { Frame } from "./session.ts";

interface ServerEvent {
  id?: string;
  data?: Frame;
}

/** Reads a response as server-sent events. */
export class EventReader {
  readonly events: ServerEvent[] = [];
  lastId: string | undefined;
  #text = "";

  static async open(answer: Promise<Response>): Promise<EventReader> {
    const { headers, body } = await answer;
    expect(headers.get("Content-Type")).toBe("text/event-stream");
    return new EventReader(body!.pipeThrough(new TextDecoderStream()).getReader());
  }

  private constructor(private readonly reader: ReadableStreamDefaultReader<string>) {}

  async until(fits: (event: ServerEvent) => boolean): Promise<ServerEvent> {
    for (;;) {
      const found = this.events.find(fits);
      if (found) return found;
      const { value, done } = await this.reader.read();
      if (done) throw new Error("the stream ended");
      const texts = (this.#text + value).split("\n\n");
      this.#text = texts.pop()!;
      for (const text of texts) {
        const event: ServerEvent = {};
        if (text.startsWith("id: ")) this.lastId = event.id = text.slice(4);
        else if (text.startsWith("data: ")) event.data = JSON.parse(text.slice(6));
        else throw new Error(`an odd line: ${text}`);
        this.events.push(event);
      }
    }
  }

  cancel(): Promise<void> {
    return this.reader.cancel();
  }
}
