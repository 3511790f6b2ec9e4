import { expect, test } from "vitest";
import { mergeBranches, parallel, StateTracker } from "patchwire";

// Two tools that counted by `++` set the same number, so one count was lost, and nobody was told because both were equal.

const counting = { count: 0, status: "open" };

test("a number that two tools set to the same one is told, because they may have counted", async () => {
  const tracker = new StateTracker(counting);
  const tool = async (tool: { update(recipe: (draft: typeof counting) => void): void }): Promise<void> =>
    tool.update((draft) => {
      draft.count++;
      draft.status = "done";
    });
  const { conflicts } = await parallel(tracker, [tool, tool] as never);
  expect(tracker.getState()).toEqual({ count: 1, status: "done" });
  expect(conflicts).toEqual([{ path: "/count", strategy: "last", kept: 1, lost: 1, keptBy: 1, lostBy: 0 }]);
});

test("so are branches that did; a sum loses nothing", () => {
  const branches = [{ ...counting, count: 1 }, { ...counting, count: 1 }];
  expect(mergeBranches(counting, branches).conflicts).toEqual([{ path: "/count", strategy: "last", kept: 1, lost: 1, keptBy: 1, lostBy: 0 }]);
  expect(mergeBranches(counting, branches, { "/count": "sum" })).toMatchObject({ state: { count: 2 }, conflicts: [] });
});
