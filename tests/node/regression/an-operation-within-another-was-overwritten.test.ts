import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";

// A function that merges is called within an operation, which has read the session. Where it wrote to that session itself, its promise
// resolved, and the operation then wrote over it what it had read: messages were lost.

const stage = async (store: DurableStateStore): Promise<void> => {
  await store.createSession("x", { customState: { n: 1 } });
  for (const [toolCallId, value] of [["a", 2], ["b", 3]] as const) {
    await store.stageChanges("x", "step", { toolCallId, writes: { ops: [{ kind: "replace", path: "/n", value }] } });
  }
};
const save = (store: DurableStateStore) =>
  store.saveStateAndPromoteStaging("x", {}, [{ role: "user", content: "saved" }], { stepId: "step", stepCount: 1, streamSequence: 0 });

test("it is refused, by any store of the name", async () => {
  const storage = memoryStorage();
  const asked: Promise<unknown>[] = [];
  const counts: Promise<number>[] = [];
  const merge = (existing: number, incoming: number): number => {
    for (const one of [store, other]) {
      asked.push(one.appendMessages("x", [{ role: "user", content: "within" }]).catch((error: unknown) => error));
      counts.push(one.getMessageCount("x"));
    }
    return existing + incoming;
  };
  const store = new DurableStateStore(storage, { strategies: { "/n": merge } });
  const other = new DurableStateStore(storage);
  await stage(store);
  await save(store);
  expect(asked.length).toBeGreaterThan(0);
  expect(await Promise.all(asked)).toEqual(asked.map(() => expect.objectContaining({ code: "TRACKER_BUSY" })));
  expect(await Promise.all(counts)).toEqual(counts.map(() => 0));
  expect((await store.getMessages("x")).messages).toEqual([{ role: "user", content: "saved" }]);
});

test("who is told of a commit may write", async () => {
  const told: Promise<void>[] = [];
  const onEvent = ({ type }: { type: string }): void => {
    if (type === "commit" && told.length === 0) told.push(store.appendMessages("x", [{ role: "user", content: "told" }]));
  };
  const store = new DurableStateStore(memoryStorage(), { onEvent });
  await stage(store);
  await save(store);
  await Promise.all(told);
  expect((await store.getMessages("x")).messages.map(({ content }) => content)).toEqual(["saved", "told"]);
});

test("an operation that fails lets others begin", async () => {
  const store = new DurableStateStore(memoryStorage(), { strategies: { "/n": () => { throw new Error("no"); } } });
  await stage(store);
  await expect(save(store)).rejects.toThrow("no");
  await store.appendMessages("x", [{ role: "user", content: "next" }]);
  expect(await store.getMessageCount("x")).toBe(1);
});
