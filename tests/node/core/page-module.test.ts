import { build } from "esbuild";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type * as agentos from "../../../pkg/dist/agentos.js";
import type * as durableObjects from "../../../pkg/dist/durable-objects.js";
import type * as patchwire from "../../../pkg/dist/index.js";
import type * as memberjunction from "../../../pkg/dist/memberjunction.js";

type Page = typeof patchwire & Pick<typeof durableObjects, "SyncedState"> & Pick<typeof agentos, "StateManager"> & Pick<typeof memberjunction, "PayloadManager">;

/** What a bundler makes of the package for a page, with the modules that pages download. */
let page: Page;
const folder = mkdtempSync(join(tmpdir(), "patchwire-page-"));

async function bundle(name: string, contents: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  await build({ stdin: { contents, resolveDir: import.meta.dirname }, bundle: true, format: "esm", platform: "browser", conditions: ["browser"], outfile, logLevel: "error" });
  return outfile;
}

beforeAll(async () => {
  const everything = `export * from "patchwire"; export { SyncedState } from "patchwire/durable-objects";
    export { StateManager } from "patchwire/agentos"; export { PayloadManager } from "patchwire/memberjunction";`;
  page = await import(pathToFileURL(await bundle("everything", everything)).href);
});

afterAll(() => rmSync(folder, { recursive: true }));

test("it tracks, merges and compares", () => {
  const tracker = new page.StateTracker<any>({ list: [{ id: 1 }, { id: 2 }] }, { arrayDeltaMode: "precise", counters: ["/seen"] });
  tracker.update((draft) => { draft.list.reverse(); draft.seen = 1; });
  const moved = [{ op: "move", from: "/list/1", path: "/list/0" }, { op: "add", path: "/seen", value: 1 }];
  expect(JSON.parse(tracker.getPatchText())).toEqual(moved);
  const before = { list: [] };
  expect(page.applyPatch(before, page.diff(before, tracker.getState()))).toEqual(tracker.getState());
  expect(page.mergeBranches({ a: 1, b: 1 }, [{ a: 2, b: 1 }, { a: 1, b: 2 }]).state).toEqual({ a: 2, b: 2 });
});

test("it applies change requests, manages a graph's state, and combines patches, in a module of their own", () => {
  const { result, patch } = page.applyChangeRequest({ a: 1 }, '{"updateElements":{"a":2}}');
  expect([result, patch]).toEqual([{ a: 2 }, [{ op: "replace", path: "/a", value: 2 }]]);
  expect(new page.PayloadManager().applyAgentChangeRequest({ a: 1 }, { removeElements: { a: "__DELETE__" } }).result).toEqual({});
  const manager = new page.StateManager({ "scratch.n": "sum" });
  const base = manager.updateScratch(manager.initialize(null), { n: 1 });
  const branches = [2, 3].map((n) => manager.updateScratch(base, { n }));
  expect(manager.mergeParallelBranches(base, branches).scratch).toEqual({ n: 6 });
  expect(page.compact([patch, page.diff({ a: 2 }, { a: 3 })])).toEqual([{ op: "replace", path: "/a", value: 3 }]);
  expect(page.filterPatch([...patch, { op: "add", path: "/key", value: "k" }], { exclude: ["/key"] })).toEqual(patch);
  // An error of one module is an error of the other's user too.
  expect(() => page.applyChangeRequest({}, "{")).toThrow(page.PatchwireError);
});

test.each([
  ["a tracker", `export { StateTracker, applyPatch, diff } from "patchwire"; export { ImmerStateTracker } from "patchwire/helix";`, "page"],
  ["change requests", `export { applyChangeRequest, mergeWrites, compact } from "patchwire"; export { StateManager } from "patchwire/agentos";`, "merge"],
])("a page with %s downloads no other module of the core", async (name, contents, module) => {
  const code = readFileSync(await bundle(name, contents), "utf8");
  const isIn = (module: string) => {
    const inline = readFileSync(new URL(`../../../pkg/dist/wasm/${module}.inline.js`, import.meta.url), "utf8");
    const half = inline.length >> 1;
    return code.includes(inline.slice(half, half + 2_000));
  };
  expect(["page", "merge", "client"].filter(isIn)).toEqual([module]);
});

test("a SyncedState says that it isn't for pages", () => {
  expect(() => new page.SyncedState({} as never, { initial: {} })).toThrow(expect.objectContaining({ code: "CLOSED" }));
});
