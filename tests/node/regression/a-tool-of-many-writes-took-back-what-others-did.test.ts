import { expect, test } from "vitest";
import { parallel, StateTracker } from "patchwire";
import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";

// A call with more writes than the state accepts operations was told as one write, of a container or of all: it took back what others had
// committed meanwhile, and nothing was told. And what others did to small items of a list was told as another list, so that the tool's edit of
// another item was lost.

type Any = any;

const numbered = (count: number): Record<string, number> => Object.fromEntries(Array.from({ length: count }, (_, i) => [`r${i}`, 0]));

test.each([["a low limit", { operations: 3 }, 4], ["the default", undefined, 10_001]])("a staged call is promoted beside what was committed meanwhile: %s", async (_, limits, count) => {
  const store = new DurableStateStore(memoryStorage(), { limits });
  await store.createSession("a", { customState: { rows: numbered(count), mine: "old" } });
  const call = { toolCallId: "x", run: (tool: Any) => tool.update((draft: Any) => { for (const name of Object.keys(draft.rows)) draft.rows[name] = 1; }) };
  await store.parallel("a", "p", [call], { promote: false });
  store.synced<Any>("a").update((draft) => {
    draft.mine = "new";
    draft.rows.extra = 1;
  });
  expect(await store.promoteStaging("a", "p")).toMatchObject({ conflicts: [], warnings: [] });
  const { mine, rows } = (await store.loadState("a"))!.customState as Any;
  expect([mine, rows.extra, Object.keys(rows).length, Object.values(rows).every((value) => value === 1)]).toEqual(["new", 1, count + 1, true]);
});

test.each([[5, [0, 1, 2]], [20, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]]])("items of a list of %i that others edit while a tool edits another one", async (length, edited) => {
  const owner = new StateTracker<Any>({ list: Array.from({ length }, () => ({ v: 0 })) });
  const last = length - 1;
  const { conflicts } = await parallel<Any, unknown[]>(owner, [
    async (tool) => {
      tool.update((draft: Any) => void (draft.list[last].v = 7));
      await null;
      owner.update((draft: Any) => edited.forEach((i) => (draft.list[i].v = 1)));
    },
  ]);
  expect(conflicts).toEqual([]);
  expect(owner.getState().list.map(({ v }: Any) => v)).toEqual(Array.from({ length }, (_, i) => (i === last ? 7 : edited.includes(i) ? 1 : 0)));
});

test("whatever else becomes of the state while a tool runs is what it was", async () => {
  for (const [before, change, after] of [
    [{ a: 1, b: 2 }, (d: Any) => void delete d.a, { b: 2, tool: 1 }],
    [{ a: [1, 2, 3] }, (d: Any) => void d.a.shift(), { a: [2, 3], tool: 1 }],
    [{ a: { b: 1 } }, (d: Any) => void (d.a = [1]), { a: [1], tool: 1 }],
    [{ __proto__: null, a: 1 }, (d: Any) => void (d["__proto__"] = { x: 1 }), { ["__proto__"]: { x: 1 }, a: 1, tool: 1 }],
  ] as const) {
    const owner = new StateTracker<Any>(before as Any);
    await parallel<Any, unknown[]>(owner, [async (tool) => (tool.update((d: Any) => void (d.tool = 1)), await null, owner.update(change))]);
    expect(JSON.parse(JSON.stringify(owner.getState()))).toEqual(after);
  }
  const list = new StateTracker<Any>([1, 2]);
  await parallel<Any, unknown[]>(list, [async (tool) => (tool.update((d: Any) => void d.push(9)), await null, list.update((d: Any) => void d.push(3)))]);
  expect([...list.getState()].sort()).toEqual([1, 2, 3, 9]);
});

test("a tool may make a state smaller that is over its limits, and no larger", async () => {
  const storage = memoryStorage();
  await new DurableStateStore(storage).createSession("a", { customState: { long: "x".repeat(50), n: 0 } });
  const store = new DurableStateStore({ table: (shape) => storage.table(shape), transactionSync: (run) => storage.transactionSync(run) }, { limits: { string: 20 } });
  const calls = [{ toolCallId: "x", run: (tool: Any) => tool.update((draft: Any) => void delete draft.long) }];
  expect((await store.parallel("a", "p", calls)).results).toEqual([{ status: "fulfilled", value: undefined }]);
  expect((await store.loadState("a"))!.customState).toEqual({ n: 0 });
  const large = [{ toolCallId: "y", run: (tool: Any) => tool.update((draft: Any) => void (draft.n = "y".repeat(30))) }];
  expect((await store.parallel("a", "q", large)).results).toEqual([{ status: "rejected", reason: expect.objectContaining({ code: "LIMIT_EXCEEDED" }) }]);
});
