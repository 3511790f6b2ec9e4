import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { applyPatch, PatchwireError, StateDocument, StateTracker } from "patchwire";

// Public conformance suites (tests/conformance/PROVENANCE.md) through every way into the package. The crate is held to
// the same files by tests/conformance/main.rs.

const folder = new URL("../../conformance/", import.meta.url);
const source = (file: string): string => readFileSync(new URL(file, folder), "utf8");
const read = <T>(file: string): T => {
  const text = source(file);
  // Upstream's data is JSON; where it comes as a JavaScript module, the value follows the module's head.
  return JSON.parse(file.endsWith(".js") ? text.slice(text.indexOf("[")) : text) as T;
};

describe("what was copied in is what upstream published", () => {
  const listed = [...source("PROVENANCE.md").matchAll(/^\| `(\S+)` \|.*\| `([0-9a-f]{64})` \|$/gm)].map(([, file, hash]) => [file!, hash!] as const);
  test("all of it", () => expect(listed).toHaveLength(5));
  test.each(listed)("%s", (file, hash) => {
    expect(createHash("sha256").update(readFileSync(new URL(file, folder))).digest("hex")).toBe(hash);
  });
});

interface Record {
  comment?: string;
  doc: unknown;
  patch: unknown;
  expected?: unknown;
  error?: string;
}

const records = ["tests", "spec_tests", "rfc6901"].flatMap((file) =>
  read<Record[]>(`json-patch/${file}.json`).map((record, i) => ({ ...record, name: `${file} ${i}` })).filter(({ patch }) => patch !== undefined),
);
const expectedFailures = read<{ [name: string]: string }>("json-patch/expected-failures.json");

const appliers: [string, (doc: unknown, patch: string) => unknown][] = [
  ["applyPatch", (doc, patch) => applyPatch(doc, patch)],
  ["StateDocument", (doc, patch) => {
    const document = StateDocument.parse(JSON.stringify(doc));
    try {
      return document.apply(patch).toJSON();
    } finally {
      expect(document.toJSON()).toEqual(doc);
    }
  }],
  ["StateTracker", (doc, patch) => {
    const tracker = new StateTracker(doc, { arrayDeltaMode: "precise" });
    const before = tracker.getState();
    try {
      tracker.apply(patch);
    } catch (error) {
      expect(tracker.getState()).toBe(before);
      expect(tracker.getPatchText()).toBe("[]");
      throw error;
    }
    expect(applyPatch(doc, tracker.getPatchText())).toEqual(tracker.getState());
    return tracker.getState();
  }],
];

describe.each(appliers)("JSON Patch by %s", (_, apply) => {
  test.each(records)("$name $comment", ({ name, doc, patch, expected, error }) => {
    const text = JSON.stringify(patch);
    const check = (): void => {
      if (error !== undefined) expect(() => apply(doc, text)).toThrow(expect.objectContaining({ name: "PatchwireError" }));
      else expect(apply(doc, text)).toEqual(expected ?? doc);
    };
    if (name in expectedFailures) expect(check, `passes now; it was expected to fail because ${expectedFailures[name]}`).toThrow();
    else check();
  });
});

test.each(records.filter(({ error, patch }) => error === undefined && (patch as { op: string }[]).every(({ op }) => op === "test")))(
  "JSON Pointer: what a test finds is what get reads, $name $comment",
  ({ doc, patch }) => {
    const document = StateDocument.parse(JSON.stringify(doc));
    for (const { path, value } of patch as { path: string; value: unknown }[]) expect(document.get(path)).toEqual(value);
  },
);

describe("JSON texts", () => {
  type Decision = { prints?: string; refusedAt?: number; why: string };
  const bytes = read<{ [name: string]: string }>("json/bytes.json");
  const decisions = read<{ [name: string]: Decision }>("json/decisions.json");
  const cases = ["parsing", "transform"].flatMap((file) =>
    read<{ name: string; input: string }[]>(`json/${file}.js`).map(({ name, input }) => ({ name, input, text: name in bytes ? Buffer.from(bytes[name]!, "hex") : Buffer.from(input) })),
  );
  const printed = (text: Uint8Array): string => Buffer.from(StateDocument.parse(text).toBytes()).toString();
  const refusal = (text: Uint8Array): PatchwireError => {
    try {
      StateDocument.parse(text);
    } catch (error) {
      if (error instanceof PatchwireError) return error;
      throw error;
    }
    throw new Error("was accepted");
  };

  test("bytes that the package couldn't hold are those it was made from", () => {
    for (const { name, input, text } of cases) expect(text.toString(), name).toBe(input);
  });

  test.each(cases.filter(({ name }) => name.startsWith("y_")))("$name is read as JSON.parse reads it", ({ input, text }) => {
    // JSON.stringify prints -0 as 0, and so do we.
    const value: unknown = JSON.parse(JSON.stringify(JSON.parse(input)));
    expect(StateDocument.parse(text).toJSON()).toEqual(value);
    expect(StateDocument.parse(input).toJSON()).toEqual(value);
    expect(printed(text)).toBe(JSON.stringify(value));
    expect(printed(Buffer.from(printed(text)))).toBe(printed(text));
  });

  test.each(cases.filter(({ name }) => name.startsWith("n_")))("$name is refused", ({ input, text }) => {
    const { code, offset } = refusal(text);
    expect(code).toBe(input.length >= 100_000 ? "LIMIT_EXCEEDED" : "INVALID_JSON");
    expect(offset).toBeLessThanOrEqual(text.length);
  });

  test.each(cases.filter(({ name }) => name in decisions))("$name is as decided", ({ name, text }) => {
    const { prints, refusedAt } = decisions[name]!;
    if (prints !== undefined) expect(printed(text)).toBe(prints);
    else expect(refusal(text)).toMatchObject({ code: "INVALID_JSON", offset: refusedAt });
  });

  test("every case is one of these", () => {
    expect(cases).toHaveLength(318 + 22);
    expect(cases.filter(({ name }) => !/^[yn]_/.test(name)).map(({ name }) => name).sort()).toEqual(Object.keys(decisions).sort());
  });
});
