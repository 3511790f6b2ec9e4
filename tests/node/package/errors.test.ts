import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DEFAULTS } from "../../../pkg/src/bridge/limits.js";

// What docs/errors.md lists is what there is.

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const [codes, limits] = read("docs/errors.md").split("## Limits").map((part) => [...part.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name));

test("every code of an error", () => {
  const [, union] = /PatchwireErrorCode =([^;]*);/.exec(read("pkg/src/errors.ts"))!;
  expect(codes).toEqual([...union!.matchAll(/"(\w+)"/g)].map(([, code]) => code));
});

test("every limit", () => {
  expect(limits).toEqual(Object.keys(DEFAULTS));
});
