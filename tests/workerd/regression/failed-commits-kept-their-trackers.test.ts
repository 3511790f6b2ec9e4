import { expect, test } from "vitest";
import { SyncedState } from "patchwire/durable-objects";
import { memory } from "../../support/faults.ts";
import { inBare, newSession, stateOf, update, within } from "../session.ts";

// A failed commit left the tracker that was ahead of storage in memory, with the state: forty of them took 80 MB.

const NO_SOCKETS = { getWebSockets: () => [], acceptWebSocket() {}, getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {} };

test("after commits that fail, memory is what it was", async () => {
  const stub = newSession();
  const notes = Array.from({ length: 2_000 }, (_, i) => ({ text: `${i} ${"x".repeat(1_000)}` }));
  await update(stub, (draft) => void (draft.notes = notes));
  await within(stub, (_, { storage }) => {
    for (const write of ["INSERT", "UPDATE"]) storage.sql.exec(`CREATE TRIGGER refuse_${write} BEFORE ${write} ON patchwire_log BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END`);
  });
  const fail = (): Promise<void> =>
    within(stub, ({ state }) => {
      for (const note of [0, 999, 1_999]) {
        expect(() => state.update((draft) => void (draft.notes[note]!.text += "lost"))).toThrow("the disk is on fire");
      }
      expect(() => state.update((draft) => void draft.notes.reverse())).toThrow("the disk is on fire");
    });
  await fail();
  const before = memory().buffer.byteLength;
  for (let round = 0; round < 40; round++) await fail();
  expect(memory().buffer.byteLength - before).toBeLessThan(4 << 20);
  expect((await stateOf(stub)).state.notes).toEqual(notes);
  await within(stub, (_, { storage }) => ["INSERT", "UPDATE"].forEach((write) => storage.sql.exec(`DROP TRIGGER refuse_${write}`)));
  await update(stub, (draft) => void draft.notes.splice(1));
  expect(await stateOf(stub)).toMatchObject({ revision: 2, state: { notes: notes.slice(0, 1) } });
});

test("nor do states that could not be made leave anything", () =>
  inBare(async (ctx) => {
    const { storage } = ctx;
    const notes = Array.from({ length: 2_000 }, (_, i) => ({ text: `${i} ${"x".repeat(1_000)}` }));
    const refusing = { exec: (query: string, ...values: never[]) => (/INSERT.*_roots/.test(query) ? storage.sql.exec("SELECT * FROM nowhere") : storage.sql.exec(query, ...values)) };
    const place = { ...NO_SOCKETS, storage: { sql: refusing, transactionSync: storage.transactionSync.bind(storage) } } as never;
    const state = new SyncedState(place, { initial: { notes } });
    const fail = (): void => expect(() => state.getState()).toThrow("no such table");
    fail();
    const before = memory().buffer.byteLength;
    for (let i = 0; i < 40; i++) fail();
    expect(memory().buffer.byteLength - before).toBeLessThan(16 << 20);
  }));
