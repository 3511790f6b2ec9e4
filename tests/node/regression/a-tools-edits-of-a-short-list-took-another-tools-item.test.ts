import { expect, test } from "vitest";
import { mergeWrites, parallel, StateTracker } from "patchwire";
import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";

// A short list of which several items change is told as a whole, because that's shorter. As a tool's writes that took away what
// another tool did to other items.
const item = (id: number) => ({ id, at: "" });
type Listed = { list: (ReturnType<typeof item> | string)[] };
const edits = (draft: Listed): void => draft.list.forEach((row) => typeof row === "object" && (row.at = "A"));

test.each([1, 2, 3, 30])("a tool that edits all of %i items, and one that adds another", async (count) => {
  const tracker = new StateTracker<Listed>({ list: Array.from({ length: count }, (_, id) => item(id)) });
  const { conflicts } = await parallel(tracker, [
    async (tool) => tool.update((draft) => void draft.list.push("x")),
    async (tool) => tool.update(edits),
    async (tool) => tool.update((draft) => void draft.list.push("y")),
  ]);
  expect(conflicts).toEqual([]);
  expect(tracker.getState().list).toEqual([...Array.from({ length: count }, (_, id) => ({ id, at: "A" })), "x", "y"]);
});

test("writes that are told item by item merge, and others are the whole list", () => {
  const base = { list: [1, 2, 3] };
  const told = (change: (draft: typeof base) => void, byItem: boolean) => {
    const tracker = new StateTracker(base);
    tracker.update(change);
    expect(tracker.cursor().stepWrites({ byItem })).toEqual({ ops: [], warnings: [] });
    return tracker.getStepWrites({ byItem });
  };
  const both = (byItem: boolean) =>
    mergeWrites(base, [told((draft) => void (draft.list[2] = 7), byItem), told((draft) => void ([draft.list[0], draft.list[1]] = [9, 8]), byItem)]);
  expect(both(true)).toMatchObject({ state: { list: [9, 8, 7] }, conflicts: [] });
  expect(both(false).conflicts).toHaveLength(1);
  expect(() => new StateTracker(base).getStepWrites({ byItem: 1 as never })).toThrow("byItem");
});

test("conflicts of a store's calls count all of them", async () => {
  const store = new DurableStateStore(memoryStorage());
  await store.createSession("s", { customState: { status: "" } });
  const says = (toolCallId: string) => ({ toolCallId, run: async (tool: { update(recipe: (draft: { status: string }) => void): void }) => tool.update((draft) => void (draft.status = toolCallId)) });
  const { conflicts } = await store.parallel<{ status: string }>("s", "step", [{ toolCallId: "a", run: () => Promise.reject(new Error("no")) }, says("b"), says("c")]);
  expect(conflicts).toMatchObject([{ path: "/status", keptBy: 2, lostBy: 1 }]);
});
