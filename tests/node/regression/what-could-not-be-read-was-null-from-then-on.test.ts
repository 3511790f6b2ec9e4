import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { nodeStorage, SyncedState } from "patchwire/durable-objects";

// Where a part of a document of the past couldn't be read, the one call that looked into it threw. From then on the part was `null`, or
// empty, in that document and in its differences, without an error, though storage worked again.

interface State { l: { tag: string; text: string }[] }

const rows = (): State["l"] => Array.from({ length: 3_000 }, () => ({ tag: "a", text: "some text ".repeat(5) }));

function stored(): { database: DatabaseSync; state: SyncedState<State> } {
  const database = new DatabaseSync(":memory:");
  const state = new SyncedState<State>({ storage: nodeStorage(database) }, { initial: { l: rows() } });
  for (let i = 0; i < 41; i++) state.update((draft) => void (draft.l[i * 70]!.tag = `x${i}`));
  state.unload();
  return { database, state };
}

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

const away = "ALTER TABLE patchwire_chunks RENAME TO away";
const back = "ALTER TABLE away RENAME TO patchwire_chunks";
const lost = "DELETE FROM patchwire_chunks WHERE id = (SELECT MIN(id) FROM patchwire_chunks)";

test.each([["a row is missing", lost, ""], ["storage fails once", away, back]])("%s", (_, breaks, mends) => {
  const { database, state } = stored();
  const [older, newer, tracked] = [state.at(1), state.at(30), new StateTracker(state.at(1))];
  database.exec(breaks);
  const why = thrown(() => older.diff(newer));
  database.exec(mends);
  const uses = [
    () => older.diff(newer), () => older.toJSON(), () => newer.toBytes(), () => older.get("/l/5"), () => older.apply([{ op: "test", path: "/l/5", value: null }]),
    () => tracked.getState(),
  ];
  for (const use of uses) expect(thrown(use)).toBe(why);
  if (mends !== "") expect(state.at(30).apply(state.at(30).diff(state.at(1))).toJSON()).toEqual(state.at(1).toJSON());
  older.free();
  expect(() => older.get("/l/5")).toThrow("CLOSED");
});

test("what a recipe caught is what the update throws, and no damage is told of", () => {
  const { database, state } = stored();
  const update = (): void =>
    state.update((draft) => {
      database.exec(away);
      expect(() => draft.l[5]!.tag).toThrow("no such table");
      database.exec(back);
      draft.l = [];
    });
  expect(update).toThrow("no such table");
  expect([state.repair(), state.getState().l.length]).toEqual([undefined, 3_000]);
});
