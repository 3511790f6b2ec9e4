import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { applyPatch } from "patchwire";
import { parsePathWithOperations, PayloadManager } from "patchwire/memberjunction";

// What the real PayloadManager answered (tests/cases/memberjunction.json says which), and what ours answers. A case marked
// doNotCopy is a fault of the original: `OURS` says what is right there, and every such case has to be in it.

interface Case { name: string; call: string; doNotCopy?: string; expected: any; [given: string]: any }

const { cases } = JSON.parse(readFileSync(new URL("../../cases/memberjunction.json", import.meta.url), "utf8"), function (this: any, key, value) {
  const special = value?.$special;
  if (special === "undefined") delete this[key];
  return special === "undefined" ? undefined : value;
}) as { cases: Case[] };

interface Report { name: string; diff?: unknown; details: unknown[] }
const { cases: reports } = JSON.parse(readFileSync(new URL("../../cases/memberjunction-reports.json", import.meta.url), "utf8")) as { cases: Report[] };

const none = { additions: 0, updates: 0, deletions: 0 };
const deleted = { ...none, deletions: 1 };

/** What is right where the original is wrong, or where its answers contradict each other; `error` is a code. */
const OURS: Record<string, { error?: string; [part: string]: unknown }> = {
  "seed002 array delete, guide token _DELETE_": { result: { items: [{ id: "1", value: "keep" }, { id: "3", value: "keep" }] }, applied: deleted },
  "seed002 nested delete in array element, guide token": { result: { users: [{ name: "a", preferences: {} }, { name: "b" }] }, applied: deleted, warnings: ["[critical] 1 non-empty keys removed (100.0% reduction)"], requiresFeedback: true, analysisWarnings: [{ type: "key_removal", severity: "critical", path: "users.[0].preferences", message: "1 non-empty keys removed (100.0% reduction)" }] },
  // null isn't an object.
  "seed002 basic state update": { warnings: ["Auto-corrected: 'score' was in updateElements but doesn't exist (treated as addition)"], requiresFeedback: false, analysisWarnings: [] },
  "guide token as update value overwrites the element with text": { result: { items: [{ id: 1 }] }, applied: deleted, warnings: [], requiresFeedback: false, analysisWarnings: [] },
  "array: newElements cannot add an empty object": { result: { a: [{}] }, applied: { ...none, additions: 1 } },
  "array: nested __DELETE__ of a missing property in an element update": { applied: none, warnings: [] },
  "array: object in newElements for an array key is lost": { error: "VALIDATION_FAILED" },
  "update same value still counts": { applied: none },
  "update object with array": { error: "VALIDATION_FAILED" },
  "remove missing key counts a deletion": { applied: none },
  "__DELETE__ in updateElements counts an update and a deletion": { applied: deleted },
  "__DELETE__ in updateElements, missing key": { applied: none, warnings: [] },
  "newElements null over existing object is ignored": { result: { o: null }, applied: { ...none, updates: 1 }, warnings: ["Auto-corrected: 'o' was in newElements but already exists (treated as update)"] },
  "string payload": { error: "VALIDATION_FAILED" },
  // A member's name is a name; that it also spells a path is told in changeWarnings.
  "dotted key collides with a nested path": { changeWarnings: [["ADDED_BY_UPDATE", "/a.b"], ["DOTTED_NAME", "/a.b"]] },
  "key __proto__ in updateElements (JSON)": { result: JSON.parse('{"a":1,"__proto__":{"polluted":1}}'), warnings: ["Auto-corrected: '__proto__' was in updateElements but doesn't exist (treated as addition)"], prototypePolluted: [] },
  "key constructor in newElements": {
    applied: { ...none, additions: 1 }, warnings: [],
    diff: {
      changes: [{ path: "constructor", type: "added", newValue: { prototype: { polluted: 1 } }, description: "Added Object{1 key}" }],
      summary: { added: 1, removed: 0, modified: 0, unchanged: 0, totalPaths: 1 },
      formatted: "=== Deep Diff Summary ===\nTotal changes: 1\n  Added: 1\n\n=== Changes ===\n\nAdded:\n  constructor: Added Object{1 key}",
    },
  },
  "remove key constructor (inherited)": { applied: none },
  "stray key existing moves to updateElements": { requestMutated: false },
  "stray key: explicit entry wins, gaps filled": { requestMutated: false },
  "array deletion at the front shifts element comparison": { warnings: [], requiresFeedback: false, analysisWarnings: [] },
  "allowedPaths: array append is not guarded": { result: { r: [1], s: [1] }, applied: none, warnings: ["Operation denied: Cannot add 's' - operation 'add' not allowed"], blockedOperations: [{ path: "s", operation: "add", from: [1], to: [2], reason: "operation 'add' not allowed" }] },
  "allowedPaths: relative path lets a root grant write into elements": { result: { items: [{ v: 1 }], v: 0 }, applied: none, warnings: ["Operation denied: Cannot update 'items.[0]' - operation 'update' not allowed"], blockedOperations: [{ path: "items.[0]", operation: "update", from: { v: 1 }, to: { v: 2 }, reason: "operation 'update' not allowed" }] },
  "sub: star keeps deletions? (deepMerge cannot delete)": { result: { a: 1 }, blocked: 0 },
  "sub: many blocked writes count as 1": { applied: none, blocked: 3 },
  "sub: array shrink under r.*": { result: { r: { l: [2, 3] } }, blocked: 0 },
  "sub: applied counts include blocked writes": { applied: { ...none, updates: 1 } },
  // Not marked, but what the case above calls a fault.
  "seed002 sub-agent guard research.*": { applied: { ...none, updates: 1 }, warnings: [] },
  "sub: op-level add only": { applied: { ...none, additions: 1 } },
  "merge upstream: example in the docs": { applied: { additions: 1, updates: 1, deletions: 0 } },
  "merge upstream: empty array in sub payload has no leaf": { result: { a: { l: [] } }, applied: { ...none, updates: 1 } },
  "guard update items.[0].price under [\"items[*].price\"]": { result: true },
  "guard update items[0].price under [\"items[*].price\"]": { result: true },
  "guard update id under [\"**.id\"]": { result: true },
  "guard update a+b under [\"a+b\"]": { result: true },
  "guard update axb under [\"a?xb\"]": { result: false },
  // JSON has no undefined: such a member is absent.
  "deepMerge undefined source value overwrites": { result: { a: 1 } },
  // The original's request has members named "fr.field1", which it then adds under that name: it does nothing to /fr.
  "transform paths flattens to dotted keys": { result: { updateElements: { fr: { field1: "v", deep: { n: { x: { y: 1 } } } } } } },
};

const manager = new PayloadManager();

function answer(one: Case): any {
  const { payload, parent, subAgent, request, options, upstreamPaths, subAgentName = "Sub", paths, scope } = one;
  switch (one.call) {
    case "applyAgentChangeRequest": return manager.applyAgentChangeRequest(payload, request, options);
    case "applySubAgentChangeRequest": return manager.applySubAgentChangeRequest(payload, request, upstreamPaths, subAgentName);
    case "mergeUpstreamPayload": return manager.mergeUpstreamPayload(subAgentName, parent, subAgent, upstreamPaths);
    case "isOperationAllowedForPath": return { result: manager.isOperationAllowedForPath(one.path, one.operation, one.patterns) };
    case "parsePathWithOperations": return { result: parsePathWithOperations(one.spec) };
    case "extractDownstreamPayload": return { result: manager.extractDownstreamPayload(subAgentName, payload, paths) };
    case "deepMerge": return { result: manager.deepMerge(one.destination, one.source) };
    case "applyPayloadScope": return { result: manager.applyPayloadScope(payload, scope) };
    case "transformChangeRequestPaths": return { result: manager.transformChangeRequestPaths(request, scope) };
    default: throw new Error(`unknown call ${one.call}`);
  }
}

describe("PayloadManager", () => {
  test.each(cases)("$name", (one) => {
    const ours = OURS[one.name];
    if (one.doNotCopy !== undefined) {
      expect(ours, "a fault has an answer of ours").toBeDefined();
      const isOtherwise = ours!.error !== undefined || Object.entries(ours!).some(([part, value]) => !isDeepStrictEqual(one.expected[part], value));
      expect(isOtherwise, "which is another than the fault").toBe(true);
    }
    const given = JSON.stringify(one);
    if (ours?.error) {
      expect(() => answer(one)).toThrow(expect.objectContaining({ code: ours.error }));
    } else {
      const got = answer(one);
      const { originalMutated, requestMutated, prototypePolluted = [], analysisWarnings = [], changeWarnings, ...wanted } = { ...one.expected, ...ours };
      for (const [part, value] of Object.entries(wanted)) {
        const told = part === "blockedOperations" ? got[part].map(({ timestamp, ...operation }: any) => operation) : got[part];
        expect(told, part).toEqual(value);
      }
      if (got.analysis) expect(got.analysis.warnings.map(({ requiresFeedback, details, ...warning }: any) => warning)).toEqual(analysisWarnings);
      // What the two say of a change is the same where the change and what is warned of are.
      const report = reports.find(({ name }) => name === one.name);
      if (report && !(ours && ("result" in ours || "diff" in ours))) expect(got.diff).toEqual(report.diff);
      if (report && !(ours && "analysisWarnings" in ours)) expect(got.analysis?.warnings.map(({ details }: any) => details) ?? []).toEqual(report.details);
      if (changeWarnings) expect(got.changeWarnings.map(({ code, path }: any) => [code, path])).toEqual(changeWarnings);
      expect(prototypePolluted).toEqual([]);
      const before = one.payload ?? one.parent;
      if (got.patch) expect(applyPatch(before ?? null, got.patch)).toEqual(got.result);
      if (got.inverse) expect(applyPatch(got.result, got.inverse)).toEqual(before ?? null);
    }
    // Neither payload nor request is written to, and nobody's prototype.
    expect(JSON.stringify(one)).toBe(given);
    expect(({} as any).polluted).toBeUndefined();
  });

  test("the faults are marked", () => expect(cases.filter(({ doNotCopy }) => doNotCopy !== undefined)).toHaveLength(33));

  test("each recorded report belongs to a case", () => {
    const calls = cases.filter(({ call }) => call === "applyAgentChangeRequest").map(({ name }) => name);
    expect(reports.map(({ name }) => name)).toEqual(calls);
  });

  test("details are of the text itself, where items before it were deleted", () => {
    const payload = { notes: [{ t: "gone" }, { t: "x".repeat(200) }] };
    const request = { removeElements: { notes: ["__DELETE__"] }, updateElements: { notes: [{}, { t: "short" }] } };
    const { analysis, changeWarnings } = manager.applyAgentChangeRequest(payload, request);
    expect(changeWarnings.map(({ code, path, after }) => [code, path, after])).toEqual([["CONTENT_REDUCED", "/notes/1/t", "/notes/0/t"]]);
    expect(analysis!.warnings[0]!.details).toEqual({
      originalLength: 200, newLength: 5, reductionPercentage: 97.5,
      contentPreview: { before: `${"x".repeat(100)}...`, after: "short" },
    });
  });

  test("a sub-agent without paths is a mistake that is told", () => {
    expect(() => manager.applySubAgentChangeRequest({ a: 1 }, {}, undefined as never, "Sub")).toThrow("an agent's paths are a list of strings");
  });

  test("a diff goes as deep as the payload, and only where somebody wants it", () => {
    let payload: any = { n: 1 };
    for (let i = 0; i < 20; i++) payload = { in: payload };
    const request: any = { updateElements: JSON.parse(JSON.stringify(payload).replace("1", "2")) };
    const path = [...Array(20).fill("in"), "n"].join(".");
    expect(manager.applyAgentChangeRequest(payload, request).diff!.changes).toEqual([{ path, type: "modified", oldValue: 1, newValue: 2, description: "Changed from 1 to 2" }]);
    expect(manager.applyAgentChangeRequest(payload, request, { generateDiff: false, analyzeChanges: false })).not.toHaveProperty("diff");
    expect(manager.applyAgentChangeRequest(payload, request, { generateDiff: false, analyzeChanges: false })).not.toHaveProperty("analysis");
    // A sub-agent's is of what was done, and not of what was blocked.
    const guarded = manager.applySubAgentChangeRequest({ a: 1, b: 1 }, { updateElements: { a: 2, b: 2 } }, ["a"], "Sub");
    expect(guarded.diff!.changes.map(({ path }) => path)).toEqual(["a"]);
  });
});
