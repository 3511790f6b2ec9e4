import { describe, expect, test } from "vitest";
import { applyChangeRequest, applyPatch, applyStepWrites, diff, diffTexts, invert, mergeWrites, StateDocument, StateTracker, stepWritesToRFC6902 } from "patchwire";
import { refusal } from "../support/refusal.ts";

// Bad input gets a coded error that says where, never what the value was, and changes nothing.

class Temperature {
  degrees = 20;
}

const circular: Record<string, unknown> = {};
circular["self"] = circular;
const holes: unknown[] = [1];
holes[2] = 3;

const notJson: [name: string, value: unknown, path: string, hint: RegExp][] = [
  ["a function", () => 1, "", /function/],
  ["a symbol", Symbol("s"), "", /symbol/],
  ["a bigint", 10n, "", /Number\(\) or String\(\)/],
  ["NaN", NaN, "", /null/],
  ["an infinity", -Infinity, "", /null/],
  ["a date", new Date(0), "", /toISOString/],
  ["a map", new Map(), "", /fromEntries/],
  ["a set", new Set(), "", /array/],
  ["an instance of a class", new Temperature(), "", /plain object/],
  ["a cycle", circular, "/self", /contains itself/],
  ["a hole", holes, "/1", /holes/],
  ["undefined in an array", [1, undefined], "/1", /undefined/],
  ["something deep inside", { a: [{ "x/y": new Date(0) }] }, "/a/0/x~1y", /toISOString/],
];

/** A value that is equal as far as it is JSON. */
function alike(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, alike);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return null;
  return value === circular ? { self: null } : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, alike(member)]));
}

describe("values that aren't JSON", () => {
  test.each(notJson)("%s, assigned in a recipe", (_, value, path, hint) => {
    const tracker = new StateTracker<Record<string, unknown>>({ kept: 1, list: [1] });
    const before = tracker.getState();
    const error = refusal(() => tracker.update((draft) => { draft["kept"] = 2; draft["bad"] = value; }));
    expect(error).toMatchObject({ code: "NOT_JSON", path: `/bad${path}` });
    expect(error.message).toMatch(hint);
    expect(refusal(() => tracker.update((draft) => { (draft["list"] as unknown[]).push(value); }))).toMatchObject({ code: "NOT_JSON", path: `/list/1${path}` });
    expect(tracker.getState()).toBe(before);
    expect(tracker.getPatchText()).toBe("[]");
  });

  test.each(notJson)("%s, in an initial state, a state, a patch or a write", (_, value, path) => {
    expect(refusal(() => new StateTracker({ a: value }))).toMatchObject({ code: "NOT_JSON", path: `/a${path}` });
    expect(refusal(() => new StateTracker({ a: value }, { own: true }))).toMatchObject({ code: "NOT_JSON", path: `/a${path}` });
    // Compared with something, all of it is looked at.
    expect(refusal(() => applyPatch({ a: value }, [{ op: "test", path: "/a", value: alike(value) }]))).toMatchObject({ code: "NOT_JSON", path: `/a${path}` });
    expect(refusal(() => applyPatch({ a: value }, [{ op: "copy", from: "", path: "/b" }]))).toMatchObject({ code: "NOT_JSON" });
    expect(refusal(() => applyPatch({}, [{ op: "add", path: "/a", value }]))).toMatchObject({ code: "NOT_JSON", path: `/0/value${path}` });
    expect(refusal(() => applyStepWrites({}, { ops: [{ kind: "replace", key: "a", value }] })).code).toBe("NOT_JSON");
  });

  test("is allowed while the recipe runs, if it is gone when it ends", () => {
    const tracker = new StateTracker<any>({ list: [1, 2] });
    tracker.update((draft) => {
      draft.at = new Date(0);
      draft.at = draft.at.toISOString();
      draft.list.length = 4;
      draft.list.fill(0, 2);
      draft.gone = () => 1;
      delete draft.gone;
    });
    expect(tracker.getState()).toEqual({ list: [1, 2, 0, 0], at: "1970-01-01T00:00:00.000Z" });
    expect(tracker.document().toJSON()).toEqual(tracker.getState());
  });

  test("undefined deletes a member, and undefined members of a value are dropped", () => {
    const tracker = new StateTracker<any>({ a: 1, b: { c: undefined, d: 1 } });
    expect(tracker.getState()).toEqual({ a: 1, b: { d: 1 } });
    tracker.update((draft) => {
      draft.a = undefined;
      draft.e = { f: undefined, g: [] };
      draft.never = undefined;
    });
    expect(tracker.getRFC6902Patches()).toEqual([{ op: "remove", path: "/a" }, { op: "add", path: "/e", value: { g: [] } }]);
  });
});

describe("hostile keys", () => {
  const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x","hasOwnProperty":1}';

  test("are ordinary members everywhere and pollute nothing", () => {
    const tracker = new StateTracker<any>(JSON.parse(hostile), { arrayDeltaMode: "precise" });
    tracker.update((draft) => {
      draft["__proto__"].more = [1];
      draft.constructor.prototype = 2;
      draft.copy = JSON.parse(hostile);
      Object.defineProperty(draft.copy, "__proto__", { value: 3 });
    });
    const state = tracker.getState();
    expect(JSON.stringify(state)).toBe(
      '{"__proto__":{"polluted":1,"more":[1]},"constructor":{"prototype":2},"toString":"x","hasOwnProperty":1,' +
        '"copy":{"__proto__":3,"constructor":{"prototype":{"polluted":1}},"toString":"x","hasOwnProperty":1}}',
    );
    expect(tracker.document().toJSON()).toEqual(state);
    const follower = new StateTracker<any>(JSON.parse(hostile));
    follower.apply(tracker.getPatchText());
    expect(JSON.stringify(follower.getState())).toBe(JSON.stringify(state));
    expect(JSON.stringify(applyPatch(JSON.parse(hostile), tracker.getPatchText()))).toBe(JSON.stringify(state));
    expect(JSON.stringify(applyStepWrites(JSON.parse(hostile), tracker.getStepWrites()).state)).toBe(JSON.stringify(state));
    expect(({} as any).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(state)).toBe(Object.prototype);
  });

  test("that nobody has are missing", () => {
    for (const path of ["/__proto__/polluted", "/constructor/prototype", "/toString"]) {
      expect(refusal(() => applyPatch({}, [{ op: "replace", path, value: 1 }])).code).toBe("PATH_NOT_FOUND");
    }
    expect(StateDocument.parse("{}").get("/__proto__")).toBeUndefined();
    expect(refusal(() => new StateTracker({}).append("/constructor/name", "x")).code).toBe("PATH_NOT_FOUND");
  });
});

describe("patches", () => {
  const state = { list: [1, 2, 3], text: "abc", secret: "hunter2" };
  const refused: [patch: unknown, code: string, opIndex?: number, path?: string][] = [
    [{}, "INVALID_PATCH"],
    [[null], "INVALID_PATCH", 0],
    [[{ op: "add", path: "/a" }], "INVALID_PATCH", 0, "/a"],
    [[{ path: "/a", value: 1 }], "INVALID_PATCH", 0, "/a"],
    [[{ op: "add", value: 1 }], "INVALID_PATCH", 0],
    [[{ op: "spam", path: "/a", value: 1 }], "INVALID_PATCH", 0, "/a"],
    [[{ op: "move", path: "/a" }], "INVALID_PATCH", 0, "/a"],
    [[{ op: "move", from: "/list", path: "/list/0" }], "INVALID_PATCH", 0, "/list/0"],
    [[{ op: "add", path: "list", value: 1 }], "INVALID_POINTER", 0, "list"],
    [[{ op: "add", path: "/a~2", value: 1 }], "INVALID_POINTER", 0, "/a~2"],
    [[{ op: "remove", path: "/gone" }], "PATH_NOT_FOUND", 0, "/gone"],
    [[{ op: "add", path: "/a/b", value: 1 }], "PATH_NOT_FOUND", 0, "/a/b"],
    [[{ op: "add", path: "/list/01", value: 1 }], "PATH_NOT_FOUND", 0, "/list/01"],
    [[{ op: "replace", path: "/list/-", value: 1 }], "PATH_NOT_FOUND", 0, "/list/-"],
    [[{ op: "test", path: "/list/0", value: 1 }, { op: "remove", path: "/list/3" }], "INDEX_OUT_OF_RANGE", 1, "/list/3"],
    [[{ op: "add", path: "/list/4", value: 1 }], "INDEX_OUT_OF_RANGE", 0, "/list/4"],
    [[{ op: "test", path: "/secret", value: "guess" }], "TEST_FAILED", 0, "/secret"],
    [[{ op: "str_ins", path: "/text", pos: 4, str: "x" }], "INDEX_OUT_OF_RANGE", 0, "/text"],
    [[{ op: "str_ins", path: "/text", pos: -1, str: "x" }], "INVALID_PATCH", 0, "/text"],
    [[{ op: "str_ins", path: "/list", pos: 0, str: "x" }], "PATH_NOT_FOUND", 0, "/list"],
    [[{ op: "inc", path: "/text", inc: 1 }], "PATH_NOT_FOUND", 0, "/text"],
    [new Array(10_001).fill({ op: "test", path: "/text", value: "abc" }), "LIMIT_EXCEEDED"],
  ];

  test.each(refused)("%j", (patch, code, opIndex, path) => {
    const tracker = new StateTracker(state);
    const document = StateDocument.parse(JSON.stringify(state));
    for (const run of [() => applyPatch(state, patch as never), () => tracker.apply(patch as never), () => document.apply(JSON.stringify(patch))]) {
      const error = refusal(run);
      expect({ code: error.code, opIndex: error.opIndex, path: error.path }).toEqual({ code, opIndex, path });
      expect(error.message).not.toMatch(/hunter2|guess/);
    }
    expect(tracker.getState()).toEqual(state);
    expect(tracker.getPatchText()).toBe("[]");
    expect(document.toJSON()).toEqual(state);
  });

  test("that aren't JSON say at which byte", () => {
    for (const [text, offset] of [["", 0], ["[", 1], ['[{"op":"add",}]', 13], ["[]x", 2], ["\u{1F600}", 0]] as const) {
      expect(refusal(() => applyPatch({}, text))).toMatchObject({ code: "INVALID_JSON", offset });
    }
  });
});

test("step writes that need a base say so", () => {
  const writes = { ops: [{ kind: "append_text" as const, path: "/note", text: "!" }] };
  expect(refusal(() => stepWritesToRFC6902(writes))).toMatchObject({ code: "INVALID_PATCH", opIndex: 0, path: "/note" });
  expect(stepWritesToRFC6902(writes, { base: { note: "hi" } })).toEqual([{ op: "replace", path: "/note", value: "hi!" }]);
  expect(stepWritesToRFC6902(writes, { base: { note: "hi" }, dialect: "extended" })).toEqual([{ op: "str_ins", path: "/note", pos: 2, str: "!" }]);
});

describe("limits", () => {
  test("name what is over, and nothing has changed", () => {
    const nested = JSON.parse("[".repeat(600) + "]".repeat(600)) as unknown;
    const tracker = new StateTracker<any>({ text: "", list: [] }, { limits: { depth: 8, string: 100, document: 1_000 } });
    const over: [what: RegExp, recipe: (draft: any) => void][] = [
      [/nested/, (draft) => { draft.list.push([[[[[[[1]]]]]]]); }],
      [/nested/, (draft) => { for (let at = draft; ; at = at.in) { at.in = {}; if (JSON.stringify(draft).length > 90) break; } }],
      [/string/, (draft) => { draft.text = "x".repeat(101); }],
      [/document/, (draft) => { for (let i = 0; i < 20; i++) draft.list.push("y".repeat(90)); }],
    ];
    for (const [what, recipe] of over) {
      const error = refusal(() => tracker.update(recipe));
      expect(error.code).toBe("LIMIT_EXCEEDED");
      expect(error.message).toMatch(what);
      expect(tracker.getState()).toEqual({ text: "", list: [] });
      expect(tracker.getPatchText()).toBe("[]");
    }
    for (let i = 0; i < 3; i++) tracker.append("/text", "z".repeat(33));
    expect(refusal(() => tracker.append("/text", "zz")).code).toBe("LIMIT_EXCEEDED");
    expect(tracker.getState().text).toHaveLength(99);
    expect(refusal(() => new StateTracker(nested))).toMatchObject({ code: "LIMIT_EXCEEDED" });
    expect(refusal(() => StateDocument.parse(JSON.stringify(nested))).code).toBe("LIMIT_EXCEEDED");
  });

  test("hold for a state that grows a little at a time", () => {
    const tracker = new StateTracker<any>({ list: [] }, { limits: { document: 10_000 } });
    const error = refusal(() => { for (;;) tracker.update((draft) => { draft.list.push({ text: "some text" }); }); });
    expect(error.code).toBe("LIMIT_EXCEEDED");
    expect(JSON.stringify(tracker.getState()).length).toBeGreaterThan(8_000);
    expect(tracker.document().toJSON()).toEqual(tracker.getState());
    tracker.update((draft) => { draft.list = []; });
    expect(tracker.getState()).toEqual({ list: [] });
  });
});

describe("drafts", () => {
  test("are dead after their recipe", () => {
    const tracker = new StateTracker<any>({ a: { b: [1] } });
    let root: any;
    let list: any;
    tracker.update((draft) => { root = draft; list = draft.a.b; });
    for (const use of [() => root.a, () => { root.a = 1; }, () => list.push(2), () => list.length, () => Object.keys(root), () => "a" in root, () => { delete root.a; }]) {
      expect(refusal(use).code).toBe("DRAFT_REVOKED");
    }
    expect(tracker.getState()).toEqual({ a: { b: [1] } });
  });

  test("recipes that wait are refused, and their rejection is nobody's", async () => {
    const tracker = new StateTracker<any>({ n: 0 });
    const error = refusal(() => tracker.update((async (draft: any) => { draft.n = 1; await null; draft.n = 2; }) as never));
    expect(error.code).toBe("ASYNC_RECIPE");
    await new Promise((resolve) => setTimeout(resolve));
    expect(tracker.getState()).toEqual({ n: 0 });
  });

  test("a tracker is busy while a recipe runs, and its state is the one before", () => {
    const tracker = new StateTracker<any>({ n: 0, t: "" });
    tracker.update((draft) => {
      draft.n = 1;
      for (const use of [() => tracker.update(() => {}), () => tracker.append("/t", "x"), () => tracker.increment("/n"), () => tracker.apply([])]) {
        expect(refusal(use).code).toBe("TRACKER_BUSY");
      }
      expect(tracker.getState()).toEqual({ n: 0, t: "" });
      expect(tracker.getPatchText()).toBe("[]");
    });
    expect(tracker.getState()).toEqual({ n: 1, t: "" });
  });

  test("a caller's value is itself while the recipe runs, then copied: not frozen, not followed", () => {
    const mine = { tags: ["a"] };
    const tracker = new StateTracker<any>({ first: mine });
    tracker.update((draft) => { draft.second = mine; draft.second.tags.push("b"); });
    mine.tags.push("mine");
    expect(tracker.getState()).toEqual({ first: { tags: ["a"] }, second: { tags: ["a", "b"] } });
    expect(mine).toEqual({ tags: ["a", "b", "mine"] });
    expect(Object.isFrozen(tracker.getState().second.tags)).toBe(true);
  });

  test.each([
    ["arrayDeltaMode", { arrayDeltaMode: "exact" }], ["arrayDeltaMode", { arrayDeltaMode: null }], ["granularity", { granularity: "keys" }],
    ["counters", { counters: 5 }], ["texts", { texts: [5] }], ["history", { history: "all" }], ["depth", { limits: { depth: "deep" } }],
    ["history", { history: NaN }], ["history", { history: -1 }], ["document", { limits: { document: NaN } }], ["depth", { limits: { depth: 5_000 } }], ["frame", { limits: { frame: 100 } }],
  ])("%s mistyped: said by the constructor, by name", (name, options) => {
    const error = refusal(() => new StateTracker({}, options as never));
    expect([error.code, error.message]).toEqual(["VALIDATION_FAILED", expect.stringContaining(name)]);
  });

  test.each<[string, (options: any) => unknown]>([
    ["diff", (options) => diff({}, {}, options)],
    ["diffTexts", (options) => diffTexts("{}", "{}", options)],
    ["invert", (options) => invert({}, [], options)],
    ["mergeWrites", (options) => mergeWrites({}, [], options)],
    ["stepWritesToRFC6902", (options) => stepWritesToRFC6902({ ops: [] }, options)],
    ["applyChangeRequest", (options) => applyChangeRequest({}, {}, options)],
  ])("%s with a dialect that there isn't", (_, run) => {
    expect(() => run({ dialect: "extended" })).not.toThrow();
    expect(refusal(() => run({ dialect: "standard" }))).toMatchObject({ code: "VALIDATION_FAILED", message: expect.stringContaining("dialect") });
  });
});
