import { build } from "esbuild";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type * as durableObjects from "../../pkg/dist/durable-objects.js";
import type * as patchwire from "../../pkg/dist/index.js";

/** What a bundler makes of the package for a page, with the module that pages download. */
let page: typeof patchwire & Pick<typeof durableObjects, "SyncedState">;
const folder = mkdtempSync(join(tmpdir(), "patchwire-page-"));

beforeAll(async () => {
  const contents = `export * from "patchwire"; export { SyncedState } from "patchwire/durable-objects";`;
  const outfile = join(folder, "page.mjs");
  await build({ stdin: { contents, resolveDir: import.meta.dirname }, bundle: true, format: "esm", platform: "browser", conditions: ["browser"], outfile, logLevel: "error" });
  page = await import(pathToFileURL(outfile).href);
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

test("a SyncedState says that it isn't for pages", () => {
  expect(() => new page.SyncedState({} as never, { initial: {} })).toThrow(expect.objectContaining({ code: "CLOSED" }));
});
