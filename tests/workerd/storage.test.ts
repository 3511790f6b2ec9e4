import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { addNote, newSession, stateOf, update, Wire, within, type Stub } from "./session.ts";

const rows = (stub: Stub, table: string): Promise<Record<string, unknown>[]> =>
  within(stub, (_, { storage }) => [...storage.sql.exec(`SELECT * FROM patchwire_${table} ORDER BY id`)]);

const execute = (stub: Stub, sql: string): Promise<void> => within(stub, (_, { storage }) => void storage.sql.exec(sql));

/** Forgets what is in memory, as the platform does with an idle object. */
async function reopened(stub: Stub): Promise<Awaited<ReturnType<typeof stateOf>>> {
  await evictDurableObject(stub);
  return stateOf(stub);
}

test("what was committed is there when the object is opened again", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  await within(stub, ({ state }) => {
    state.append("/answer", "Hel");
    state.append("/answer", "lo \ud83d");
    state.append("/answer", "\ude00");
    state.increment("/count", 2);
    state.apply([{ op: "add", path: "/notes/0", value: { text: "first" } }]);
  });
  const expected = { revision: 6, state: { notes: [{ text: "first" }, { text: "a" }], count: 2, answer: "Hello 😀" } };
  expect(await stateOf(stub)).toEqual(expected);
  expect(await reopened(stub)).toEqual(expected);
  await addNote(stub, "b");
  expect(await reopened(stub)).toMatchObject({ revision: 7, state: { notes: [{ text: "first" }, { text: "a" }, { text: "b" }] } });
});

test("a change writes one row, and no change none", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const { commits, log } = await within(stub, ({ state, events }, { storage }) => {
    const written = (): number => [...storage.sql.exec("SELECT id FROM patchwire_log")].length;
    const before = written();
    state.update((draft) => void draft.notes.push({ text: "b" }));
    state.update((draft) => void (draft.count = 0));
    state.append("/answer", "");
    state.update((draft) => {
      draft.notes.push({ text: "c" });
      draft.notes.pop();
    });
    return { commits: events.filter((event) => event.type === "commit"), log: written() - before };
  });
  expect(log).toBe(1);
  expect(commits).toMatchObject([{ revision: 1, rows: 1 }, { revision: 2, rows: 1 }]);
  expect((await rows(stub, "log")).at(-1)).toEqual({ id: 2 * 4096, parts: 1, patch: '[{"op":"add","path":"/notes/-","value":{"text":"b"}}]' });
  expect(await rows(stub, "meta")).toMatchObject([{ format: 1, revision: 0 }]);
});

test("a recipe that throws, or isn't JSON, leaves everything as it was", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  await within(stub, ({ state }) => {
    const failing = (draft: { count: number }): void => {
      draft.count = 9;
      throw new Error("no");
    };
    expect(() => state.update(failing)).toThrow("no");
    expect(() => state.update((draft) => void (draft.count = NaN))).toThrow("NOT_JSON");
    expect(() => state.update((async (draft: { count: number }) => void (draft.count = 1)) as never)).toThrow("ASYNC_RECIPE");
    expect(() => state.update((draft) => state.update(() => void (draft.count = 1)))).toThrow("TRACKER_BUSY");
    expect(() => state.apply([{ op: "remove", path: "/nowhere" }])).toThrow("PATH_NOT_FOUND");
    expect(() => state.append("/count", "x")).toThrow("PATH_NOT_FOUND");
    expect(state.revision).toBe(1);
  });
  expect(await reopened(stub)).toEqual({ revision: 1, state: { notes: [{ text: "a" }], count: 0, answer: "" } });
});

test("a transaction that fails is as if it had never been, for storage, memory and clients", async () => {
  const stub = newSession();
  const wire = await Wire.live(stub);
  await addNote(stub, "a");
  await wire.revision(1);
  await execute(stub, "CREATE TRIGGER refuse BEFORE INSERT ON patchwire_log BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END");
  await within(stub, ({ state }) => {
    expect(() => state.update((draft) => void draft.notes.push({ text: "lost" }))).toThrow("the disk is on fire");
    expect(state.getState().notes).toEqual([{ text: "a" }]);
    expect(state.revision).toBe(1);
  });
  await execute(stub, "DROP TRIGGER refuse");
  await addNote(stub, "b");
  expect(await wire.revision(2)).toMatchObject({ revision: 2, chunk: { patches: [{ op: "add", path: "/notes/-", value: { text: "b" } }] } });
  expect(JSON.stringify(wire.frames)).not.toContain("lost");
  expect(await reopened(stub)).toMatchObject({ revision: 2, state: { notes: [{ text: "a" }, { text: "b" }] } });
});

test("a state of several megabytes is kept in rows of at most one", async () => {
  const stub = newSession();
  const large = "é😀\"".repeat(600_000);
  await addNote(stub, large);
  const sizes = [...(await rows(stub, "base")), ...(await rows(stub, "log"))].map(({ text, patch }) => new TextEncoder().encode(String(text ?? patch)).length);
  expect(sizes.length).toBeGreaterThan(8);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000_000);
  await addNote(stub, "small");
  const { revision, state } = await reopened(stub);
  expect([revision, state.notes.length, state.notes[0]!.text === large]).toEqual([2, 2, true]);
  // The large state costs a small change nothing.
  const commits = await within(stub, ({ state, events }) => {
    state.increment("/count");
    return events;
  });
  expect(commits).toEqual([{ type: "commit", revision: 3, bytes: 38, rows: 1 }]);
});

test("the log folds into the base, and is bounded", async () => {
  const stub = newSession();
  for (let i = 0; i < 40; i++) await update(stub, (draft) => void (draft.answer = `${i} ${"x".repeat(20_000)}`));
  const log = await rows(stub, "log");
  expect(log.length).toBeLessThan(30);
  expect(Number((await rows(stub, "meta"))[0]!.revision)).toBeGreaterThan(30);
  expect(await reopened(stub)).toMatchObject({ revision: 40, state: { answer: `39 ${"x".repeat(20_000)}` } });
});

test.each([
  ["the log has a gap", `DELETE FROM patchwire_log WHERE id = ${2 * 4096}`, "STREAM_TRUNCATED"],
  ["the base is gone", "DELETE FROM patchwire_base", "STREAM_TRUNCATED"],
  ["the description is gone", "DELETE FROM patchwire_meta", "STREAM_TRUNCATED"],
  ["a patch is damaged", `UPDATE patchwire_log SET patch = '[' WHERE id = ${2 * 4096}`, "INVALID_JSON"],
  ["a patch doesn't fit", `UPDATE patchwire_log SET patch = '[{"op":"remove","path":"/x"}]' WHERE id = ${2 * 4096}`, "PATH_NOT_FOUND"],
  ["a later version wrote it", "UPDATE patchwire_meta SET format = 2", "VALIDATION_FAILED"],
])("%s: that is said, and nothing is overwritten", async (_, damage, code) => {
  const stub = newSession();
  for (const text of ["a", "b", "c"]) await addNote(stub, text);
  await execute(stub, damage);
  await evictDurableObject(stub);
  const before = await rows(stub, "log");
  await within(stub, ({ state }) => {
    expect(() => state.getState()).toThrow(expect.objectContaining({ code }));
    expect(() => state.update(() => {})).toThrow(expect.objectContaining({ code }));
  });
  expect(await rows(stub, "log")).toEqual(before);
});
