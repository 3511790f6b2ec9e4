import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { applyPatch, PatchwireError } from "patchwire";
import { changeOf, StateManager, type GraphState, type StateReducers } from "patchwire/agentos";
import { refusal } from "../support/refusal.ts";
import { asked } from "../support/runs.ts";

// AgentOS's StateManager: what it does case by case, laws, and what its methods promise beyond AgentOS's.

const special: Record<string, unknown> = { undefined: undefined, NaN: NaN };
const revive = (value: any): any => {
  if (typeof value !== "object" || value === null) return value;
  if ("$special" in value) return special[value.$special];
  return Array.isArray(value) ? value.map(revive) : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, revive(member)]));
};

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** What a method made, with the law of its patch looked at; the state that it was given is frozen. */
function made(before: GraphState, run: (state: GraphState) => GraphState): GraphState {
  const after = run(frozen(before));
  expect(applyPatch(JSON.parse(JSON.stringify(before)), changeOf(after)!.patch)).toEqual(after);
  return after;
}

describe("AgentOS's cases (tests/cases/agentos-state.json)", () => {
  const { cases } = JSON.parse(readFileSync(new URL("../../cases/agentos-state.json", import.meta.url), "utf8")) as { cases: any[] };

  function play(one: any): any {
    const manager = new StateManager(one.reducers ?? {});
    const start = (more: object): GraphState => ({ ...manager.initialize({}), ...revive(more) });
    switch (one.call) {
      case "updateScratch":
        return one.patches.map(revive).reduce((state: GraphState, patch: any) => made(state, (state) => manager.updateScratch(state, patch)), start({ scratch: one.scratch }));
      case "updateArtifacts":
        return one.patches.reduce((state: GraphState, patch: any) => made(state, (state) => manager.updateArtifacts(state, patch)), start({ artifacts: one.artifacts }));
      case "mergeParallelBranches": {
        const base = start({ scratch: one.base, ...one.baseExtra });
        const branches = one.branches.map((scratch: any, i: number) => start({ scratch, ...one.baseExtra, ...one.branchExtra?.[i] }));
        const state = made(base, (base) => manager.mergeParallelBranches(base, branches));
        return { ...state, state, conflicts: changeOf(state)!.conflicts.map(({ path, strategy, lostBy }) => [path, strategy, lostBy]) };
      }
      case "initialize": {
        const state = manager.initialize(one.input);
        return { state, inputFrozen: Object.isFrozen(state.input) };
      }
      default:
        return one.nodes.reduce((state: GraphState, node: string) => made(state, (state) => manager.recordNodeVisit(state, node)), start({}));
    }
  }

  test.each(cases.map((one) => [one.name, one] as const))("%s", (_, one) => {
    if (one.ours.throws) {
      const { code, path } = refusal(() => play(one));
      expect([code, path]).toEqual([one.ours.throws, one.ours.path]);
    } else {
      expect(play(one)).toMatchObject(revive(one.ours));
      for (const partition of ["scratch", "artifacts"]) if (partition in one.ours) expect(play(one)[partition]).toEqual(revive(one.ours[partition]));
    }
  });

  // A fault of the original, and what is right in its place.
  const faults = cases.filter(({ doNotCopy }) => doNotCopy !== undefined);

  test.each(faults.map((one) => [one.name, one] as const))("not so: %s", (_, one) => {
    expect(one.doNotCopy).toBeTypeOf("string");
    expect(one.theirs, "the fault").toBeDefined();
    expect(one.why, "why it is one").toBeTypeOf("string");
    if (one.ours.throws) return expect(one.theirs).not.toHaveProperty("throws");
    const { originalMutated: _mutated, ...wrong } = revive(one.theirs);
    expect(play(one)).not.toMatchObject(wrong);
  });

  test("the faults are marked", () => expect(faults).toHaveLength(21));
});

describe("laws", () => {
  const numbers = fc.record({ n: fc.integer({ min: -9, max: 9 }), list: fc.array(fc.integer()), text: fc.string(), mean: fc.integer({ min: -99, max: 99 }) }, { requiredKeys: [] });
  const reducers: StateReducers = { "scratch.n": "sum", "scratch.list": "concat", "scratch.mean": "avg" };
  const options = asked(300);

  test("branches that write different members merge in any order to the same", () => {
    fc.assert(fc.property(numbers, fc.tuple(numbers, numbers, numbers), (start, updates) => {
      const manager = new StateManager({});
      const base = manager.updateScratch(manager.initialize(null), start);
      const branches = updates.map((update, i) => manager.updateArtifacts(manager.updateScratch(base, { [`own${i}`]: update }), { [`out${i}`]: i }));
      const merged = [[0, 1, 2], [2, 1, 0], [1, 2, 0]].map((order) => made(base, (base) => manager.mergeParallelBranches(base, order.map((i) => branches[i]!))));
      for (const one of merged) {
        expect(one).toEqual({ ...base, scratch: { ...start, own0: updates[0], own1: updates[1], own2: updates[2] }, artifacts: { out0: 0, out1: 1, out2: 2 } });
        expect(changeOf(one)!.conflicts).toEqual([]);
      }
    }), options);
  });

  test("branches that fold are as folds one after the other", () => {
    fc.assert(fc.property(numbers, fc.array(fc.array(numbers, { maxLength: 3 }), { maxLength: 4 }), (start, tools) => {
      const manager = new StateManager(reducers);
      const fold = (state: GraphState, updates: object[]) => updates.reduce<GraphState>((state, update) => made(state, (state) => manager.updateScratch(state, update as Record<string, unknown>)), state);
      const foldable = tools.map((updates) => updates.map(({ text: _, ...update }) => update));
      // A sum's first value would be the base of those that follow; where there is none, branches each begin one.
      const base = manager.updateScratch(manager.initialize(null), { n: 0, ...start });
      const merged = made(base, (base) => manager.mergeParallelBranches(base, foldable.map((updates) => fold(base, updates))));
      const inTurn = fold(base, foldable.flat());
      expect(merged.scratch).toEqual(inTurn.scratch);
      expect(merged.diagnostics).toEqual(inTurn.diagnostics);
    }), options);
  });

  test("a mean is the mean", () => {
    fc.assert(fc.property(fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1 }), (samples) => {
      const manager = new StateManager({ "/scratch/scores/*": "avg" });
      const end = samples.reduce((state, a) => manager.updateScratch(state, { scores: { a } }), manager.initialize(null) as GraphState);
      expect(end.scratch.scores.a).toBe(samples.reduce((sum, sample) => sum + sample) / samples.length);
    }), options);
  });

  test("branches by reference and as copies merge to the same", () => {
    fc.assert(fc.property(numbers, fc.array(numbers, { maxLength: 4 }), (start, updates) => {
      const manager = new StateManager(reducers);
      const base = manager.updateScratch(manager.initialize(null), start);
      const branches = updates.map((update) => manager.updateScratch(base, update));
      const [one, two] = [manager.mergeParallelBranches(base, branches), manager.mergeParallelBranches(base, structuredClone(branches))];
      expect(two).toEqual(one);
      expect(changeOf(two)).toEqual(changeOf(one));
    }), options);
  });
});

test("a state shares with the last one what a method didn't touch, and nothing with what it was given", () => {
  const manager = new StateManager({ "scratch.log": "concat" });
  const input = { prompt: { text: "Hello" } };
  const first = manager.updateScratch(manager.initialize(input), { kept: { a: 1 }, log: [1] });
  const entry = { at: 1 };
  const second = manager.updateScratch(first, { log: [entry] });
  expect(second.scratch.kept).toBe(first.scratch.kept);
  expect(second.memory).toBe(first.memory);
  expect(second.diagnostics).toBe(first.diagnostics);
  entry.at = 2;
  input.prompt.text = "changed";
  expect([second.scratch.log[1].at, second.input.prompt.text]).toEqual([1, "Hello"]);
  expect(Object.isFrozen(input.prompt)).toBe(false);
  expect(Object.isFrozen(second.input.prompt)).toBe(true);
});

test("functions reduce, may use the core themselves, and what they throw comes out", () => {
  const inner = new StateManager({ "scratch.n": "max" });
  const higher = (a: number, b: number) => inner.updateScratch(inner.updateScratch(inner.initialize(null), { n: a }), { n: b }).scratch.n;
  const manager = new StateManager({ "scratch.best": higher, "scratch.bad": () => { throw new RangeError("mine"); }, "scratch.none": () => undefined });
  const base = manager.updateScratch(manager.initialize(null), { best: 3, bad: 1, none: 1 });
  expect(manager.updateScratch(base, { best: 7 }).scratch.best).toBe(7);
  const branches = [5, 9, 4].map((best) => ({ ...base, scratch: { ...base.scratch, best } }));
  expect(manager.mergeParallelBranches(base, branches).scratch.best).toBe(9);
  expect(() => manager.updateScratch(base, { bad: 2 })).toThrow(RangeError);
  expect(refusal(() => manager.updateScratch(base, { none: 2 })).code).toBe("NOT_JSON");
  // What one threw is forgotten.
  expect(manager.updateScratch(base, { best: 4 }).scratch.best).toBe(4);
});

test("a function may use the manager whose function it is", () => {
  const manager: StateManager = new StateManager({
    "scratch.n": "sum",
    "scratch.deep": (a: number, b: number) => {
      if (b === 0) throw new RangeError("mine");
      if (b > 3) expect(() => manager.updateScratch(manager.updateScratch(manager.initialize(null), { deep: a }), { deep: 0 })).toThrow(RangeError);
      return b > 1 ? manager.updateScratch(manager.updateScratch(manager.initialize(null), { deep: a + 1 }), { deep: b - 1 }).scratch.deep : a + b;
    },
  });
  const base = manager.updateScratch(manager.initialize(null), { n: 1, deep: 1 });
  const after = manager.updateScratch(base, { n: 2, deep: 5 });
  expect(after.scratch).toEqual({ n: 3, deep: 6 });
  expect(changeOf(after)!.patch).toEqual([{ op: "replace", path: "/scratch/n", value: 3 }, { op: "replace", path: "/scratch/deep", value: 6 }]);
});

test("artifacts are reduced where branches meet, and deletions are deletions", () => {
  const manager = new StateManager({ "artifacts.files": "union", "artifacts.report.parts": "concat" });
  const base = manager.updateArtifacts(manager.initialize(null), { files: ["a"], report: { parts: [1], title: "T" }, old: true });
  const one = manager.updateArtifacts(base, { files: ["a", "b"], report: { parts: [1, 2], title: "T" }, old: undefined });
  const two = manager.updateArtifacts(base, { files: ["b", "c"], report: { parts: [1, 3], title: "U" } });
  const merged = manager.mergeParallelBranches(base, [one, two]);
  expect(merged.artifacts).toEqual({ files: ["b", "c"], report: { parts: [1, 2, 3], title: "U" } });
  expect(changeOf(merged)!.conflicts).toEqual([]);
});

describe("bad input", () => {
  const manager = new StateManager({ "scratch.n": "sum" });
  const state = manager.updateScratch(manager.initialize(null), { n: 1e308 });

  test.each<[string, () => unknown, string, string?]>([
    ["a reducer's place without a partition", () => new StateManager({ messages: "concat" }), "VALIDATION_FAILED", "/messages"],
    ["a partition as a whole", () => new StateManager({ scratch: "merge" }), "VALIDATION_FAILED", "/scratch"],
    ["a reducer that is no name", () => new StateManager({ "scratch.n": 7 as any }), "VALIDATION_FAILED", "/scratch/n"],
    ["a date in an update", () => manager.updateScratch(state, { at: new Date(0) }), "NOT_JSON", "/scratch/at"],
    ["a sum beyond all", () => manager.updateScratch(state, { n: 1e308 }), "NOT_JSON", "/scratch/n"],
    ["a state without scratch", () => manager.updateScratch({ ...state, scratch: undefined }, { n: 1 }), "VALIDATION_FAILED", "/scratch"],
    ["artifacts that are a list", () => manager.mergeParallelBranches({ ...state, artifacts: [] }, [state]), "VALIDATION_FAILED", "/artifacts"],
    ["no state", () => manager.updateScratch(undefined as any, { n: 1 }), "VALIDATION_FAILED"],
    ["branches that are no list", () => manager.mergeParallelBranches(state, undefined as any), "VALIDATION_FAILED"],
    ["a branch that is missing", () => manager.mergeParallelBranches(state, [undefined as any]), "VALIDATION_FAILED"],
    ["a node that is no string", () => manager.recordNodeVisit(state, 7 as any), "VALIDATION_FAILED", "/currentNodeId"],
    ["visits that are no list", () => manager.recordNodeVisit({ ...state, visitedNodes: "a" as any }, "b"), "PATH_NOT_FOUND", "/visitedNodes"],
    ["an input that isn't JSON", () => manager.initialize({ f() {} }), "NOT_JSON", "/input/f"],
  ])("%s", (_, run, code, path) => {
    const error = refusal(run);
    expect(error).toBeInstanceOf(PatchwireError);
    expect([error.code, error.path]).toEqual([code, path]);
  });

  test("a mismatch names the place and both types, and no value", () => {
    const error = refusal(() => manager.updateScratch(state, { n: "secret" }));
    expect(error.message).toBe("VALIDATION_FAILED: sum takes two numbers, and met a number and a string (at '/scratch/n')");
  });

  test("names that objects inherit are names like others", () => {
    const hostile = JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"a": 1}}');
    let after = manager.updateScratch(state, hostile);
    after = manager.mergeParallelBranches(after, [manager.updateScratch(after, JSON.parse('{"__proto__": 2}'))]);
    expect(Object.getOwnPropertyDescriptor(after.scratch, "__proto__")!.value).toBe(2);
    expect(({} as any).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(after.scratch)).toBe(Object.prototype);
  });
});
