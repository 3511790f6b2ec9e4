import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";

// The room for what enters the core is asked for again when wasm memory has grown, since then it has no length. The pointer to
// the whole document has none either: it was enough, and "Cannot perform Construct on a detached ArrayBuffer" came out.

test("a stream into the whole document, after the memory has grown", () => {
  for (let size = 1; size <= 1 << 20; size *= 4) {
    const tracker = new StateTracker<unknown>(null);
    tracker.getPatchText();
    const document = StateDocument.parse(JSON.stringify(new Array(size).fill("some text")));
    // What leaves the core takes room in its memory first.
    expect(document.toBytes()).toHaveLength(size * 12 + 1);
    const stream = tracker.stream("");
    stream.write("[1]");
    stream.end();
    expect(tracker.getState()).toEqual([1]);
    document.free();
  }
});
