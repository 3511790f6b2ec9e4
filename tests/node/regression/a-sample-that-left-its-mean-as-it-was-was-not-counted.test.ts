import { expect, test } from "vitest";
import { applyPatch } from "patchwire";
import { changeOf, StateManager, type GraphState } from "patchwire/agentos";

// A branch that folds 5 into a mean of 5 has the same mean of one sample more. What branches changed was found by comparing
// members, of which that mean is none, so that the sample got lost.
test.each(["scratch.mean", "/scratch/*"])("a sample equal to its mean counts: %s", (place) => {
  const manager = new StateManager({ [place]: "avg" });
  const base = manager.updateScratch(manager.initialize(null) as GraphState, { mean: 5 });
  const fold = (...samples: number[]) => samples.reduce((state, mean) => manager.updateScratch(state, { mean }), base);
  const merge = (...branches: GraphState[]) => {
    const merged = manager.mergeParallelBranches(base, branches);
    expect(applyPatch(base, changeOf(merged)!.patch)).toEqual(merged);
    return [merged.scratch["mean"], merged.diagnostics.samples?.["/scratch/mean"]];
  };
  expect(merge(fold(5))).toEqual([5, { sum: 10, count: 2 }]);
  expect(merge(fold(5), fold(5, 5))).toEqual([5, { sum: 20, count: 4 }]);
  expect(merge(fold(5), fold(2))).toEqual([4, { sum: 12, count: 3 }]);
  expect(merge(base, base)).toEqual([5, undefined]);
});
