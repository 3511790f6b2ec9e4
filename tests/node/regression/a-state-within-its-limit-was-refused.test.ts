import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// What came in was taken to have more bytes than its text: commas counted twice, and names of members that were `undefined`.

const short = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${String(i).padStart(2, "0")}`, 1]));
const of = (start: object, limit: number) => new StateTracker<Record<string, unknown>>(start as never, { limits: { document: limit } });
const length = (value: unknown): number => JSON.stringify(value).length;

test.each<[string, unknown]>([
  ["short members", short],
  ["short members behind one that needs more than a copy", { more: [undefined].slice(1), ...short, date: { ...short } }],
  ["literals and numbers", Array.from({ length: 90 }, (_, i) => [true, null, i % 10, "", {}, []][i % 6])],
])("%s", (_, value) => {
  const size = length({ x: value });
  const tracker = of({ x: null }, size);
  tracker.update((draft) => void (draft["x"] = value));
  expect(tracker.getState()).toEqual({ x: value });
  const smaller = of({ x: null }, size - 1);
  expect(() => smaller.update((draft) => void (draft["x"] = value))).toThrow(expect.objectContaining({ code: "LIMIT_EXCEEDED" }));
  expect(smaller.getState()).toEqual({ x: null });
});

test("members that aren't there", () => {
  const gaps = { ...Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`absent${i}`, undefined])), z: 1 };
  const tracker = of({ x: null }, 60);
  tracker.update((draft) => void (draft["x"] = gaps));
  expect(tracker.getState()).toEqual({ x: { z: 1 } });
});
