import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage } from "patchwire/durable-objects";

// The storage's transactions knew everybody who had read something in one: the state that a session began with was kept for
// ever, and so was what had been opened of it, though the session was deleted.
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const heap = async (): Promise<number> => {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
  }
  return process.memoryUsage().heapUsed;
};

test("a session that was deleted leaves nothing in memory", async () => {
  const store = new DurableStateStore(memoryStorage());
  const pass = async (count: number, from: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const customState = { notes: Array.from({ length: 2_000 }, (_, j) => `a note ${from + i} ${j}`) };
      await store.createSession(`s-${from + i}`, { customState });
      await store.deleteSession(`s-${from + i}`);
    }
  };
  await pass(40, 0);
  const before = await heap();
  await pass(120, 40);
  // Each of them would keep some 140 KB.
  expect((await heap()) - before).toBeLessThan(120 * 20_000);
}, 60_000);

test("nor does one that was refused", async () => {
  const store = new DurableStateStore(memoryStorage());
  let refused = 0;
  const pass = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await store.createSession(`s-${i}`, { agentType: 5 as never }).catch(() => refused++);
  };
  await pass(1_000);
  const before = await heap();
  await pass(2_000);
  expect(refused).toBe(3_000);
  // Each of them would keep some 4 KB.
  expect((await heap()) - before).toBeLessThan(2_000 * 1_000);
}, 60_000);
