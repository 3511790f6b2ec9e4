import { expect, test } from "vitest";
import { applyChangeRequest, applyPatch, applyStepWrites, compact, mergeBranches, revertChange, stateBefore, StateDocument, stepWritesToRFC6902, type JSONPatchOperation } from "patchwire";
import { refusal } from "../support/refusal.ts";

// What functions on plain values give is frozen, and what they are given is looked at where they say so.

test("what a record leads back to is frozen, and a record says nothing of who isn't known", () => {
  const { result, record } = applyChangeRequest({ list: [{ n: 1 }] }, { updateElements: { list: [{ n: 2 }] } });
  for (const { result: before } of [revertChange(result, [record], 0), stateBefore(result, [record], 0)]) {
    expect(before).toEqual({ list: [{ n: 1 }] });
    expect([before, before.list, before.list[0]].every(Object.isFrozen)).toBe(true);
  }
  expect(Object.keys(record)).not.toContain("agent");
});

test("what is put somewhere by patches that are compacted, or by step writes, has to be JSON", () => {
  const value = new Date(0);
  expect(refusal(() => compact([[{ op: "add", path: "/at", value } as JSONPatchOperation]])).code).toBe("NOT_JSON");
  const writes = { ops: [{ kind: "replace", path: "/at", value }] } as never;
  expect(refusal(() => applyStepWrites({ at: 0 }, writes)).code).toBe("NOT_JSON");
  expect(refusal(() => stepWritesToRFC6902(writes)).code).toBe("NOT_JSON");
});

test("a value that is equal but for members that are undefined changes nothing", () => {
  const state = { at: { x: 1, y: undefined } };
  expect(applyPatch(state, [{ op: "replace", path: "/at", value: { x: 1 } }])).toBe(state);
});

test("a limit of the caller's is as long as a state may be, before and after", () => {
  const state = { n: 1, text: "", rest: { of: [{ it: "r".repeat(200) }] } };
  const document = JSON.stringify({ ...state, text: "x" }).length;
  const patch = (text: string): JSONPatchOperation[] => [{ op: "replace", path: "/text", value: text }];
  expect(applyPatch(state, patch("x"), { limits: { document } })).toEqual({ ...state, text: "x" });
  expect(refusal(() => applyPatch(state, patch("xy"), { limits: { document } })).code).toBe("LIMIT_EXCEEDED");
  const branches = [{ ...state, text: "x" }, { ...state, text: "y" }];
  expect(mergeBranches(state, branches, { "/text": "last" }, { limits: { document } }).state).toEqual(branches[1]);
  expect(refusal(() => mergeBranches(state, [{ ...state, text: "too" }, branches[1]!], {}, { limits: { document } })).code).toBe("LIMIT_EXCEEDED");
  expect(refusal(() => mergeBranches(state, branches, { "/text": "concat" }, { limits: { document } })).code).toBe("LIMIT_EXCEEDED");
});

test("whoever has a limit has all of the state looked at, which has to be JSON", () => {
  const state = { n: 1, there: { at: new Date(0) } };
  expect(applyPatch(state, [{ op: "replace", path: "/n", value: 2 }])).toEqual({ ...state, n: 2 });
  expect(refusal(() => applyPatch(state, [{ op: "replace", path: "/n", value: 2 }], { limits: { document: 1_000 } }))).toMatchObject({ code: "NOT_JSON", path: "/there/at" });
});

test("a document is compared with a document", () => {
  const document = StateDocument.parse("{}");
  expect(refusal(() => document.diff({} as never)).code).toBe("VALIDATION_FAILED");
});
