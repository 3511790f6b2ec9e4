import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { nodeStorage, SyncedState } from "patchwire/durable-objects";
import { Plan } from "../../../pkg/dist/sync/plan.js";

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
