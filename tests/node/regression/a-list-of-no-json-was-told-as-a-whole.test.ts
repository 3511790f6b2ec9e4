import { expect, test } from "vitest";
import { diff } from "patchwire";

// A list of which most is another one is told as a whole before anything else is looked at. What isn't JSON in the old list, or NaN in
// both, went by.

const numbers = Array.from({ length: 50 }, (_, i) => i);

test.each<[string, unknown, unknown]>([
  ["NaN in the new list", numbers, [NaN]],
  ["NaN in both", [NaN, ...numbers], [NaN, ...numbers.map((i) => i + 1_000)]],
  ["infinity in the old list", [Infinity, ...numbers], numbers.map((i) => i + 1_000)],
  ["NaN in an item", numbers, [{ n: NaN }]],
  ["a function in the old list", [() => 1, ...numbers], numbers.map((i) => i + 1_000)],
  ["undefined in the old list", [undefined, ...numbers], numbers.map((i) => i + 1_000)],
  ["a function in an old list that is much longer", [...numbers, () => 1], [1_000]],
  ["a symbol in the old list", [Symbol("one"), ...numbers], numbers.map((i) => i + 1_000)],
])("%s is refused", (_, before, after) => {
  expect(() => diff(before, after)).toThrow(expect.objectContaining({ code: "NOT_JSON" }));
});

test("numbers with the longest text are told where they are", () => {
  const longest = -1.2345678901234567e-6;
  expect(String(longest)).toHaveLength(25);
  expect(diff([longest, ...numbers], [longest, ...numbers, longest])).toEqual([{ op: "add", path: "/-", value: longest }]);
});
