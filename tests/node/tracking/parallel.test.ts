import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeWrites, parallel, PatchwireError, StateTracker, type ParallelContext } from "patchwire";
import { memoryStorage, SyncedState, type DurableContext } from "patchwire/durable-objects";
import { json, perform, step, type Json } from "../support/program.ts";
import { asked } from "../support/runs.ts";

interface Work {
  notes: string[];
  count: number;
  title: string;
}

const initial = (): Work => ({ notes: ["a"], count: 1, title: "" });
const context = (): DurableContext => ({
  storage: memoryStorage(), acceptWebSocket() {}, getWebSockets: () => [], getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {},
});
const owners = {
  StateTracker: () => {
    const tracker = new StateTracker(initial());
    return { owner: tracker, run: (tools: any, options?: any) => parallel(tracker, tools, options) };
  },
  SyncedState: () => {
    const state = new SyncedState(context(), { initial: initial() });
    return { owner: state, run: (tools: any, options?: any) => state.parallel(tools, options) };
  },
};
type Tool = ParallelContext<Work>;

test.each(Object.entries(owners))("%s: tools begin from one state, and one that fails is left out alone", async (_, make) => {
  const { owner, run } = make();
  const seen: unknown[] = [];
  const { results, conflicts, warnings } = await run([
    async (tool: Tool) => {
      tool.update((draft) => void draft.notes.push("b"));
      await Promise.resolve();
      tool.update((draft) => void (draft.title = "one"));
      seen.push(tool.getState());
      return 1;
    },
    (tool: Tool) => {
      seen.push(tool.getState());
      tool.update((draft) => void draft.notes.push("c"));
      tool.increment("/count", 5);
      tool.append("/title", "two");
      return "two";
    },
    async (tool: Tool) => {
      tool.update((draft) => void (draft.notes = []));
      throw new Error("no");
    },
    (tool: Tool) => tool.update(() => { throw new Error("nor this"); }),
  ]);
  expect(seen).toEqual([initial(), { notes: ["a", "b"], count: 1, title: "one" }]);
  expect(results).toEqual([
    { status: "fulfilled", value: 1 }, { status: "fulfilled", value: "two" }, { status: "rejected", reason: new Error("no") }, { status: "rejected", reason: new Error("nor this") },
  ]);
  expect(owner.getState()).toEqual({ notes: ["a", "b", "c"], count: 6, title: "onetwo" });
  expect([conflicts, warnings]).toEqual([[], []]);
});

test.each(Object.entries(owners))("%s: what changed while tools ran is one more writer, before them", async (_, make) => {
  const { owner, run } = make();
  const { conflicts } = await run([
    async (tool: Tool) => {
      tool.update((draft) => { draft.notes[0] = "A"; draft.title = "tool"; });
      owner.update((draft) => { draft.notes.push("last"); draft.title = "meanwhile"; draft.count = 10; });
      tool.increment("/count");
    },
  ]);
  expect(owner.getState()).toEqual({ notes: ["A", "last"], count: 11, title: "tool" });
  expect(conflicts).toEqual([{ path: "/title", strategy: "last", kept: "tool", lost: "meanwhile", keptBy: 0, lostBy: -1 }]);
});

test.each(Object.entries(owners))("%s: an item isn't another one because items were moved while a tool ran; its loss is told", async (_, make) => {
  const { owner, run } = make();
  const { conflicts } = await run([
    async (tool: Tool) => {
      tool.update((draft) => void (draft.notes[0] = "A"));
      owner.update((draft) => void draft.notes.unshift("first"));
    },
  ]);
  expect(owner.getState().notes).toEqual(["first", "a"]);
  expect(conflicts).toEqual([{ path: "/notes", strategy: "last", kept: ["first", "a"], lost: ["A"], keptBy: -1, lostBy: 0 }]);
});

test.each(Object.entries(owners))("%s: of an exclusive place the later tool fails with all that it did; who lost against it may stay", async (_, make) => {
  const { owner, run } = make();
  const write = (title: string, note: string) => (tool: Tool) => tool.update((draft) => { draft.title = title; draft.notes.push(note); });
  const note = (text: string) => (tool: Tool) => tool.update((draft) => void draft.notes.push(text));
  const count = (tool: Tool) => tool.update((draft) => void (draft.count = 7));
  const both = (tool: Tool) => tool.update((draft) => { draft.title = "both"; draft.count = 8; });
  const { results, conflicts } = await run([write("one", "1"), both, note("3"), count], { strategies: { "/title": "exclusive", "/count": "exclusive" } });
  // The second lost the title, so the fourth is the only one who wrote the count.
  expect(results.map(({ status }: { status: string }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
  expect(results[1]).toMatchObject({ reason: { code: "CONFLICT", path: "/title" } });
  expect(owner.getState()).toEqual({ notes: ["a", "1", "3"], count: 7, title: "one" });
  expect(conflicts).toEqual([]);
});

test("a tool that has ended can't change anything any more, and says so", async () => {
  const tracker = new StateTracker(initial());
  let kept!: Tool;
  await parallel(tracker, [(tool) => void (kept = tool)]);
  for (const late of [() => kept.update((draft) => void draft.count++), () => kept.append("/title", "x"), () => kept.increment("/count")]) {
    expect(late).toThrow(expect.objectContaining({ code: "CLOSED" }));
  }
  expect(kept.getState()).toEqual(initial());
  expect(tracker.getState()).toEqual(initial());
});

test("what the owner refuses is refused as a whole", async () => {
  const tracker = new StateTracker(initial(), { validate: ({ count }) => { if (count > 5) throw new PatchwireError("VALIDATION_FAILED", "too many"); } });
  const run = parallel(tracker, [(tool) => tool.increment("/count", 9), (tool) => tool.update((draft) => void draft.notes.push("b"))]);
  await expect(run).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  expect(tracker.getState()).toEqual(initial());
});

test("no tools, and tools that do nothing, change nothing", async () => {
  const state = new SyncedState(context(), { initial: initial() });
  expect(await state.parallel([])).toEqual({ results: [], conflicts: [], warnings: [] });
  await state.parallel([() => {}, (tool) => tool.update((draft) => { draft.count++; draft.count--; })]);
  expect(state.revision).toBe(0);
});

test("one tool does what an update does, and several what merging their writes does", async () => {
  const program = fc.array(step, { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(json.filter((value) => typeof value === "object" && value !== null), fc.array(program, { minLength: 1, maxLength: 3 }), async (given, programs) => {
      const run = (draft: unknown, steps: (typeof programs)[number]): void => steps.forEach((one) => perform(draft as Json, one));
      const owner = new StateTracker<any>(given);
      const tools = programs.map((steps) => (tool: ParallelContext<any>) => tool.update((draft) => run(draft, steps)));
      const { results } = await parallel(owner, tools);
      expect(results.every(({ status }) => status === "fulfilled")).toBe(true);
      const writes = programs.map((steps) => {
        const tracker = new StateTracker<any>(given);
        tracker.update((draft) => run(draft, steps));
        return tracker.getStepWrites({ byItem: true });
      });
      expect(owner.getState()).toEqual(mergeWrites(given, writes).state);
      if (programs.length > 1) return;
      const alone = new StateTracker<any>(given);
      alone.update((draft) => run(draft, programs[0]!));
      expect(owner.getState()).toEqual(alone.getState());
    }),
    asked(200),
  );
});
