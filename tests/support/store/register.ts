// What a state has in the register, its version and its pins: found as it was left, and never silently lost.
import { expect } from "vitest";
import { DurableStateStore, SyncedState, type StoreStorage, type SyncedStateOptions } from "patchwire/durable-objects";
import { backend } from "./backends.ts";
import { append, begun, type Notes } from "./contract.ts";
import type { Rows, Tabled } from "./tables.ts";

interface Work {
  text: string;
  count: number;
}

const NO_SOCKETS = { acceptWebSocket() {}, getWebSockets: () => [], getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {} };

/** The state, as an object has it that knows nothing. */
function opened(storage: StoreStorage, options: Partial<SyncedStateOptions<Work>> = {}): SyncedState<Work> {
  return new SyncedState<Work>({ storage: backend(storage).place as StoreStorage, ...NO_SOCKETS }, { initial: { text: "", count: 0 }, ...options });
}

const lost = (table: string) => expect.objectContaining({ code: "STREAM_TRUNCATED", message: expect.stringMatching(new RegExp(`lacks a row: row \\[.*\\] of ${table}$`)) });
const damaged = (table: string) => expect.objectContaining({ code: "VALIDATION_FAILED", message: expect.stringMatching(new RegExp(`is damaged: row \\[.*\\] of ${table}$`)) });

const tableOf = ({ tables }: Tabled, name: string) => tables().find((table) => table.name === name)!;

/** Does something while one row of a table is missing. */
function without(damageable: Tabled, name: string, at: number, run: () => void): void {
  const table = tableOf(damageable, name);
  const rows = table.read();
  table.replace(rows, rows.toSpliced(at, 1));
  run();
  table.replace(table.read(), rows);
}

/** What makes the core ask which revisions are pinned: the state is written as a whole. */
function rewrite(state: SyncedState<Work>): void {
  for (let i = 0; i < 4; i++) state.update((draft) => void (draft.text = `${i}`.repeat(100_000)));
}

export const cases: Record<string, (damageable: Tabled) => unknown> = {
  "more pins than a page has": (damageable) => {
    const { storage } = damageable;
    const state = opened(storage);
    const pins = new Map<number, number>();
    const add = (revision: number, by: number): unknown => ((pins.get(revision) ?? 0) + by === 0 ? pins.delete(revision) : pins.set(revision, (pins.get(revision) ?? 0) + by));
    const known = (): number[] => [...pins.keys()].sort((a, b) => a - b);
    for (let i = 0; i < 1_500; i++) {
      state.increment("/count");
      add(state.pin(), 1);
      // Not only in their order, and some of them twice.
      if (i % 3 === 0) add(state.pin((i * 7_919) % (i + 1)), 1);
    }
    expect(opened(storage).pins).toEqual(known());
    const pages = tableOf(damageable, "pins").read().length;
    expect(pages).toBeGreaterThan(3);
    for (let at = 0; at < pages; at++) {
      without(damageable, "pins", at, () => {
        expect(() => state.pins).toThrow(lost("pins"));
        // Each is there, or it is told that this can't be known.
        let told = 0;
        for (let revision = 0; revision <= 1_500; revision += 31) {
          try {
            state.unpin(revision);
            expect(pins.has(revision)).toBe(true);
            state.pin(revision);
          } catch (error) {
            if ((error as { code: string }).code === "NOT_FOUND") expect(pins.has(revision)).toBe(false);
            else expect(error, `page ${at}`).toEqual(lost("pins")), told++;
          }
        }
        expect(told).toBeGreaterThan(5);
      });
    }
    expect(state.pins).toEqual(known());
    for (const revision of known()) {
      for (let count = pins.get(revision)!; count > 0; count--) state.unpin(revision);
      expect(() => state.unpin(revision)).toThrow("NOT_FOUND");
    }
    expect(opened(storage).pins).toEqual([]);
    expect(tableOf(damageable, "pins").read().length).toBe(1);
  },

  "a commit that has to know what is pinned isn't made where that is damaged": ({ storage, ...rest }) => {
    const damageable = { storage, ...rest };
    const state = opened(storage);
    state.increment("/count");
    const pinned = state.pin();
    for (const name of ["states", "pins"]) {
      without(damageable, name, 0, () => {
        expect(() => rewrite(state)).toThrow(lost(name));
        // What needs no pins goes on.
        const { revision } = state;
        state.increment("/count");
        expect([opened(storage).revision, opened(storage).getState()]).toEqual([revision + 1, state.getState()]);
      });
      const table = tableOf(damageable, name);
      const rows = table.read();
      table.replace(rows, [{ ...rows[0]!, ...(name === "pins" ? { text: "[]" } : { pinned: 0 }) }]);
      expect(() => rewrite(state)).toThrow(damaged(name));
      expect(() => state.pins).toThrow(damaged(name));
      expect(() => state.pin()).toThrow(damaged(name));
      expect(() => state.unpin(pinned)).toThrow(damaged(name));
      table.replace(table.read(), rows);
    }
    for (let i = 0; i < 4; i++) rewrite(state);
    expect(opened(storage).at(pinned).toJSON()).toEqual({ text: "", count: 1 });
  },

  "a lost version is told, and has to be known to whoever repairs it": (damageable) => {
    const { storage } = damageable;
    const options = { version: 2, migrate: (): never => expect.fail("the state has this version") };
    const first = opened(storage, options);
    first.increment("/count");
    first.pin();
    const table = tableOf(damageable, "states");
    table.replace(table.read(), []);
    const state = opened(storage, options);
    for (const use of [() => state.getState(), () => state.increment("/count"), () => state.repair()]) expect(use).toThrow(lost("states"));
    expect(table.read()).toEqual([]);
    expect(state.repair({ version: 2 })).toEqual({ restored: 1, newest: 1, revision: 1, pins: [], damage: lost("states") });
    expect(state.repair()).toBeUndefined();
    expect([state.getState(), state.pins]).toEqual([{ text: "", count: 1 }, [1]]);
    // Who has no versions has version 0.
    table.replace(table.read(), table.read().map((row) => ({ ...row, version: 1 })));
    const plain = opened(storage);
    expect(plain.getState()).toEqual({ text: "", count: 1 });
    expect(() => plain.pin()).toThrow(damaged("states"));
    expect(plain.repair()).toMatchObject({ restored: 1, damage: damaged("states") });
    expect(plain.pins).toEqual([1]);
  },

  "lost pins are told, and a checkpoint that lost its own": async (damageable) => {
    const { storage } = damageable;
    const store = await begun(backend(storage).place);
    const checkpoint = await store.createCheckpoint("s");
    const change = async (): Promise<void> => {
      for (let i = 0; i < 4; i++) await store.mergeCustomState("s", append("x".repeat(300_000))), await store.saveState("s", { customState: { notes: [] } });
    };
    const table = tableOf(damageable, "pins");
    table.replace(table.read(), []);
    await expect(change()).rejects.toEqual(lost("pins"));
    // It isn't lost yet.
    expect((await store.getCheckpoint(checkpoint))?.state.customState).toMatchObject({ notes: ["a"] });
    const state = store.synced<Notes>("s");
    const { revision } = state;
    expect(state.repair()).toEqual({ restored: revision, newest: revision, revision, pins: [], damage: lost("pins") });
    await change();
    for (const use of [() => store.getCheckpoint(checkpoint), () => store.restoreCheckpoint(checkpoint), () => store.branchFromCheckpoint(checkpoint, "new")]) {
      await expect(use()).rejects.toEqual(lost("pins"));
    }
    expect(await new DurableStateStore(backend(storage).place).sessionExists("new")).toBe(false);
  },

  "more sessions and runs than a page has": async (damageable) => {
    const { storage } = damageable;
    const store = await begun(backend(storage).place);
    const ids = Array.from({ length: 120 }, (_, i) => `${(i * 7_919) % 120} é" ${"x".repeat(80)}`);
    for (const id of ids) {
      await store.createSession(id);
      await store.createRun("s", `run ${id}`, { turn: 1 });
    }
    const again = new DurableStateStore(backend(storage).place);
    for (const name of ["sessions:session_pages", "sessions:run_pages"]) {
      const pages = tableOf(damageable, name).read().length;
      expect(pages).toBeGreaterThan(1);
      const table = tableOf(damageable, name);
      const rows = table.read();
      for (let at = 0; at < pages; at++) {
        table.replace(rows, rows.toSpliced(at, 1));
        let told = 0;
        for (let i = 0; i < 60; i++) {
          const [known, unknown] = [ids[i * 2]!, `${i * 2} unknown`];
          if (name === "sessions:session_pages") {
            expect(await again.sessionExists(known)).toBe(true);
            const found = await again.sessionExists(unknown).catch((error: unknown) => error);
            if (found !== false) expect(found).toEqual(lost(name)), told++;
          } else {
            const done = await again.updateRunStatus(`run ${known}`, "running").catch((error: unknown) => error);
            if (done !== undefined) expect(done).toEqual(lost(name)), told++;
            const made = await again.createRun("s", `run ${known}`, { turn: 1 }).catch((error: unknown) => error);
            expect([lost(name), expect.objectContaining({ code: "CONFLICT" })]).toContainEqual(made);
          }
        }
        expect(told).toBeGreaterThan(5);
        // What was there before is there again, in pages of its own.
        expect(await again.repair()).toEqual(lost(name));
        expect(table.read().flatMap(({ text }) => JSON.parse(String(text)))).toEqual(rows.flatMap(({ text }) => JSON.parse(String(text))));
        expect(await again.repair()).toBeUndefined();
        table.replace(table.read(), rows);
      }
    }
    const numbers = tableOf(damageable, "sessions:numbers");
    numbers.replace(numbers.read(), []);
    await expect(again.createSession("new")).rejects.toEqual(lost("sessions:numbers"));
    expect(await again.repair()).toEqual(lost("sessions:numbers"));
    await again.createSession("new");
    await again.deleteSession("new");
    // A session without its row can't be told the ids of its runs.
    const [sessions, pages] = ["sessions:sessions", "sessions:run_pages"].map((name) => tableOf(damageable, name)) as [Rows, Rows];
    const whole = [sessions.read(), pages.read()] as const;
    sessions.replace(whole[0], whole[0].map((row, i) => (i === 7 ? { ...row, changes: 100 } : row)));
    pages.replace(whole[1], whole[1].slice(1));
    await expect(again.repair()).rejects.toEqual(damaged("sessions:sessions"));
    expect(pages.read()).toEqual(whole[1].slice(1));
    sessions.replace(sessions.read(), whole[0].toSpliced(7, 1));
    await expect(again.repair()).rejects.toEqual(lost("sessions:sessions"));
    expect(pages.read()).toEqual(whole[1].slice(1));
    sessions.replace(sessions.read(), whole[0]);
    pages.replace(pages.read(), whole[1]);
    for (const id of ids) await again.deleteSession(id);
    await again.deleteSession("s");
    for (const name of ["sessions:session_pages", "sessions:run_pages"]) expect(tableOf(damageable, name).read().map(({ text }) => text)).toEqual(["[]"]);
    for (const id of ids) expect(await again.sessionExists(id)).toBe(false);
  },
};
