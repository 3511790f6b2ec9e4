import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage, type ToolCall } from "patchwire/durable-objects";

// A step is looked up again when its tools have ended. By then another run of it may have taken what its calls had staged, or a
// checkpoint may have been restored, or the session may be another one of its id: a call was `fulfilled` whose writes were lost,
// one of two was counted twice, or the new session got what was meant for the old one.
type State = { notes: string[]; n: number };

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const call = (toolCallId: string, ms: number, by: number): ToolCall<State> => ({
  toolCallId,
  run: async (tool) => {
    await pause(ms);
    tool.increment("/n", by);
    tool.update((draft) => void draft.notes.push(toolCallId));
  },
});

async function make(): Promise<DurableStateStore> {
  const store = new DurableStateStore(memoryStorage());
  await store.createSession("s", { customState: { notes: [], n: 0 } });
  return store;
}

const custom = async (store: DurableStateStore): Promise<unknown> => (await store.loadState("s"))?.customState;

test("of two runs of a step that expect one version, one is refused, and leaves nothing", async () => {
  const store = await make();
  const { version: expectedVersion } = (await store.loadState("s"))!;
  const run = () => store.parallel<State>("s", "step", [call("a", 5, 1), call("b", 20, 10)], { expectedVersion });
  const [one, other] = await Promise.allSettled([run(), run()]);
  expect(one).toMatchObject({ status: "fulfilled" });
  expect(other).toMatchObject({ status: "rejected", reason: { code: "STALE_STATE" } });
  expect(await custom(store)).toEqual({ notes: ["a", "b"], n: 11 });
  expect(await store.getStaged("s", "step")).toBeNull();
});

test("a call whose writes another run has taken is rejected", async () => {
  const store = await make();
  const run = () => store.parallel<State>("s", "step", [call("a", 5, 1), call("b", 20, 10)]);
  const [, other] = await Promise.all([run(), run()]);
  expect(other.results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(other.results[0]).toMatchObject({ reason: { code: "CONFLICT" } });
});

test("a call whose writes were discarded with a restored checkpoint is rejected", async () => {
  const store = await make();
  const checkpoint = await store.createCheckpoint("s");
  const step = store.parallel<State>("s", "step", [call("a", 20, 1), call("b", 0, 10)]);
  await pause(5);
  await store.restoreCheckpoint(checkpoint);
  const { results } = await step;
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(await custom(store)).toEqual({ notes: ["a"], n: 1 });
});

test("a session that has the id of a deleted one gets nothing of that one's step", async () => {
  for (const options of [{}, { expectedVersion: 1 }]) {
    const store = await make();
    const step = store.parallel<State>("s", "step", [call("a", 5, 1)], options);
    await store.deleteSession("s");
    await store.createSession("s", { customState: { notes: ["new"], n: 5 } });
    await expect(step).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await custom(store)).toEqual({ notes: ["new"], n: 5 });
  }
});
