import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { applyPatch, mergeBranches, mergeWrites, StateTracker, type MergeStrategies, type StepWritesInput } from "patchwire";
import { refusal } from "../support/refusal.ts";

// What several writers did to one base, in one state. The core's laws are in tests/laws/merge.rs; here are the systems
// whose reducers and conflicts we took over, functions as strategies, and bad input.

const cases = (name: string) => JSON.parse(readFileSync(new URL(`../../cases/${name}.json`, import.meta.url), "utf8"));

describe("AgentOS's reducers (tests/cases/agentos.json)", () => {
  interface Case { name: string; base: object; branches: object[]; reducers: MergeStrategies; state?: object; conflicts?: unknown[]; throws?: string }

  test.each(cases("agentos").cases as Case[])("$name", ({ base, branches, reducers, state, conflicts, throws }) => {
    if (throws !== undefined) {
      expect(refusal(() => mergeBranches(base, branches, reducers)).code).toBe(throws);
      return;
    }
    const merged = mergeBranches(base, branches, reducers);
    expect(merged.state).toEqual(state);
    expect(Object.keys(merged.state)).toEqual(Object.keys(state!));
    expect(merged.conflicts.map(({ path, strategy, lostBy }) => [path, strategy, lostBy])).toEqual(conflicts);
    expect(applyPatch(base, merged.patch)).toEqual(merged.state);
  });
});

describe("Awaken's conflicts (tests/cases/awaken.json)", () => {
  interface Case { name: string; writers: StepWritesInput["ops"][]; state: object; conflicts: unknown[] }
  const { base, strategies, cases: all } = cases("awaken") as { base: object; strategies: MergeStrategies; cases: Case[] };

  test.each(all)("$name", ({ writers, state, conflicts }) => {
    const merged = mergeWrites(base, writers.map((ops) => ({ ops })), { strategies });
    expect(merged.state).toEqual(state);
    expect(merged.conflicts.map(({ path, strategy, keptBy, lostBy }) => [path, strategy, keptBy, lostBy])).toEqual(conflicts);
  });
});

test("a branch that is null lost null, and not the base", () => {
  expect(mergeBranches<unknown>(1, [null, { a: 1 }]).conflicts).toEqual([{ path: "", strategy: "last", kept: { a: 1 }, keptBy: 1, lost: null, lostBy: 0 }]);
  expect(mergeBranches<unknown>({ x: 1 }, [{ x: null }, { x: 2 }]).conflicts).toEqual([{ path: "/x", strategy: "last", kept: 2, keptBy: 1, lost: null, lostBy: 0 }]);
});

test("conflicts tell what is there and what was lost, deletions by absence", () => {
  const remove = { ops: [{ kind: "delete" as const, path: "/a" }] };
  const set = { ops: [{ kind: "replace" as const, path: "/a", value: null }] };
  expect(mergeWrites({ a: 1 }, [remove, set]).conflicts).toEqual([{ path: "/a", strategy: "last", kept: null, keptBy: 1, lostBy: 0 }]);
  expect(mergeWrites({ a: 1 }, [set, remove]).conflicts).toEqual([{ path: "/a", strategy: "last", lost: null, keptBy: 1, lostBy: 0 }]);
  expect(mergeWrites({ a: 1 }, [remove, remove]).conflicts).toEqual([]);
});

test("writes of trackers in every mode compose, and what they say of the base is the base's", () => {
  const base = { rows: [{ n: 1 }, { n: 2 }], note: "a", count: 1 };
  const tools = [0, 1].map((i) => {
    const tracker = new StateTracker(base, { arrayDeltaMode: "precise", counters: ["/count"], texts: ["/note"] });
    tracker.update((draft) => { draft.rows[i]!.n *= 10; draft.note += i; draft.count += 5; });
    return tracker.getStepWrites();
  });
  const merged = mergeWrites(base, tools, { dialect: "extended" });
  expect(merged).toMatchObject({ state: { rows: [{ n: 10 }, { n: 20 }], note: "a01", count: 11 }, conflicts: [], warnings: [] });
  expect(merged.patch).toContainEqual({ op: "inc", path: "/count", inc: 10 });
  expect(Object.isFrozen(merged.state.rows)).toBe(true);
  const stale = mergeWrites({ rows: [] }, [{ ops: [{ kind: "replace", path: "/rows/3/n", value: 1 }] }]);
  expect(stale).toMatchObject({ state: { rows: [] }, patch: [], conflicts: [] });
  expect(stale.warnings).toHaveLength(1);
});

describe("functions", () => {
  const branches = [{ best: "b", tags: [1] }, { best: "base", tags: [] }, { best: "ccc", tags: [2] }];
  const base = { best: "base", tags: [] as number[] };

  test("get values and where they are from, only of those that changed", () => {
    const calls: unknown[] = [];
    const strategies: MergeStrategies = { "/best": (existing, incoming, context) => { calls.push([existing, incoming, context]); return incoming; } };
    expect(mergeBranches(base, branches, strategies).state).toEqual({ best: "ccc", tags: [1, 2] });
    expect(calls).toEqual([["base", "b", { base: "base", path: "/best", writer: 0 }], ["b", "ccc", { base: "base", path: "/best", writer: 2 }]]);
    mergeBranches({} as typeof base, branches, { "/best": (_, __, context) => { expect(context.base).toBeUndefined(); return ""; } });
  });

  test("may use the core themselves", () => {
    const strategies: MergeStrategies = { "/best": (a, b) => mergeBranches({ x: [] as string[] }, [{ x: [a] }, { x: [b] }]).state.x };
    expect(mergeBranches<unknown>(base, branches, strategies).state).toEqual({ best: [["base", "b"], "ccc"], tags: [1, 2] });
  });

  test("must return JSON, and what they throw comes out", () => {
    const returning = (value: unknown) => refusal(() => mergeBranches(base, branches, { "/best": () => value }));
    expect(returning(new Date(0))).toMatchObject({ code: "NOT_JSON", path: "/best" });
    expect(returning(undefined)).toMatchObject({ code: "NOT_JSON", path: "/best" });
    expect(returning(Promise.resolve("x"))).toMatchObject({ code: "NOT_JSON", path: "/best", message: expect.stringContaining("decide without waiting") });
    const mine = new RangeError("mine");
    expect(() => mergeBranches(base, branches, { "/best": () => { throw mine; } })).toThrow(mine);
    expect(() => mergeBranches(base, branches, { "/best": () => { throw undefined; } })).toThrow();
    expect(mergeBranches(base, branches).state.best).toBe("ccc");
  });
});

describe("bad input", () => {
  const bad: [strategies: unknown, code: string][] = [
    [{ "/a": "median" }, "VALIDATION_FAILED"],
    [{ "/a": 5 }, "VALIDATION_FAILED"],
    [{ "/a": null }, "VALIDATION_FAILED"],
    [{ a: "sum" }, "INVALID_POINTER"],
    [{ "/~2": "sum" }, "INVALID_POINTER"],
    [{ "/a": "Sum" }, "VALIDATION_FAILED"],
  ];

  test.each(bad)("strategies %j", (strategies, code) => {
    expect(refusal(() => mergeWrites({}, [], { strategies: strategies as MergeStrategies })).code).toBe(code);
    expect(refusal(() => mergeBranches({}, [], strategies as MergeStrategies)).code).toBe(code);
  });

  test("writers", () => {
    for (const writes of [{}, [null], [[]], [{}], [{ ops: 1 }], [{ ops: [{ kind: "spam", path: "/a" }] }], [{ ops: [{ kind: "replace", path: "/a" }] }]]) {
      expect(refusal(() => mergeWrites({}, writes as never)).code).toBe("INVALID_PATCH");
    }
    expect(refusal(() => mergeWrites({}, [{ ops: [{ kind: "delete", path: "a" }] }])).code).toBe("INVALID_POINTER");
    expect(refusal(() => mergeWrites({ a: new Map() }, [{ ops: [{ kind: "replace", path: "/a/b", value: 1 }] }])).code).toBe("NOT_JSON");
    expect(refusal(() => mergeBranches({}, [{ a: 1n }])).code).toBe("NOT_JSON");
    expect(refusal(() => mergeBranches({}, undefined as never)).code).toBe("VALIDATION_FAILED");
    const writer = { ops: [{ kind: "append" as const, path: "/a", items: ["x".repeat(60)] }] };
    expect(refusal(() => mergeWrites({ a: [] }, [writer, writer], { limits: { document: 100 } })).code).toBe("LIMIT_EXCEEDED");
  });

  test("hostile names are names", () => {
    const base = JSON.parse('{"__proto__":{"a":1}}') as object;
    const branches = ['{"__proto__":{"a":2}}', '{"__proto__":{"a":1,"b":3},"constructor":{"prototype":1}}'].map((text) => JSON.parse(text) as object);
    const merged = mergeBranches(base, branches, { "/__proto__": "merge", "/toString": "first" });
    expect(JSON.stringify(merged.state)).toBe('{"__proto__":{"a":2,"b":3},"constructor":{"prototype":1}}');
    expect(({} as Record<string, unknown>)["b"]).toBeUndefined();
  });

  test("the deepest states don't exhaust the stack", () => {
    const nest = (depth: number, leaf: unknown) => { let value = leaf; for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value }; return value; };
    const limits = { depth: 2_000 };
    const merged = mergeBranches(nest(1_900, 0), [nest(1_900, 1), nest(1_900, 2)], { "/a": "merge", "/*/*": "union" }, { limits });
    expect(merged.conflicts.length).toBeGreaterThan(0);
    const objects = (depth: number, leaf: unknown) => { let value = leaf; for (let i = 0; i < depth; i++) value = { a: value }; return value; };
    const path = "/a".repeat(1_000);
    const writes = [1, 2].map((value) => ({ ops: [{ kind: "replace" as const, path, value }] }));
    for (const strategies of [{}, { [path]: "sum" as const }]) {
      expect(mergeWrites(objects(1_000, 0), writes, { limits, strategies })).toMatchObject({ state: objects(1_000, 2), conflicts: [{ lostBy: 0 }] });
    }
    const every = Object.fromEntries(Array.from({ length: 1_000 }, (_, depth) => ["/a".repeat(depth), "merge" as const]));
    expect(mergeBranches(objects(1_000, 0), [objects(1_000, 1), objects(1_000, 2)], every, { limits }).conflicts).toHaveLength(1);
  });
});
