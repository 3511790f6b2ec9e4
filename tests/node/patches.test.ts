import { describe, expect, test } from "vitest";
import { applyPatch, invert, PatchwireError, type JSONPatchOperation } from "patchwire";

// What the functions from patches to patches add to the core's laws (tests/laws): options, and bad input.

function refusal(run: () => unknown): PatchwireError {
  try {
    run();
  } catch (error) {
    if (error instanceof PatchwireError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

const garbage: [patch: unknown, code: string][] = [
  [{}, "INVALID_PATCH"],
  ["", "INVALID_JSON"],
  ["null", "INVALID_PATCH"],
  [[{ op: "add", path: "/a" }], "INVALID_PATCH"],
  [[{ op: "remove", path: "a" }], "INVALID_POINTER"],
  [[{ op: "add", path: "/a", value: new Date(0) }], "NOT_JSON"],
  [new Array(10_001).fill({ op: "remove", path: "" }), "LIMIT_EXCEEDED"],
];

describe("invert", () => {
  const before = { list: [1, 2], text: "abc", n: 1, secret: "hunter2" };

  test.each(garbage)("refuses %j", (patch, code) => {
    expect(refusal(() => invert(before, patch as never)).code).toBe(code);
  });

  test("refuses what doesn't apply, without telling values", () => {
    const error = refusal(() => invert(before, [{ op: "remove", path: "/n" }, { op: "test", path: "/secret", value: "guess" }]));
    expect(error).toMatchObject({ code: "TEST_FAILED", opIndex: 1, path: "/secret" });
    expect(error.message).not.toMatch(/hunter2|guess/);
    expect(refusal(() => invert(before, [{ op: "add", path: "/x", value: "y".repeat(200) }], { limits: { string: 100 } })).code).toBe("LIMIT_EXCEEDED");
    expect(refusal(() => invert({ a: undefined, b: () => 1 }, [])).code).toBe("NOT_JSON");
  });

  test("takes text, and both dialects", () => {
    const patch: JSONPatchOperation[] = [{ op: "str_ins", path: "/text", pos: 1, str: "é" }, { op: "inc", path: "/n", inc: 4 }];
    for (const dialect of ["rfc6902", "extended"] as const) {
      const back = invert(before, JSON.stringify(patch), { dialect });
      expect(applyPatch(applyPatch(before, patch), back)).toEqual(before);
    }
    const note = "x".repeat(100);
    expect(invert({ note }, [{ op: "replace", path: "/note", value: "x" }], { dialect: "extended" })).toEqual([{ op: "str_ins", path: "/note", pos: 1, str: "x".repeat(99) }]);
  });
});
