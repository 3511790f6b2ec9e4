// A large document as the world has it: two releases of MDN's browser-compat-data.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { StateDocument, StateTracker } from "patchwire";
import { expect, test } from "vitest";

const read = (name: string) => readFileSync(new URL(`../../../node_modules/${name}/data.json`, import.meta.url));
const [older, newer] = [read("browser-compat-data-before"), read("@mdn/browser-compat-data")];

test("a release is saved as it was, and the difference leads to the next one", () => {
  const [before, after] = [StateDocument.parse(older), StateDocument.parse(newer)];
  expect(Buffer.compare(before.toBytes(), older)).toBe(0);
  const patch = before.diff(after);
  // The release is mostly the same.
  expect(JSON.stringify(patch).length).toBeLessThan(newer.length / 20);
  const expected = JSON.parse(newer.toString()) as unknown;
  const applied = before.apply(patch);
  expect(isDeepStrictEqual(applied.toJSON(), expected)).toBe(true);
  const tracker = new StateTracker(before, { arrayDeltaMode: "precise" });
  tracker.apply(patch);
  expect(before.apply(tracker.getPatchText()).diff(after)).toEqual([]);
  for (const document of [before, after, applied]) document.free();
});
