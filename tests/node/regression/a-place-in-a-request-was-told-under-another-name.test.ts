import { expect, test } from "vitest";
import { applyChangeRequest } from "patchwire";
import { PayloadManager } from "patchwire/memberjunction";

// What the core is sent about a change is one object, which was checked as a whole: a date in a request was told at
// `/request/updateElements/at`, where the request has no such member.

const refusal = (change: () => unknown): unknown => {
  try {
    return change();
  } catch (error) {
    const { code, path } = error as { code: string; path?: string };
    return [code, path];
  }
};

test("what isn't JSON is told by its place in what was given", () => {
  const at = new Date(0);
  expect(refusal(() => applyChangeRequest({ a: 1 }, { updateElements: { at: [at] } }))).toEqual(["NOT_JSON", "/updateElements/at/0"]);
  expect(refusal(() => applyChangeRequest({ a: at } as object, { updateElements: { a: 2 } }, { base: { a: 1 } }))).toEqual(["NOT_JSON", "/a"]);
  const manager = new PayloadManager();
  expect(refusal(() => manager.applyAgentChangeRequest({ a: 1 }, { newElements: { at: { at } } }))).toEqual(["NOT_JSON", "/newElements/at/at"]);
  expect(refusal(() => manager.mergeUpstreamPayload<any>("Sub", { a: 1 }, { b: at }, ["*"]))).toEqual(["NOT_JSON", "/b"]);
  expect(refusal(() => applyChangeRequest({ a: 1 }, undefined as never))).toEqual(["VALIDATION_FAILED", undefined]);
});
