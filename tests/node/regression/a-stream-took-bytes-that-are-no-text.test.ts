import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Bytes of a stream could have half a surrogate pair as its three bytes, which no UTF-8 has.

test("they are refused, and half a pair in a string is kept", () => {
  const tracker = new StateTracker<{ a: unknown }>({ a: 1 });
  expect(() => tracker.stream("/a").write(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22))).toThrow(expect.objectContaining({ code: "INVALID_JSON", offset: 1 }));
  const stream = tracker.stream("/a");
  for (const piece of ['"\ud83d', "\ude00\ud83d", '-"']) stream.write(piece);
  stream.end();
  expect(tracker.getState()).toEqual({ a: "\ud83d\ude00\ud83d-" });
});
