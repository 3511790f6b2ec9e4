import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// `append` and `increment` took no pointer of more than 1,024 names, whatever limit the tracker had.

const depth = 1_200;
const nested = (inner: object): object => {
  let state = inner;
  for (let i = 0; i < depth; i++) state = { a: state };
  return state;
};

test("a raised limit holds for all that takes a pointer", () => {
  const tracker = new StateTracker(nested({ n: 1, s: "a" }), { limits: { depth: 2_000, path: 2_000 } });
  tracker.increment(`${"/a".repeat(depth)}/n`);
  tracker.append(`${"/a".repeat(depth)}/s`, "b");
  expect(tracker.getState()).toEqual(nested({ n: 2, s: "ab" }));
});

test("and the limit that it has is the core's to hold", () => {
  const tracker = new StateTracker(nested({ n: 1 }), { limits: { depth: 2_000, path: 1_100 } });
  expect(() => tracker.increment(`${"/a".repeat(depth)}/n`)).toThrow(expect.objectContaining({ code: "LIMIT_EXCEEDED" }));
  expect(tracker.getState()).toEqual(nested({ n: 1 }));
});
