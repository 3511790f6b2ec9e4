import fc from "fast-check";
import { expect, test } from "vitest";
import { applyPatch, type MergeConflict, type PatchwireError } from "patchwire";
import { changeOf, StateManager, type GraphState, type StateReducers } from "patchwire/agentos";
import { asked } from "../support/runs.ts";

// A merge asks the core only about what several branches changed, other than by appending to lists and by writing numbers
// that have a reducer. Asked about all, it gives the same state, the same conflicts and the same patch.

type Any = any;
type Edit = ["set" | "append" | "copy" | "delete", string, unknown[]];

const options = asked(2000);

const name = fc.constantFrom("a", "list", "list", "a/b", "0", "__proto__", "toString", "new", "newer");
const leaf = fc.constantFrom<Any>(null, true, 0, -0, 1, 2.5, "", "text", "text and more");
const value = fc.oneof({ maxDepth: 2 }, leaf, ...[1, 2].map((depth) => fc.array(depth === 1 ? leaf : fc.dictionary(name, leaf, { maxKeys: 2 }), { maxLength: 3 })), fc.dictionary(name, leaf, { maxKeys: 3 }));
const list = fc.array(leaf, { maxLength: 3 });
const members = fc.record({ a: value, list, "a/b": fc.oneof(value, list), "0": value, __proto__: list }, { requiredKeys: ["list"], noNullPrototype: true }).map((made): Any => JSON.parse(JSON.stringify(made)));
const edits = fc.array(fc.tuple(fc.constantFrom("set", "append", "append", "copy", "delete"), name, fc.array(value, { minLength: 1, maxLength: 2 })) as fc.Arbitrary<Edit>, { maxLength: 5 });
const folded = fc.option(fc.integer({ min: -9, max: 9 }));
const joined = (a: unknown, b: unknown) => JSON.stringify([a, b]);
const reducer = fc.constantFrom("concat", "concat", "merge", "max", "avg", "avg", "sum", "last", "first", "longest", "union", joined) as fc.Arbitrary<StateReducers[string]>;
const place = fc.constantFrom("scratch.list", "scratch.mean", "scratch.a", "scratch.a.b", "/scratch/*", "/scratch/*/0", "/scratch/a~1b", "artifacts.list", "/artifacts/*");
const reducers = fc.array(fc.tuple(place, reducer), { maxLength: 3 }).map((rules): StateReducers => Object.fromEntries(rules));

function own(target: Any, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** A branch of a partition, as nodes write it: a copy with other members in places. */
function edited(base: Any, edits: Edit[]): Any {
  const branch = { ...base };
  for (const [kind, key, values] of edits) {
    const there = Object.hasOwn(branch, key) ? branch[key] : undefined;
    if (kind === "delete") delete branch[key];
    else if (kind === "append" && Array.isArray(there)) own(branch, key, [...there, ...values]);
    else if (kind === "copy" && there !== undefined) own(branch, key, structuredClone(there));
    else own(branch, key, values[0]);
  }
  return branch;
}

/** Compared as texts, which tell what is called `__proto__`. Within values the order of members is nobody's promise. */
const text = (value: Any): string => JSON.stringify(value, (_, inner: Any) => (typeof inner === "object" && inner !== null && !Array.isArray(inner) ? Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)) : inner));

/** Which partition's conflicts come first is nobody's promise either. */
const byPartition = (conflicts: MergeConflict[]) => ["/s", "/a"].flatMap((start) => conflicts.filter(({ path }) => path.startsWith(start)));

test("what is sure without the core is as the core has it", () => {
  fc.assert(fc.property(reducers, members, members, fc.array(fc.tuple(edits, edits, folded), { maxLength: 4 }), folded, (reducers, scratch, artifacts, all, first) => {
    const manager = new StateManager(reducers);
    // So that there are means of several samples.
    const fold = (state: GraphState, mean: number | null): GraphState => {
      const takesNumbers = [reducers["scratch.mean"], reducers["/scratch/*"]].every((reducer) => ["avg", "sum", "max", undefined].includes(reducer as string));
      return mean === null || !takesNumbers ? state : manager.updateScratch(state, { mean });
    };
    const base = fold(fold({ ...manager.initialize(null), scratch, artifacts }, first), first);
    const branches = all.map(([one, two, mean]) => fold({ ...base, scratch: edited(base.scratch, one), artifacts: edited(artifacts, two) }, mean));
    const before = JSON.stringify([base, branches]);
    // Where there are means, the core is asked about everything.
    const asking = new StateManager({ ...reducers, "/scratch/nowhere": "avg" });
    const [merged, whole] = [manager, asking].map((one) => one.mergeParallelBranches(base, branches)) as [GraphState, GraphState];
    expect(text(merged)).toBe(text(whole));
    for (const partition of ["scratch", "artifacts"] as const) expect(Object.keys(merged[partition])).toEqual(Object.keys(whole[partition]));
    const [change, told] = [changeOf(merged)!, changeOf(whole)!];
    expect(text(byPartition(change.conflicts))).toBe(text(byPartition(told.conflicts)));
    expect(text(change.patch)).toBe(text(told.patch));
    expect(text(applyPatch(base, change.patch))).toBe(text(merged));
    expect(JSON.stringify([base, branches])).toBe(before);
  }), options);
});

test("what a reducer makes of numbers alone is what it makes of them in a state", () => {
  const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(-0, 0.1, 0.2, 1e308, -1e308, Number.MIN_VALUE, Number.MAX_VALUE));
  const written = fc.oneof({ arbitrary: number, weight: 9 }, { arbitrary: fc.constantFrom<Any>(undefined, null, "1", true, [1]), weight: 1 });
  const rule = fc.constantFrom<StateReducers[string]>("sum", "sum", "max", "min", "longest", "first", "last", "concat", "merge", "union", joined, (a: number, b: number) => a - b);
  const rules = fc.array(fc.tuple(fc.constantFrom("scratch.n", "/scratch/*", "scratch.n", "/scratch/n/0", "/scratch/n~1m", "artifacts.n", "/artifacts/*"), rule), { minLength: 1, maxLength: 3 }).map((rules): StateReducers => Object.fromEntries(rules));
  const part = fc.record({ n: written, "n/m": written, "*": written }).map((made): Any => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)));
  fc.assert(fc.property(rules, part, part, fc.array(fc.tuple(part, part), { minLength: 2, maxLength: 4 }), (reducers, scratch, artifacts, all) => {
    const managers = [new StateManager(reducers), new StateManager({ ...reducers, "/scratch/nowhere": "avg" })];
    const base: GraphState = { ...managers[0]!.initialize(null), scratch, artifacts };
    const branches = all.map(([one, two]): GraphState => ({ ...base, scratch: { ...scratch, ...one }, artifacts: { ...artifacts, ...two } }));
    const [one, whole] = managers.map((manager) => {
      try {
        const merged = manager.mergeParallelBranches(base, branches);
        const { patch, conflicts } = changeOf(merged)!;
        return [merged, patch, byPartition(conflicts)].map(text);
      } catch (error) {
        return [(error as PatchwireError).code];
      }
    });
    expect(one).toEqual(whole);
  }), options);
});

test.each([NaN, Infinity, -Infinity])("a number that JSON hasn't got is refused beside others: %s", (wrong) => {
  for (const reducer of ["sum", "min", "max"] as const) {
    const manager = new StateManager({ "scratch.n": reducer });
    const states = [0, 1, wrong].map((n): GraphState => ({ ...manager.initialize(null), scratch: { n } }));
    for (const [base, ...branches] of [states, states.toReversed()]) {
      expect(() => manager.mergeParallelBranches(base!, branches)).toThrow(expect.objectContaining({ code: "NOT_JSON", path: "/scratch/n" }));
    }
  }
});

test("what branches wrote is shared with them, and so are the items of lists", () => {
  const manager = new StateManager({ "scratch.log": "concat", "scratch.all": "union" });
  const base: GraphState = { ...manager.initialize(null), scratch: { log: [{ at: 0 }], lines: [{ at: 0 }], all: [{ at: 0 }], kept: {} } };
  const branches = [1, 2].map((at): GraphState => {
    const more = (list: object[]) => [...list, { at }];
    return { ...base, scratch: { ...base.scratch, log: more(base.scratch.log), lines: more(base.scratch.lines), all: more(base.scratch.all), [`own${at}`]: { at } } };
  });
  const { scratch, artifacts } = manager.mergeParallelBranches(base, branches);
  const [one, two] = branches.map((branch) => branch.scratch);
  expect([scratch.own1 === one.own1, scratch.own2 === two.own2, scratch.kept === base.scratch.kept, artifacts === base.artifacts]).toEqual([true, true, true, true]);
  for (const list of ["log", "lines"]) {
    expect(scratch[list]).toEqual([{ at: 0 }, { at: 1 }, { at: 2 }]);
    expect(scratch[list].map((item: object, i: number) => item === [base.scratch, one, two][i][list].at(-1))).toEqual([true, true, true]);
  }
  expect(scratch.all).toEqual([{ at: 0 }, { at: 1 }, { at: 2 }]);
});

test.each<[string, unknown, string, string]>([
  ["a date", { at: new Date(0) }, "NOT_JSON", "/scratch/own/at"],
  ["NaN", [NaN], "NOT_JSON", "/scratch/own/0"],
  ["a hole", [, 1], "NOT_JSON", "/scratch/own/0"],
])("what one branch wrote, or wrote over, is held to be JSON: %s", (_, own, code, path) => {
  const manager = new StateManager({});
  const [base, wrong] = [{}, { own }].map((scratch): GraphState => ({ ...manager.initialize(null), scratch })) as [GraphState, GraphState];
  expect(() => manager.mergeParallelBranches(base, [wrong])).toThrow(expect.objectContaining({ code, path }));
  const more = Array.isArray(own) ? [...own, 1] : 1;
  expect(() => manager.mergeParallelBranches(wrong, [{ ...base, scratch: { own: more } }])).toThrow(expect.objectContaining({ code, path }));
});

test("what one branch wrote is held against the limits, and -0 is 0", () => {
  const manager = new StateManager({});
  const base = manager.initialize(null) as GraphState;
  const merge = (own: unknown) => manager.mergeParallelBranches(base, [{ ...base, scratch: { own } }]).scratch.own;
  const nested = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));
  expect(merge(nested(400))).toEqual(nested(400));
  expect(() => merge(nested(600))).toThrow(expect.objectContaining({ code: "LIMIT_EXCEEDED" }));
  expect(() => merge("x".repeat((16 << 20) + 1))).toThrow(expect.objectContaining({ code: "LIMIT_EXCEEDED" }));
  expect(Object.is(merge({ deep: [-0] }).deep[0], 0)).toBe(true);
});
