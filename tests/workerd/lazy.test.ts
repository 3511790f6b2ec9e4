import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { SyncedState } from "patchwire/durable-objects";
import { failNow, memory } from "../support/faults.ts";
import { costs, inBare, newSession, stateOf, update, within } from "./session.ts";

// A state that wakes is read from its chunks where somebody looks into it.

const MB = 1 << 20;
const taken = (): number => memory().buffer.byteLength;

type Context = Parameters<Parameters<typeof inBare>[0]>[0];

/** A state of many records in an object of a bare one, and the chunks that are read. */
function counted<T>({ storage, ...ctx }: Context, name: string, initial: T) {
  const chunks: number[] = [];
  const exec = storage.sql.exec.bind(storage.sql);
  const sql = {
    exec: (query: string, ...rest: never[]) => {
      if (query.includes("_chunks WHERE id = ?") && query.startsWith("SELECT")) chunks.push(Number(rest[0]));
      return exec(query, ...rest);
    },
  } as SqlStorage;
  const state = new SyncedState<T>(
    {
      ...ctx,
      storage: { sql, transactionSync: storage.transactionSync.bind(storage) },
      getWebSockets: () => [],
      acceptWebSocket: () => {},
      getWebSocketAutoResponse: () => "",
      setWebSocketAutoResponse: () => {},
    } as never,
    { name, initial, limits: { document: 256 * MB } },
  );
  const newest = (): number => Number(exec(`SELECT MAX(id) AS id FROM patchwire_${name}_roots`).one().id);
  /** Changes another member until a base has all that there is now; a log of up to 16 MB would be replayed by who wakes. */
  const fold = (): void => {
    const { revision } = state;
    for (let i = 0; newest() < revision && i < 100_000; i++) state.apply([{ op: "add", path: "/filler", value: i < 20 ? `${i}`.padEnd(MB) : i }]);
    expect(newest()).toBeGreaterThanOrEqual(revision);
    state.apply([{ op: "remove", path: "/filler" }]);
    // And until the chunks of the base before are deleted.
    for (let i = 0; i < 4_000; i++) state.increment("/count");
  };
  return { state, sql, exec, chunks, fold };
}

test("the first change after a wake on 100 MB reads and holds little, and folds stay small", async () => {
  await inBare((object) => {
    const { state, sql, exec, chunks, fold } = counted<{ notes: { text: string; n?: number }[]; count: number }>(object, "large", { notes: [], count: 0 });
    const notes = (piece: number) => Array.from({ length: 5_000 }, (_, i) => ({ text: `${piece} ${i} ${"the quick brown fox ".repeat(9)}`.slice(0, 187) }));
    for (let piece = 0; piece < 100; piece++) state.update((draft) => void draft.notes.push(...notes(piece)));
    fold();
    expect(exec("SELECT SUM(LENGTH(text)) AS sum FROM patchwire_large_chunks").one().sum).toBeGreaterThan(75 * MB);
    const { revision } = state;
    state.unload();
    failNow();
    chunks.length = 0;
    const before = taken();
    state.update((draft) => void draft.notes.push({ text: "new" }));
    state.update((draft) => void (draft.notes[250_000]!.n = 1));
    state.append("/notes/7/text", "more");
    expect(chunks.length).toBeLessThan(20);
    expect(taken() - before).toBeLessThan(16 * MB);
    // A long life of changes at the end, with folds: what a commit writes is counted, because what it takes isn't certain.
    const { worst } = costs(sql, 60_000, (i) => {
      if (i % 2 === 0) state.increment("/count");
      else state.update((draft) => void draft.notes.push({ text: `${i}` }));
    });
    expect(worst.rows).toBeLessThanOrEqual(8);
    expect(worst.bytes).toBeLessThanOrEqual(256 << 10);
    expect(exec("SELECT MAX(id) AS id FROM patchwire_large_roots").one().id).toBeGreaterThan(50_000);
    expect(taken() - before).toBeLessThan(64 * MB);
    const kinds: [name: string, run: (i: number) => void][] = [
      ["push", () => state.update((draft) => void draft.notes.push({ text: "y".repeat(88) }))],
      ["set", (i) => state.update((draft) => void (draft.count = i + 0.5))],
      ["nested", (i) => state.update((draft) => void (draft.notes[400_000 + i]!.n = i))],
      ["append", () => state.append("/notes/7/text", "token ")],
      ["delete", (i) => state.update((draft) => void delete draft.notes[400_000 + i]!.n)],
    ];
    for (const [name, run] of kinds) {
      const { rows, bytes, worst } = costs(sql, 500, run);
      expect(rows, name).toBeLessThan(1.1);
      expect(bytes, name).toBeLessThan(10_000);
      expect(worst.rows, name).toBeLessThanOrEqual(8);
      expect(worst.bytes, name).toBeLessThanOrEqual(256 << 10);
    }
    // Records are edited all over, in what woke with nothing read.
    const at = (i: number): number => (i * 7_919) % 400_000;
    const allOver = (from: number, to: number): void => {
      for (let i = from; i < to; i++) state.update((draft) => void (draft.notes[at(i)]!.n = -i));
    };
    state.unload();
    failNow();
    const asleep = taken();
    allOver(0, 12_000);
    expect(taken() - asleep).toBeLessThan(48 * MB);
    state.unload();
    failNow();
    chunks.length = 0;
    state.increment("/count");
    expect(chunks.length).toBeLessThan(20);
    expect(taken() - asleep).toBeLessThan(16 * MB);
    state.update((draft) => void expect([draft.notes[at(77)]!.n, draft.notes[at(11_999)]!.n, draft.notes.length]).toEqual([-77, -11_999, 100 * 5_000 + 1 + 30_000 + 500]));
    expect(state.revision).toBe(revision + 3 + 60_000 + 2_500 + 12_000 + 1);
  });
}, 300_000);

test("and so it does where they are members of one object", async () => {
  await inBare((object) => {
    interface Wide { map: Record<string, { text: string; n?: number }>; count: number }
    const { state, sql, exec, chunks, fold } = counted<Wide>(object, "wide", { map: {}, count: 0 });
    const nameOf = (i: number): string => `key ${(i * 7_919) % 250_000}`;
    const text = (i: number): string => `${i} ${"the quick brown fox ".repeat(20)}`.slice(0, 375);
    for (let piece = 0; piece < 250_000; piece += 5_000) {
      state.update((draft) => {
        for (let i = piece; i < piece + 5_000; i++) draft.map[nameOf(i)] = { text: text(i) };
      });
    }
    fold();
    expect(exec("SELECT SUM(LENGTH(text)) AS sum FROM patchwire_wide_chunks").one().sum).toBeGreaterThan(75 * MB);
    state.unload();
    failNow();
    chunks.length = 0;
    const before = taken();
    state.update((draft) => void (draft.map["another"] = { text: "new" }));
    state.update((draft) => void (draft.map[nameOf(125_000)]!.n = 1));
    state.update((draft) => void delete draft.map[nameOf(200_000)]);
    state.append(`/map/${nameOf(7)}/text`, "more");
    state.update((draft) => void expect(draft.map["another"]!.text).toBe("new"));
    // For each name one of the index and one of the members.
    expect(chunks.length).toBeLessThan(25);
    expect(taken() - before).toBeLessThan(16 * MB);
    const kinds: [name: string, run: (i: number) => void][] = [
      ["set", (i) => state.update((draft) => void (draft.map[nameOf(i)] = { text: text(i + 1) }))],
      ["nested", (i) => state.update((draft) => void (draft.map[nameOf(1_000 + i)]!.n = i))],
      ["add", (i) => state.update((draft) => void (draft.map[`new ${i}`] = { text: text(i) }))],
      ["delete", (i) => state.update((draft) => void delete draft.map[nameOf(2_000 + i)])],
    ];
    for (const [name, run] of kinds) {
      const { rows, worst } = costs(sql, 500, run);
      expect(rows, name).toBeLessThan(1.1);
      expect(worst.rows, name).toBeLessThanOrEqual(8);
      expect(worst.bytes, name).toBeLessThanOrEqual(256 << 10);
    }
    // With folds.
    const { worst } = costs(sql, 60_000, (i) => (i % 8 === 0 ? state.update((draft) => void (draft.map[nameOf(10_000 + i / 8)]!.n = i)) : state.increment("/count")));
    expect(worst.rows).toBeLessThanOrEqual(8);
    expect(worst.bytes).toBeLessThanOrEqual(256 << 10);
    expect(exec("SELECT MAX(id) AS id FROM patchwire_wide_roots").one().id).toBeGreaterThan(50_000);
    state.unload();
    state.update((draft) => {
      expect([draft.map[nameOf(200_000)], draft.map[nameOf(125_000)]?.n, draft.map["another"]?.text]).toEqual([undefined, 1, "new"]);
    });
    expect(Object.keys(state.getState().map).length).toBe(250_000 + 1 - 1 + 500 - 500);
  });
}, 300_000);

test("a chunk that is damaged or missing is told by who looks into it, and the rest of the state goes on", async () => {
  const stub = newSession();
  await update(stub, (draft) => void (draft.notes = Array.from({ length: 20_000 }, (_, i) => ({ text: `${i}`.padEnd(100, "x") }))));
  await within(stub, ({ state }) => {
    for (let i = 0; i < 100; i++) state.increment("/count");
  });
  const { revision } = await stateOf(stub);
  await evictDurableObject(stub);
  await within(stub, ({ state }, { storage: { sql } }) => {
    const chunk = Number(sql.exec("SELECT MIN(id) AS id FROM patchwire_chunks").one().id);
    sql.exec("UPDATE patchwire_chunks SET text = replace(text, '0', '1') WHERE id = ?", chunk);
    const damaged = expect.objectContaining({ code: "VALIDATION_FAILED", message: expect.stringContaining(`row ${chunk} of chunks`) });
    state.increment("/count");
    expect(() => state.update((draft) => void (draft.notes[3]!.text = "y"))).toThrow(damaged);
    expect(() => state.getState()).toThrow(damaged);
    expect(() => state.append("/notes/3/text", "y")).toThrow(damaged);
    // What isn't damaged can be read and written.
    state.update((draft) => void (draft.notes[19_000]!.text = "y"));
    expect(state.revision).toBe(revision + 2);
    sql.exec("DELETE FROM patchwire_chunks WHERE id = ?", chunk);
    expect(() => state.getState()).toThrow(expect.objectContaining({ code: "STREAM_TRUNCATED", message: expect.stringContaining(`row ${chunk} of chunks`) }));
    expect(() => state.fetch(new Request("http://session/"))).toThrow(expect.objectContaining({ code: "STREAM_TRUNCATED" }));
    expect(state.revision).toBe(revision + 2);
  });
});
