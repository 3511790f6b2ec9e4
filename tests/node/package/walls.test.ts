import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// As tests/walls.rs holds for the core: a folder of pkg/src imports from those below it alone. What is at the top are the public entries, which
// import from all, and what all share.

const SOURCE = fileURLToPath(new URL("../../../pkg/src", import.meta.url));

/** From the bottom. */
const ROOMS = ["wasm", "load", "json", "bridge", "state", "values", "tables", "tracker", "compat", "sync", "store", "streams"];

const SHARED = ["errors.js", "types.js"];

interface Import {
  file: string;
  target: string;
}

function* imports(): Generator<Import> {
  for (const file of readdirSync(SOURCE, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || dirname(file) === ".") continue;
    for (const [, target] of readFileSync(join(SOURCE, file), "utf8").matchAll(/\b(?:from|import) "(\.[^"]+)"/g)) {
      yield { file, target: relative(SOURCE, normalize(join(SOURCE, dirname(file), target!))) };
    }
  }
}

const roomOf = (file: string): string => file.split("/")[0]!;

test("the folders are those that have a place", () => {
  const folders = readdirSync(SOURCE, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.filter((name) => name !== "wasm").sort()).toEqual(ROOMS.slice(1).sort());
});

test("a folder imports from those below it alone", () => {
  const all = [...imports()];
  expect(all.length).toBeGreaterThan(400);
  const upwards = all.filter(({ file, target }) => !SHARED.includes(target) && ROOMS.indexOf(roomOf(target)) > ROOMS.indexOf(roomOf(file)));
  expect(upwards).toEqual([]);
  // Nothing behind the entries knows an entry.
  expect(all.filter(({ target }) => !target.includes("/") && !SHARED.includes(target))).toEqual([]);
});
