import { readdirSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { expect, test } from "vitest";

// What a user's debugger and error reports show is our TypeScript, without a download of it.

const dist = new URL("../../../pkg/dist/", import.meta.url);
const shim = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js") && !/^(wasm|node)\//.test(name));

test.each(shim)("%s has a map with the source in it", (name) => {
  const code = readFileSync(new URL(name, dist), "utf8");
  const map = JSON.parse(readFileSync(new URL(`${name}.map`, dist), "utf8")) as { sources: string[]; sourcesContent: string[] };
  expect(code).toContain(`//# sourceMappingURL=${name.split("/").at(-1)}.map`);
  expect(map.sourcesContent).toEqual([readFileSync(new URL(`../src/${name.replace(/js$/, "ts")}`, dist), "utf8")]);
});

test("a line of the build is found in the source", () => {
  const lines = readFileSync(new URL("errors.js", dist), "utf8").split("\n");
  const map = new SourceMap(JSON.parse(readFileSync(new URL("errors.js.map", dist), "utf8")));
  const at = lines.findIndex((line) => line.includes("this.code = code;"));
  const { originalSource, originalLine } = map.findEntry(at, 8) as { originalSource: string; originalLine: number };
  expect(originalSource).toMatch(/src\/errors\.ts$/);
  expect(readFileSync(new URL("../src/errors.ts", dist), "utf8").split("\n")[originalLine]).toContain("this.code = code;");
});
