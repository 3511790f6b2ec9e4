import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { DurableStateStore, memoryStorage, nodeStorage } from "patchwire/durable-objects";

// Two processes had read one file at the same revision. The commit of the second was added to a row that the first had added to meanwhile:
// it was accepted, and the row was damaged for whoever opened the file next.

const folder = mkdtempSync(join(tmpdir(), "patchwire-"));
afterAll(() => rmSync(folder, { recursive: true }));

const places: [string, () => () => DurableStateStore][] = [
  ["a file", () => {
    const file = join(folder, `${Math.random()}.db`);
    return () => new DurableStateStore(nodeStorage(new DatabaseSync(file)));
  }],
  ["a memory", () => {
    const storage = memoryStorage();
    return () => new DurableStateStore(Object.create(storage));
  }],
];

test.each(places)("in %s", async (_, place) => {
  const open = place();
  const first = open();
  await first.createSession("s", { customState: { note: "", long: "" } });
  const second = open();
  const written: string[] = [];
  let refused = 0;
  for (let i = 0; i < 300; i++) {
    const store = i % 7 < 3 ? first : second;
    // What is long has a row of its own.
    const [pointer, text] = i % 20 === 19 ? ["/long", "x".repeat(9_000)] : ["/note", `${i},`];
    const write = () => store.synced("s").append(pointer!, text!);
    try {
      write();
    } catch (error) {
      expect(error).toMatchObject({ code: "STALE_STATE" });
      refused++;
      write();
    }
    if (pointer === "/note") written.push(text!);
  }
  expect(refused).toBeGreaterThan(50);
  const state = (await open().loadState("s"))!.customState as { note: string; long: string };
  expect(state).toEqual({ note: written.join(""), long: "x".repeat(9_000 * 15) });
});
