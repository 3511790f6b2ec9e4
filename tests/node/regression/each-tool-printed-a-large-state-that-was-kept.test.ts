import { expect, test, vi } from "vitest";
import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";

// Of a stored state nothing was known but its size, so one of its strings might have been over the limit: above 16 MB each tool's tracker
// printed all of it and had it parsed, 0.2 s at 25 MB.

test("what a tool costs doesn't grow with the state", async () => {
  const store = new DurableStateStore(memoryStorage());
  await store.createSession("s", { customState: { n: 0, rows: Array.from({ length: 2_000 }, () => "x".repeat(10_000)) } });
  store.synced("s").getState();
  store.synced<{ n: number }>("s").increment("/n");
  const stringify = vi.spyOn(JSON, "stringify");
  const { results } = await store.parallel<{ n: number }>("s", "step", [{ toolCallId: "a", run: async (tool) => tool.increment("/n") }]);
  const longest = Math.max(...stringify.mock.results.map(({ value }) => String(value).length));
  stringify.mockRestore();
  expect(results).toEqual([{ status: "fulfilled", value: undefined }]);
  expect(longest).toBeLessThan(10_000);
  expect(store.synced<{ n: number }>("s").getState().n).toBe(2);
});
