import { expect, test } from "vitest";
import { applyPatch, diff } from "patchwire";
import { refusal } from "../support/refusal.ts";

// Of plain values only what both have was held to the limit of nesting: `diff` made patches that `applyPatch` refused.

const nested = (levels: number, leaf: unknown = 1): unknown => Array.from({ length: levels }).reduce((value, _, i) => (Number(i) % 2 ? { a: value } : [value]), leaf);

test.each<[name: string, before: unknown, after: unknown, depth?: number]>([
  ["what comes", {}, { x: nested(600) }],
  ["the whole", {}, nested(600)],
  ["the whole, by a limit", {}, nested(20), 10],
  ["what is inside of both", nested(513, 1), nested(513, 2)],
  ["what is far inside of both", nested(600, 1), nested(600, { b: 1 })],
  ["an item among others", [1, 2, 3], [1, nested(600), 3]],
])("%s is refused", (_, before, after, depth) => {
  expect(refusal(() => diff(before, after, depth === undefined ? undefined : { limits: { depth } })).code).toBe("LIMIT_EXCEEDED");
});

test.each<[name: string, before: unknown, after: unknown]>([
  ["what comes", {}, { x: nested(511) }],
  ["the whole", [], nested(512)],
  ["what is inside of both", nested(512, 1), nested(512, 2)],
  ["what goes", { x: nested(511) }, {}],
])("as deep as a state may be, %s is told", (_, before, after) => {
  expect(applyPatch(before, diff(before, after))).toEqual(after);
});
