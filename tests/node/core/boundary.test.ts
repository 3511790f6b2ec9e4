import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DEFAULTS } from "../../../pkg/src/bridge/limits.js";
import { NAMES } from "../../../pkg/src/state/same.js";
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

const text = (file: string): string => readFileSync(new URL(`../../../src/${file}`, import.meta.url), "utf8");

test("limits that nobody asks for, and members that are names, are the same on both sides", () => {
  const [, defaults] = /fn default\(\) -> Self \{\s*Limits \{ (.*?) \}/s.exec(text("limits.rs"))!;
  const limits = defaults!.split(", ").map((field) => field.split(": ")).map(([name, number]) => [name, Number(new Function(`return ${number}`)())]);
  expect(Object.fromEntries(limits)).toEqual(DEFAULTS);
  // They cross without names.
  const [, order] = /in \[(.*?)\]\.into_iter\(\)\.zip\(given\)/.exec(text("wasm/limits.rs"))!;
  expect(order!.split(", ")).toEqual(Object.keys(DEFAULTS));
  const [, names] = /const NAMES: .*? = \[(.*?)\];/.exec(text("diff/naming.rs"))!;
  expect(names!.split(", ").map((name) => name.slice(2, -1))).toEqual(NAMES);
});

test("the numbers that cross the boundary are the same on both sides", () => {
  const { PROTOCOL, ...numbers } = shim;
  expect(core()).toEqual(numbers);
  const constants = [...text("sync/frame.rs").matchAll(/^pub const (\w+): .*? = (?:r#)?(.*?)#?;/gm)].map(([, name, value]) => [name!, new Function(`return ${value!.replace(/^"(.*)"$/, "'$1'")}`)()]);
  expect(Object.fromEntries(constants)).toMatchObject(PROTOCOL);
  expect(Object.keys(core())).toHaveLength(9);
});
