import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { applyPatch, StateDocument, StateTracker } from "patchwire";

// RFC 6902's public conformance suite, npm `json-patch-test-suite` (version and hash in package-lock.json;
// Apache-2.0), through every way a patch can be applied.

interface Record {
  comment?: string;
  doc: unknown;
  patch: unknown;
  expected?: unknown;
  error?: string;
  disabled?: boolean;
}

const require = createRequire(import.meta.url);
const suites = ["tests", "spec_tests"].flatMap((name) => (require(`json-patch-test-suite/${name}.json`) as Record[]).map((record, i) => ({ ...record, name: `${name} ${i} ${record.comment ?? ""}` })));
const enabled = suites.filter((record) => !record.disabled && record.patch !== undefined);

test("the suite is all there", () => expect(enabled.length).toBeGreaterThan(90));

const appliers: [string, (doc: unknown, patch: string) => unknown][] = [
  ["applyPatch", (doc, patch) => applyPatch(doc, patch)],
  ["StateDocument", (doc, patch) => StateDocument.parse(JSON.stringify(doc)).apply(patch).toJSON()],
  ["StateTracker", (doc, patch) => {
    const tracker = new StateTracker(doc, { arrayDeltaMode: "precise" });
    tracker.apply(patch);
    expect(applyPatch(doc, tracker.getPatchText())).toEqual(tracker.getState());
    return tracker.getState();
  }],
];

describe.each(appliers)("%s", (_, apply) => {
  test.each(enabled)("$name", ({ doc, patch, expected, error }) => {
    const text = JSON.stringify(patch);
    if (error !== undefined) expect(() => apply(doc, text)).toThrow(expect.objectContaining({ name: "PatchwireError" }));
    else expect(apply(doc, text)).toEqual(expected ?? doc);
  });
});
