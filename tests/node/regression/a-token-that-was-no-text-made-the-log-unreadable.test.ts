import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// `append` took a number or an object into the log, which could then never be encoded: every later question failed, and
// one of them took the core down for everybody. `write` passed them on as no bytes at all.

test.each([[5], [undefined], [null], [{}], [["x"]], [5n], [Symbol("s")], [new Uint8Array([65])]])("%o can't be appended", (value) => {
  const tracker = new StateTracker({ answer: "a" });
  expect(() => tracker.append("/answer", value as never)).toThrow(expect.objectContaining({ code: "NOT_JSON", path: "/answer" }));
  tracker.append("/answer", "b");
  expect([tracker.getPatchText(), tracker.getState()]).toEqual(['[{"op":"replace","path":"/answer","value":"ab"}]', { answer: "ab" }]);
});

test.each([[5], [undefined], [null], [{}], [["x"]], [5n], [Symbol("s")]])("%o is no chunk", (value) => {
  const tracker = new StateTracker({ answer: "a" });
  const answer = tracker.stream("/answer");
  answer.write("[1");
  expect(() => answer.write(value as never)).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
  answer.write("2]");
  answer.end();
  expect(tracker.getState()).toEqual({ answer: [12] });
});
