import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { failNow, memory } from "../support/faults.ts";
import { newSession, update, within, type Stub } from "./session.ts";

// What a live object takes of the core's memory, which never shrinks: another core is begun before each measurement.

const MB = 1 << 20;
const taken = (): number => memory().buffer.byteLength;

/** As many records of an agent's work as take so many bytes, told apart by when they were made. */
const records = (bytes: number, when: number): { text: string }[] =>
  Array.from({ length: Math.ceil(bytes / 200) }, (_, i) => ({ text: `${when} ${i} ${"the quick brown fox ".repeat(9)}`.slice(0, 187) }));

const rows = (stub: Stub, table: string, column: string): Promise<number> =>
  within(stub, (_, { storage: { sql } }) => Number(sql.exec(`SELECT SUM(LENGTH(${column})) AS sum FROM patchwire_${table}`).one().sum));

test("an object of 20 MB wakes, and lives through a day of commits and folds, below three times its size", async () => {
  const stub = newSession();
  for (let piece = 0; piece < 20; piece++) await update(stub, (draft) => void draft.notes.push(...records(MB, piece)));
  await evictDurableObject(stub);
  failNow();
  const state = await within(stub, ({ state }) => state.fetch(new Request("http://session/")).text());
  const size = state.length;
  await evictDurableObject(stub);
  failNow();
  await within(stub, ({ state }) => void state.revision);
  const woken = taken();
  expect(woken).toBeLessThan(1.2 * size);
  let [folds, most] = [0, 0];
  for (let hour = 0; hour < 24; hour++) {
    await within(stub, ({ state }) => {
      for (let i = 0; i < 1_000; i++) {
        if (i === 0) state.update((draft) => void (draft.answer = ""));
        else if (i % 4 === 0) state.append("/answer", "some tokens of an answer ");
        else if (i % 4 === 1) state.increment("/count");
        else if (i % 4 === 2) state.update((draft) => (draft.notes.push({ text: `${hour} ${i}`.padEnd(187, "z") }), void draft.notes.shift()));
        else state.update((draft) => void draft.notes.splice((i * 97) % 100_000, 40, ...records(8_000, i)));
      }
    });
    const log = await rows(stub, "log", "patch");
    if (log < most) folds++;
    most = log;
  }
  expect(folds).toBeGreaterThan(0);
  expect(taken()).toBeLessThan(3 * size);
});
