import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { formatWithOptions } from "node:util";
import { expect, test, vi } from "vitest";

// Every TypeScript example of the README and of the public docstrings runs, and prints what its comments say.

const root = new URL("../../", import.meta.url);
const folder = new URL(".tools/examples/", root);
mkdirSync(folder, { recursive: true });

interface Example {
  name: string;
  code: string;
}

function examplesOf(file: string): Example[] {
  const text = readFileSync(new URL(file, root), "utf8");
  const plain = file.endsWith(".md") ? text : text.replaceAll(/^ *\* ?/gm, "");
  return [...plain.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code], i) => ({ name: `${file} ${i + 1}`, code: code! }));
}

/** What comes after `//` on a line that prints, or on the lines below it. */
function expectedOf(code: string): string[] {
  const lines = code.split("\n");
  const found: string[] = [];
  let printing = false;
  for (const line of lines) {
    const comment = /(?:^\s*|;\s*|\}\s*)\/\/ (.*)$/.exec(line)?.[1];
    if (line.includes("console.log(")) printing = true;
    if (printing && comment !== undefined) found.push(comment);
    else if (!line.includes("console.log(")) printing = false;
  }
  return found;
}

const sources = ["README.md", ...readdirSync(new URL("pkg/src/", root)).filter((name) => name.endsWith(".ts")).map((name) => `pkg/src/${name}`)];
const examples = sources.flatMap(examplesOf);

test("there are examples", () => expect(examples.length).toBeGreaterThan(8));

test.each(examples)("$name", async ({ name, code }) => {
  const file = new URL(`${name.replaceAll(/\W/g, "-")}.ts`, folder);
  writeFileSync(file, code);
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => void printed.push(formatWithOptions({ breakLength: Infinity }, ...values)));
  try {
    await import(/* @vite-ignore */ `${file.href}?${Date.now()}`);
  } finally {
    log.mockRestore();
  }
  expect(printed).toEqual(expectedOf(code));
});
