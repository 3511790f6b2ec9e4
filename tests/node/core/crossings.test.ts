import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { StateTracker } from "patchwire";
import { nodeStorage, SyncedState } from "patchwire/durable-objects";
import { Plan } from "../../../pkg/dist/tables/plan.js";
import { TrackerCore } from "../../../pkg/dist/wasm/patchwire.js";

// No text of a commit leaves the core twice: what is stored and sent comes out in its frame.

/** The characters of each commit that the core gives out from now on. */
function crossing(): number[] {
  const commits: number[] = [];
  let depth = 0;
  const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length : Array.isArray(value) ? value.reduce((sum: number, one) => sum + lengthOf(one), 0) : 0);
  for (const [name, { value: method }] of Object.entries(Object.getOwnPropertyDescriptors(Plan.prototype))) {
    if (name === "constructor") continue;
    Object.defineProperty(Plan.prototype, name, {
      value(this: Plan, ...given: unknown[]): unknown {
        if (name === "commit") commits.push(0);
        if (depth === 0) commits.push((commits.pop() ?? 0) + lengthOf(given));
        depth++;
        try {
          return method.apply(this, given);
        } finally {
          depth--;
        }
      },
    });
  }
  return commits;
}

test("a patch that is stored and sent crosses once", () => {
  const context = { storage: nodeStorage(new DatabaseSync(":memory:")), getWebSockets: () => [], acceptWebSocket() {}, getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {} };
  const state = new SyncedState(context as never, { initial: { notes: [] as string[] } });
  state.fetch(new Request("http://session/?dialect=extended", { headers: { Accept: "text/event-stream" } }));
  state.update((draft) => void draft.notes.push("first"));
  const commits = crossing();
  for (let i = 0; i < 600; i++) {
    // Some begin a row of the log, some take one of their own.
    const length = i % 100 === 0 ? 10_000 : 60;
    state.update((draft) => void draft.notes.push("n".repeat(length)));
    // The frame, what is attached, and a session's id where a row begins.
    expect(commits.at(-1), `${i}`).toBeLessThan(length + 300);
  }
  expect(commits.length).toBe(600);
});

test("a cursor that is closed is closed in the core, where each would take time for every change", () => {
  const close = vi.spyOn(TrackerCore.prototype, "close_cursor");
  const tracker = new StateTracker({ n: 0 });
  for (let i = 0; i < 10; i++) tracker.cursor().close();
  expect(close).toHaveBeenCalledTimes(10);
  close.mockRestore();
});

test("transactions in which a state isn't touched ask nothing of the storage", async () => {
  const storage = nodeStorage(new DatabaseSync(":memory:"));
  const state = new SyncedState({ storage }, { initial: { n: 0 } });
  storage.transactionSync(() => state.update((draft) => void draft.n++));
  // Who has used it in this turn of the event loop looks whether it is as it was.
  await new Promise((turn) => setTimeout(turn));
  const exec = vi.spyOn(storage.sql, "exec");
  for (let i = 0; i < 10; i++) storage.transactionSync(() => {});
  expect(exec.mock.calls.filter(([query]) => query.startsWith("SELECT"))).toEqual([]);
  expect(state.getState()).toEqual({ n: 1 });
});
