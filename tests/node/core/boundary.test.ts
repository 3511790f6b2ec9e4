import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as shim from "../../../pkg/src/bridge/boundary.js";

/** The numbers of src/boundary.rs, by the names of their modules. */
function core(): Record<string, Record<string, number>> {
  const source = readFileSync(new URL("../../../src/boundary.rs", import.meta.url), "utf8");
  const modules = [...source.matchAll(/^pub\(crate\) mod (\w+) \{\n(.*?)^\}/gms)];
  return Object.fromEntries(modules.map(([, name, body]) => [
    name!.toUpperCase(),
    Object.fromEntries([...body!.matchAll(/const (\w+): u8 = (\d+);/g)].map(([, constant, number]) => [constant, Number(number)])),
  ]));
}

test("the numbers that cross the boundary are the same on both sides", () => {
  expect(core()).toEqual({ ...shim });
  expect(Object.keys(core())).toHaveLength(6);
});
