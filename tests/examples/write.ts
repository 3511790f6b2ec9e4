// Before the tests of a project: the examples of the README, of docs/ and of the public docstrings become files that run.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { TestProject } from "vitest/node";

const root = new URL("../../", import.meta.url);
const shim = readdirSync(new URL("pkg/src/", root), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const pages = readdirSync(new URL("docs/", root)).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);

export default function setup({ name }: TestProject): void {
  const folder = new URL(`.tools/examples/${name}/`, root);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of ["README.md", ...pages, ...shim.map((file) => `pkg/src/${file}`)]) {
    const text = readFileSync(new URL(file, root), "utf8");
    const plain = file.endsWith(".md") ? text : text.replaceAll(/^ *\* ?/gm, "");
    // What begins with a file's name is a part of a project (tests/packaging/).
    for (const { 1: code, index } of plain.matchAll(/^```ts\n(?!\/\/ \S+\.ts\n)(.*?)^```/gms)) {
      const line = plain.slice(0, index).split("\n").length;
      // Files in different folders may have one name.
      const name = file.replace("pkg/src/", "").replaceAll("/", "-");
      writeFileSync(new URL(`${name}-${line}.ts`, folder), code!);
    }
  }
}
