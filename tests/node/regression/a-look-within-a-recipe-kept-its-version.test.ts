import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { nodeStorage, SyncedState, type DurableContext } from "patchwire/durable-objects";

// Whoever looks at the state within a recipe reads all of it, but the version that it stands on was only given back by somebody who looked
// outside of one. So that version stayed for the rest of the object's life, and with it the chunks of each base that was replaced.

test("what a base before had goes, though somebody looked within a recipe", () => {
  const database = new DatabaseSync(":memory:");
  const open = (): SyncedState<{ rows: { id: number; text: string }[]; n: number }> => {
    const sockets = { acceptWebSocket() {}, getWebSockets: () => [], getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {} };
    const initial = { rows: Array.from({ length: 4_000 }, (_, id) => ({ id, text: `row ${id}`.padEnd(60) })), n: 0 };
    return new SyncedState({ storage: nodeStorage(database), ...sockets } as DurableContext, { initial });
  };
  const chunks = (): number => Number(database.prepare("SELECT COUNT(*) AS count FROM patchwire_chunks").get()!.count);
  open().update((draft) => void draft.n++);
  const first = chunks();
  const state = open();
  state.update((draft) => {
    expect(state.getState().rows.length).toBe(4_000);
    draft.n++;
  });
  for (let i = 0; i < 3_000; i++) state.update((draft) => void (draft.rows[(i * 7_919) % 4_000]!.text = `${i}`.padEnd(60)));
  expect(chunks()).toBeLessThan(1.5 * first);
  expect(state.getState().rows[7_919 % 4_000]!.text).toBe("1".padEnd(60));
});
