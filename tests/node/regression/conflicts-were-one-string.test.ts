import { expect, test } from "vitest";
import { mergeBranches, parallel, StateTracker } from "patchwire";

// Every conflict had its own copy of what was kept and lost in one string: sixteen branches of 21 MB failed with an error of V8's.

test("what was kept is the merged state's value, and what was lost the branch's", () => {
  const base = { list: [1, 2, 3], plan: { steps: ["a"] } };
  const branches = [{ ...base, plan: { steps: ["b"] } }, { ...base, plan: { steps: ["c"] }, list: [1] }, { list: [3], plan: base.plan }];
  const { state, conflicts } = mergeBranches(base, branches as (typeof base)[]);
  expect(conflicts).toEqual([
    { path: "/plan/steps", strategy: "last", kept: ["c"], lost: ["b"], keptBy: 1, lostBy: 0 },
    { path: "/list", strategy: "last", kept: [3], lost: [1], keptBy: 2, lostBy: 1 },
  ]);
  expect(conflicts[1]!.kept).toBe(state.list);
  expect(conflicts[0]!.lost).toBe(branches[0]!.plan.steps);
});

test("branches of megabytes that all conflict are merged", () => {
  const rows = Array.from({ length: 100_000 }, (_, i) => ({ id: i, text: `${i}`.padEnd(200, "x") }));
  const branches = Array.from({ length: 14 }, (_, i) => rows.filter((_, at) => at !== i * 3));
  const { conflicts } = mergeBranches(rows, branches);
  expect(conflicts.length).toBe(13);
  for (const { kept, lost } of conflicts) expect([(kept as unknown[]).length > 0, (lost as unknown[]).length > 0]).toEqual([true, true]);
  expect(conflicts.every(({ kept }) => kept === conflicts[0]!.kept)).toBe(true);
});

test("tools whose lists are all lost but one are told", async () => {
  const tracker = new StateTracker({ list: ["base"] });
  const { conflicts } = await parallel(tracker, [0, 1, 2].map((i) => async (tool: any) => tool.update((draft: any) => void (draft.list = [`${i}`]))) as never);
  expect(tracker.getState()).toEqual({ list: ["2"] });
  expect((conflicts as any[]).map(({ kept, lost }) => [kept, lost])).toEqual([[["2"], ["0"]], [["2"], ["1"]]]);
});
