import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { nodeStorage, SyncedState } from "patchwire/durable-objects";

// What looked for damage asked how deep a value nests, which a text answers without being read. And where a base was damaged, the
// failure was thrown when the core had found an older one that is whole.
const contextOf = (database: DatabaseSync) => ({ storage: nodeStorage(database), acceptWebSocket() {}, getWebSockets: () => [], getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {} }) as never;

describe("repair of a state", () => {
  const options = { initial: { report: "x".repeat(200_000), n: 0 }, retention: { revisions: 1_000 } };

  test("sees that a piece of a long text is missing", () => {
    const database = new DatabaseSync(":memory:");
    new SyncedState(contextOf(database), options).increment("/n");
    const ids = database.prepare("SELECT id FROM patchwire_chunks").all().map((row) => Number(row["id"]));
    expect(ids.length).toBeGreaterThan(3);
    database.exec("CREATE TABLE all_chunks AS SELECT * FROM patchwire_chunks");
    for (const id of ids) {
      database.prepare("DELETE FROM patchwire_chunks WHERE id = ?").run(id);
      expect(() => new SyncedState(contextOf(database), options).repair()).toThrow(`row ${id} of chunks`);
      database.prepare("INSERT INTO patchwire_chunks SELECT * FROM all_chunks WHERE id = ?").run(id);
    }
    expect(new SyncedState(contextOf(database), options).repair()).toBeUndefined();
  });

  test("goes back to an older base where the newest is damaged, and loses nothing", () => {
    const rows = (by: number) => Array.from({ length: 3_000 }, (_, id) => ({ id, text: `row ${id * by}` }));
    const listed = { initial: { rows: rows(1), n: 0 }, retention: { revisions: 1_000 } };
    const database = new DatabaseSync(":memory:");
    const state = new SyncedState(contextOf(database), listed);
    for (let i = 0; i < 12; i++) {
      state.update((draft) => {
        draft.rows = rows(i + 2);
        draft.n++;
      });
    }
    const chunk = Number(database.prepare("SELECT MAX(id) AS id FROM patchwire_chunks").get()!["id"]);
    database.prepare("DELETE FROM patchwire_chunks WHERE id = ?").run(chunk);
    const repaired = new SyncedState(contextOf(database), listed);
    expect(repaired.repair()).toMatchObject({ restored: 12, newest: 12, revision: 13, damage: { code: "STREAM_TRUNCATED", message: expect.stringContaining(`row ${chunk} of chunks`) } });
    expect(repaired.getState()).toEqual(state.getState());
    repaired.increment("/n");
    expect(new SyncedState(contextOf(database), listed).getState()).toEqual({ ...state.getState(), n: 13 });
  });
});
