import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

// What docs/errors.md lists is what there is.

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const [codes, limits] = read("docs/errors.md").split("## Limits").map((part) => [...part.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name));

test("every code of an error", () => {
  const [, union] = /PatchwireErrorCode =([^;]*);/.exec(read("pkg/src/errors.ts"))!;
  expect(codes).toEqual([...union!.matchAll(/"(\w+)"/g)].map(([, code]) => code));
});

test("every limit", () => {
  const [, names] = /const NAMES = \[([^\]]*)\]/.exec(read("pkg/src/bridge/limits.ts"))!;
  expect(limits).toEqual([...names!.matchAll(/"(\w+)"/g)].map(([, name]) => name));
});
