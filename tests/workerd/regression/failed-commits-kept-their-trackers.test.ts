import { expect, test } from "vitest";
import { memory } from "../../faults.ts";
import { newSession, stateOf, update, within } from "../session.ts";

// A failed commit left the tracker that was ahead of storage in memory, with the state: forty of them took 80 MB.

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
