import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { addNote, costs, newSession, stateOf, update, Wire, within, type Stub } from "./session.ts";

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
  expect(log).toBe(0);
  // The first one begins a row, which is noted; those that follow share it.
  expect(commits).toMatchObject([{ revision: 1, rows: 2 }, { revision: 2, rows: 1 }]);
  const patches = ["a", "b"].map((text) => `[{"op":"add","path":"/notes/-","value":{"text":"${text}"}}]`);
  expect(await rows(stub, "log")).toMatchObject([{ id: 4096, last: 2, patch: patches.join("\n") }]);
  expect(await rows(stub, "meta")).toMatchObject([{ format: 3, tail: 4096 }]);
});

/** What changes of the state cost. */
const costsOf = (stub: Stub, run: (state: { update(recipe: (draft: any) => void): void; append(pointer: string, text: string): void }, i: number) => void, count: number) =>
  within(stub, ({ state, events }, { storage: { sql } }) => {
    events.length = 0;
    return costs(sql, count, (i) => run(state, i));
  });

test.each([1_000, 100_000, 5_000_000])("rows of a change to a state of %i bytes, by the storage's own counters", async (bytes) => {
  const stub = newSession();
  const notes = Array.from({ length: bytes / 100 }, (_, i) => ({ text: `${i}`.padEnd(88, "x"), deep: {} }));
  await update(stub, (draft) => void (draft.notes = notes));
  // What a change of that size leaves to do isn't the small ones' cost.
  await costsOf(stub, (state) => state.append("/answer", "x"), 400);
  const kinds = {
    push: (state: any) => state.update((draft: any) => void draft.notes.push({ text: "y".repeat(88) })),
    set: (state: any, i: number) => state.update((draft: any) => void (draft.count = i + 1)),
    nested: (state: any, i: number) => state.update((draft: any) => void (draft.notes[(i * 7_919) % notes.length].deep.n = i)),
    append: (state: any) => state.append("/answer", "token "),
    delete: (state: any, i: number) => state.update((draft: any) => void delete draft.notes[i % notes.length].deep.n),
  };
  for (const [kind, run] of Object.entries(kinds)) {
    const { rows, bytes, worst } = await costsOf(stub, run, 500);
    expect(rows, kind).toBeLessThan(1.1);
    expect(bytes, kind).toBeLessThan(10_000);
    expect(worst.rows, kind).toBeLessThanOrEqual(8);
    expect(worst.bytes, kind).toBeLessThanOrEqual(256 << 10);
  }
});

test("20,000 changes write 1.1 rows each with all that is deleted, and none many", async () => {
  const stub = newSession();
  await update(stub, (draft) => void (draft.notes = Array.from({ length: 10_000 }, (_, i) => ({ text: `${i}`.padEnd(88, "x") }))));
  const { rows, worst } = await costsOf(stub, (state, i) => state.update((draft) => void (draft.notes[(i * 7_919) % 10_000].text = `${i}`.padEnd(88, "y"))), 20_000);
  expect(rows).toBeLessThanOrEqual(1.1);
  expect(worst.rows).toBeLessThanOrEqual(8);
  expect(worst.bytes).toBeLessThanOrEqual(256 << 10);
});

test("tables of another format are refused, and stay as they are", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  for (const format of [2, 4]) {
    await within(stub, ({ state }, { storage: { sql } }) => {
      state.unload();
      sql.exec("UPDATE patchwire_meta SET format = ?", format);
      expect(() => state.getState()).toThrow("VALIDATION_FAILED: the storage has a format that this version doesn't know");
      expect(() => state.repair()).toThrow("VALIDATION_FAILED");
      expect([...sql.exec("SELECT format FROM patchwire_meta")]).toEqual([{ format }]);
      sql.exec("UPDATE patchwire_meta SET format = 3");
    });
  }
  expect(await reopened(stub)).toMatchObject({ revision: 1, state: { notes: [{ text: "a" }] } });
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
  await execute(stub, "CREATE TRIGGER refuse BEFORE UPDATE ON patchwire_log BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END");
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
  const tables = await Promise.all(["roots", "chunks", "log"].map((table) => rows(stub, table)));
  const sizes = tables.flat().map(({ text, patch }) => new TextEncoder().encode(String(text ?? patch)).length);
  expect(sizes.length).toBeGreaterThan(8);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000_000);
  await addNote(stub, "small");
  const { revision, state } = await reopened(stub);
  expect([revision, state.notes.length, state.notes[0]!.text === large]).toEqual([2, 2, true]);
  // The large state costs a small change nothing.
  const commits = await within(stub, ({ state, events }) => {
    for (let i = 0; i < 200; i++) state.increment("/count");
    return events;
  });
  // It is written to chunks a piece at a time, and the row of its patch goes then.
  expect(commits.every((event) => event.type === "commit" && event.bytes === 38 && event.rows <= 8)).toBe(true);
  expect(commits.at(-1)).toEqual({ type: "commit", revision: 202, bytes: 38, rows: 1 });
});

test("the log folds into the base, and is bounded", async () => {
  const stub = newSession();
  for (let i = 0; i < 40; i++) await update(stub, (draft) => void (draft.answer = `${i} ${"x".repeat(20_000)}`));
  const log = await rows(stub, "log");
  expect(log.length).toBeLessThan(30);
  const roots = await rows(stub, "roots");
  expect([roots.length, Number(roots[0]!.id) > 30]).toEqual([1, true]);
  expect(await reopened(stub)).toMatchObject({ revision: 40, state: { answer: `39 ${"x".repeat(20_000)}` } });
});

test.each([
  ["the log lacks a row", `DELETE FROM patchwire_log WHERE id = ${2 * 4096}`, "STREAM_TRUNCATED", `row ${2 * 4096} of log`],
  ["the log lacks its last row", `DELETE FROM patchwire_log WHERE id = ${3 * 4096}`, "STREAM_TRUNCATED", `row ${3 * 4096} of log`],
  ["the base is gone", "DELETE FROM patchwire_roots", "STREAM_TRUNCATED", "of roots"],
  ["the description is gone", "DELETE FROM patchwire_meta", "STREAM_TRUNCATED", "row 1 of meta"],
  ["a patch is damaged", `UPDATE patchwire_log SET patch = '[]' WHERE id = ${2 * 4096}`, "VALIDATION_FAILED", `row ${2 * 4096} of log`],
  ["a patch is cut", `UPDATE patchwire_log SET patch = substr(patch, 1, length(patch) - 1) WHERE id = ${3 * 4096}`, "VALIDATION_FAILED", `row ${3 * 4096} of log`],
  ["the base is damaged", "UPDATE patchwire_roots SET text = text || ' '", "VALIDATION_FAILED", "row 0 of roots"],
  ["a later version wrote it", "UPDATE patchwire_meta SET format = 4", "VALIDATION_FAILED", "format"],
])("%s: that is said, and nothing is overwritten", async (_, damage, code, message) => {
  const stub = newSession();
  // Long enough for a row each.
  for (const text of ["a", "b", "c"]) await addNote(stub, text.repeat(8_000));
  await execute(stub, damage);
  await evictDurableObject(stub);
  const before = await rows(stub, "log");
  await within(stub, ({ state }) => {
    expect(() => state.getState()).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
    expect(() => state.update(() => {})).toThrow(expect.objectContaining({ code }));
  });
  expect(await rows(stub, "log")).toEqual(before);
});
