import { expect, test } from "vitest";
import { applyPatch } from "patchwire";
import { refusal } from "../support/refusal.ts";

// What the shim applies without the core: to what is JSON alone, and as it is by then.

type Any = any;

test("a short patch doesn't replace what isn't JSON, nor what an object hides", () => {
  expect(refusal(() => applyPatch({ call() {} }, [{ op: "replace", path: "/call", value: 1 }])).code).toBe("NOT_JSON");
  const hiding = Object.defineProperty({ n: 1 }, "hidden", { value: 1, enumerable: false }) as Any;
  expect(refusal(() => applyPatch(hiding, [{ op: "replace", path: "/hidden", value: 2 }])).code).toBe("PATH_NOT_FOUND");
});

test("a short patch is applied to the names that a large object of the caller's has by then", () => {
  const state: Record<string, number> = Object.fromEntries(Array.from({ length: 1_100 }, (_, i) => [`k${i}`, i]));
  applyPatch(state, [{ op: "replace", path: "/k0", value: 1 }]);
  state["added"] = 1;
  expect(applyPatch(state, [{ op: "replace", path: "/k1", value: 2 }])).toEqual({ ...state, k1: 2 });
});
