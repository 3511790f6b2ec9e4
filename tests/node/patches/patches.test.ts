import { describe, expect, test } from "vitest";
import { applyPatch, compact, filterPatch, invert, type JSONPatchOperation } from "patchwire";
import { refusal } from "../support/refusal.ts";

// What the functions from patches to patches add to the core's laws (tests/laws): options, and bad input.

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
    expect(refusal(() => invert({ a: undefined, b: () => 1 }, [{ op: "add", path: "/a", value: 1 }])).code).toBe("NOT_JSON");
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

describe("filterPatch", () => {
  const view = { exclude: ["/secrets", "/users/*/token"] };
  const base = { users: [{ name: "Ada", token: "hunter2" }], secrets: { key: "hunter3" }, open: {} };

  test.each(garbage)("refuses %j", (patch, code) => {
    expect(refusal(() => filterPatch(patch as never, view)).code).toBe(code);
  });

  const views: [view: unknown, code: string][] = [
    [undefined, "NOT_JSON"],
    [null, "VALIDATION_FAILED"],
    [[], "VALIDATION_FAILED"],
    [{ exclude: "/secrets" }, "VALIDATION_FAILED"],
    [{ exclude: [1] }, "VALIDATION_FAILED"],
    [{ excludes: ["/secrets"] }, "VALIDATION_FAILED"],
    [{ exclude: ["secrets"] }, "INVALID_POINTER"],
    [{ include: ["/~2"] }, "INVALID_POINTER"],
    [{ include: [() => 1] }, "NOT_JSON"],
  ];

  test.each(views)("refuses the view %j", (bad, code) => {
    expect(refusal(() => filterPatch([], bad as never)).code).toBe(code);
  });

  test("asks for the base where a value comes out of hiding, and where a name may be an index", () => {
    const out: JSONPatchOperation[] = [{ op: "move", from: "/secrets/key", path: "/open/key" }];
    expect(refusal(() => filterPatch(out, view))).toMatchObject({ code: "INVALID_PATCH", opIndex: 0, path: undefined });
    expect(filterPatch(out, view, { base })).toEqual([{ op: "add", path: "/open/key", value: "hunter3" }]);
    expect(filterPatch([{ op: "move", from: "/open", path: "/secrets/open" }], view)).toEqual([{ op: "remove", path: "/open" }]);
    const numeric = { exclude: ["/users/0"] };
    const first: JSONPatchOperation[] = [{ op: "remove", path: "/users/0" }];
    expect(refusal(() => filterPatch(first, numeric)).code).toBe("INVALID_PATCH");
    expect(filterPatch(first, numeric, { base })).toEqual(first);
    expect(filterPatch(first, numeric, { base: { users: { 0: "hidden" } } })).toEqual([]);
  });

  test("tells nothing hidden in errors", () => {
    const error = refusal(() => filterPatch([{ op: "test", path: "/secrets/key", value: "guess" }], view, { base }));
    expect(error).toMatchObject({ code: "TEST_FAILED", opIndex: 0, path: undefined });
    expect(error.message).not.toMatch(/hunter|guess|secrets|key/);
  });

  test("the deepest views and patches don't exhaust the stack", () => {
    const nest = (inner: unknown, depth: number) => { let value = inner; for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value }; return value; };
    const limits = { depth: 2_000 };
    const [base, pattern] = [nest({ b: 1 }, 1_000), "/*".repeat(1_000)];
    for (const options of [{ limits }, { limits, base }]) {
      expect(filterPatch([{ op: "replace", path: "", value: base }], { exclude: [`${pattern}/b`] }, options)).toEqual([{ op: "replace", path: "", value: nest({}, 1_000) }]);
    }
    const path = "/a".repeat(1_023);
    expect(compact([[{ op: "inc", path, inc: 1 }], [{ op: "replace", path: "/a", value: base }], [{ op: "test", path: "/a", value: base }]], { limits })).toHaveLength(2);
    expect(compact([[{ op: "replace", path: "", value: nest(1, 1_900) }], [{ op: "copy", from: "", path: "/a" }], [{ op: "replace", path: "", value: 1 }]], { limits })).toBeDefined();
  });

  test("an empty include shows nothing, a missing one everything", () => {
    const patch: JSONPatchOperation[] = [{ op: "replace", path: "", value: base }];
    expect(filterPatch(patch, { include: [] })).toEqual([]);
    expect(filterPatch(patch, {})).toEqual(patch);
  });
});

describe("compact", () => {
  test.each(garbage)("refuses %j among others", (patch, code) => {
    for (const options of [undefined, { base: {} }]) expect(refusal(() => compact([[], patch as never], options)).code).toBe(code);
  });

  test("refuses what isn't a list of patches", () => {
    expect(refusal(() => compact({} as never)).code).toBe("INVALID_PATCH");
    expect(refusal(() => compact(undefined as never)).code).toBe("INVALID_PATCH");
    expect(refusal(() => compact([null] as never)).code).toBe("INVALID_PATCH");
    expect(refusal(() => compact("[]" as never)).code).toBe("INVALID_PATCH");
  });

  test("counts operations through all patches in its errors", () => {
    const first: JSONPatchOperation[] = [{ op: "add", path: "/a", value: 1 }, { op: "inc", path: "/a", inc: 1 }];
    expect(refusal(() => compact([first, [{ op: "add", path: "a", value: 1 }]]))).toMatchObject({ code: "INVALID_POINTER", opIndex: 2 });
    expect(refusal(() => compact([first, [{ op: "remove", path: "/b" }]], { base: {} }))).toMatchObject({ code: "PATH_NOT_FOUND", opIndex: 2, path: "/b" });
  });

  test("takes texts, and knows more with the base", () => {
    const pushed = '[{"op":"add","path":"/list/1","value":"\\ud83d"}]';
    const popped: JSONPatchOperation[] = [{ op: "remove", path: "/list/1" }];
    expect(compact([pushed, popped])).toHaveLength(2);
    expect(compact([pushed, popped], { base: { list: [1] } })).toEqual([]);
    expect(compact([])).toEqual([]);
  });
});
