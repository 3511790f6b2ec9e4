import { evictDurableObject } from "cloudflare:test";
import { SyncedState, type Repaired, type SyncedStateOptions } from "patchwire/durable-objects";
import { expect, test } from "vitest";
import { addNote, hello, inBare, newSession, stateOf, Wire, within } from "./session.ts";

interface Notes {
  notes: string[];
  count: number;
}

const begin = (ctx: DurableObjectState, options: Partial<SyncedStateOptions<Notes>> = {}) =>
  new SyncedState<Notes>(ctx, { name: "past", initial: { notes: ["a".repeat(30_000)], count: 0 }, ...options });

/** So much change that the state is written as a whole several times. */
function work(state: SyncedState<Notes>, rounds = 8): void {
  for (let i = 0; i < rounds; i++) {
    for (let j = 0; j < 4; j++) state.update((draft) => void draft.notes.push(`${i} ${"b".repeat(20_000)}`));
    state.update((draft) => void draft.notes.splice(1, 4));
    state.increment("/count");
  }
}

const refusal = (code: string) => expect.objectContaining({ code });

test("kept revisions are read, and compared, however often the state was written as a whole since", () =>
  inBare((ctx) => {
    const state = begin(ctx, { retention: { revisions: 40 } });
    const states: Notes[] = [structuredClone(state.getState()) as Notes];
    for (let i = 0; i < 8; i++) {
      work(state, 1);
      states[state.revision] = structuredClone(state.getState()) as Notes;
    }
    for (const revision of [12, 18, 24, 30, 36, 42, 48]) expect(state.at(revision).toJSON()).toEqual(states[revision]);
    expect([...ctx.storage.sql.exec("SELECT id FROM patchwire_past_roots")].length).toBeGreaterThan(2);
    expect(() => state.at(0)).toThrow(refusal("NOT_FOUND"));
    expect(() => state.at(49)).toThrow(refusal("NOT_FOUND"));
    for (const wrong of [-1, 1.5, NaN, "1" as never]) expect(() => state.at(wrong)).toThrow(refusal("VALIDATION_FAILED"));
    expect(state.at(42).diff(state.at(48))).toEqual([{ op: "replace", path: "/count", value: 8 }]);
    // What an earlier life kept is there in the next one.
    state.unload();
    expect(state.at(30).toJSON()).toEqual(states[30]);
  }));

test("a revision is restored as a change, which clients follow", async () => {
  const stub = newSession();
  await addNote(stub, "a");
  const wire = await Wire.live(stub);
  await within(stub, ({ state }) => {
    state.update((draft) => {
      draft.notes = [];
      draft.count = 7;
    });
    state.restore(1);
  });
  expect(await stateOf(stub)).toMatchObject({ revision: 3, state: { notes: [{ text: "a" }], count: 0 } });
  expect(await wire.revision(3)).toMatchObject({ chunk: { type: "state_patch" } });
  await within(stub, ({ state }) => expect(() => state.restore(17)).toThrow(refusal("NOT_FOUND")));
  await evictDurableObject(stub);
  expect(await stateOf(stub)).toMatchObject({ revision: 3, state: { notes: [{ text: "a" }], count: 0 } });
});

/** A state in rows of its own, which documents read part by part. */
function fill(state: SyncedState<Notes>, text: string): void {
  state.update((draft) => void (draft.notes = Array.from({ length: 3_000 }, (_, i) => `${i} ${text.repeat(50)}`)));
  state.increment("/count");
}

const ways: [name: string, undo: (ctx: DurableObjectState, state: SyncedState<Notes>) => unknown][] = [
  ["destroy", (_, state) => state.destroy()],
  ["deleteAll", (ctx) => ctx.storage.deleteAll()],
];

test.each(ways)("a document of the past reads nothing of what comes after %s", (_, undo) =>
  inBare(async (ctx) => {
    const state = begin(ctx);
    fill(state, "b");
    state.unload();
    const document = state.at(state.revision);
    await undo(ctx, state);
    fill(state, "c");
    expect(() => document.toJSON()).toThrow(refusal("STALE_STATE"));
    expect(state.at(state.revision).toJSON()).toEqual(state.getState());
  }));

test("a document of a commit that was taken back reads nothing of what comes after it", () =>
  inBare((ctx) => {
    const state = begin(ctx);
    let document = state.at(state.revision);
    const undone = (): void =>
      ctx.storage.transactionSync(() => {
        fill(state, "b");
        state.unload();
        document = state.at(state.revision);
        throw new Error("taken back");
      });
    expect(undone).toThrow("taken back");
    fill(state, "c");
    expect(() => document.toJSON()).toThrow(refusal("STALE_STATE"));
    expect(state.at(state.revision).toJSON()).toEqual(state.getState());
  }));

test("a pin keeps a revision until it is taken away, and what only it needed goes then", () =>
  inBare((ctx) => {
    const state = begin(ctx);
    work(state, 1);
    const [pinned, then] = [state.pin(), structuredClone(state.getState())];
    expect(state.pin(pinned)).toBe(pinned);
    expect(state.pins).toEqual([pinned]);
    expect(() => state.pin(999)).toThrow(refusal("NOT_FOUND"));
    work(state);
    state.unload();
    expect(state.at(pinned).toJSON()).toEqual(then);
    expect(() => state.at(pinned + 12)).toThrow(refusal("NOT_FOUND"));
    const bytes = (): number => [...ctx.storage.sql.exec("SELECT length(text) AS bytes FROM patchwire_past_roots UNION ALL SELECT length(text) FROM patchwire_past_chunks")].reduce((sum, row) => sum + Number(row["bytes"]), 0);
    const kept = bytes();
    state.unpin(pinned);
    expect(state.at(pinned).toJSON()).toEqual(then);
    state.unpin(pinned);
    expect(() => state.unpin(pinned)).toThrow(refusal("NOT_FOUND"));
    for (let i = 0; i < 100; i++) state.increment("/count");
    expect(() => state.at(pinned)).toThrow(refusal("NOT_FOUND"));
    expect(bytes()).toBeLessThan(kept);
    expect([...ctx.storage.sql.exec("SELECT id FROM patchwire_past_roots")]).toHaveLength(1);
  }));

test("a pin is part of the transaction that it was made in, and so is one that is taken away", () =>
  inBare((ctx) => {
    const state = begin(ctx);
    work(state, 1);
    const pinned = state.pin();
    const then = structuredClone(state.getState());
    const refused = new Error("rolled back");
    const rolledBack = (run: () => void): void => {
      expect(() => ctx.storage.transactionSync(() => (run(), (() => { throw refused; })()))).toThrow(refused);
    };
    rolledBack(() => state.unpin(pinned));
    rolledBack(() => {
      state.unpin(pinned);
      work(state, 3);
    });
    rolledBack(() => void state.pin(pinned - 1));
    expect(state.pins).toEqual([pinned]);
    work(state);
    expect(state.at(pinned).toJSON()).toEqual(then);
  }));

test("what is kept of the past is bounded by number, age and bytes, and a bound that is none is refused", () =>
  inBare((ctx) => {
    for (const wrong of [{ revisions: -1 }, { age: 1.5 }, { bytes: "1" }, 7]) expect(() => begin(ctx, { retention: wrong as never })).toThrow(refusal("VALIDATION_FAILED"));
    const state = begin(ctx, { retention: { bytes: 300_000, age: 60_000 } });
    work(state, 20);
    const [{ bytes }] = [...ctx.storage.sql.exec("SELECT total(length(text)) AS bytes FROM patchwire_past_chunks")] as [{ bytes: number }];
    const [{ log }] = [...ctx.storage.sql.exec("SELECT total(length(patch)) AS log FROM patchwire_past_log")] as [{ log: number }];
    expect(bytes + log).toBeLessThan(300_000 + 400_000);
    expect(state.at(state.revision - 5).get("/count")).toBe(19);
    expect(() => state.at(20)).toThrow(refusal("NOT_FOUND"));
  }));

test.each([
  ["a lost patch", "DELETE FROM patchwire_log WHERE id = (SELECT MAX(id) FROM patchwire_log)", 1],
  ["a damaged patch", "UPDATE patchwire_log SET patch = '[]' WHERE id = (SELECT MAX(id) FROM patchwire_log)", 1],
  ["a lost description", "DELETE FROM patchwire_meta", 2],
])("%s: the newest revision that is whole is given back, as a number and a session that never were", async (_, damage, restored) => {
  const stub = newSession();
  await addNote(stub, "a");
  // A row of its own.
  await addNote(stub, "b".repeat(8_000));
  const wire = await Wire.live(stub);
  const session = wire.frames.find((frame) => frame.session !== undefined)!.session as string;
  await within(stub, ({ state }, { storage }) => {
    for (const revision of [1, 2, 2]) state.pin(revision);
    state.unload();
    storage.sql.exec(damage);
    expect(() => state.getState()).toThrow(/STREAM_TRUNCATED|VALIDATION_FAILED/);
  });
  const repaired = await within(stub, ({ state }) => {
    const { damage, ...numbers } = state.repair()!;
    expect(damage).toMatchObject({ message: expect.stringMatching(/row \d+ of (log|meta)/) });
    return numbers;
  }) as Omit<Repaired, "damage">;
  expect(repaired.restored).toBe(restored);
  const lost = [1, 2].filter((revision) => revision > restored);
  expect(repaired.pins).toEqual(lost);
  await within(stub, ({ state }) => expect(state.pins).toEqual([1, 2].filter((revision) => !lost.includes(revision))));
  expect(repaired.newest).toBeGreaterThanOrEqual(2);
  expect(repaired.revision).toBe(repaired.newest + 1);
  const notes = ["a", "b".repeat(8_000)].slice(0, restored).map((text) => ({ text }));
  expect(await stateOf(stub)).toMatchObject({ revision: repaired.revision, state: { notes } });
  await within(stub, ({ state }) => expect(state.repair()).toBeUndefined());
  await addNote(stub, "after");
  await evictDurableObject(stub);
  expect(await stateOf(stub)).toMatchObject({ revision: repaired.revision + 1, state: { notes: [...notes, { text: "after" }] } });
  // Who had seen what is lost is sent all of it; here the connection is closed, and another one begun.
  const again = await Wire.open(stub, hello(session, 2));
  expect(await again.until((frame) => frame.type === "chunk" && frame.chunk.type === "state_snapshot")).toMatchObject({ revision: repaired.revision + 1 });
});

test("a state of which nothing is whole stays as it is, unless an earlier one was kept", () =>
  inBare((ctx) => {
    const state = begin(ctx);
    work(state, 3);
    state.unload();
    const damage = "UPDATE patchwire_past_roots SET text = text || ' ' WHERE id = (SELECT MAX(id) FROM patchwire_past_roots)";
    const newest = [...ctx.storage.sql.exec("SELECT MAX(id) AS id FROM patchwire_past_roots")][0]!["id"];
    const before = JSON.stringify([...ctx.storage.sql.exec("SELECT * FROM patchwire_past_log")]);
    ctx.storage.sql.exec(damage);
    const refused = expect.objectContaining({ code: "VALIDATION_FAILED", message: expect.stringContaining(`row ${newest} of roots`) });
    expect(() => state.getState()).toThrow(refused);
    expect(() => state.repair()).toThrow(refused);
    expect(JSON.stringify([...ctx.storage.sql.exec("SELECT * FROM patchwire_past_log")])).toBe(before);
    state.destroy();
    // With its past, nothing at all is lost: the patches since an earlier base lead to the same state.
    const kept = new SyncedState<Notes>(ctx, { name: "kept", initial: { notes: ["a".repeat(30_000)], count: 0 }, retention: { revisions: 1_000 } });
    work(kept, 6);
    const [then, revision, pinned] = [structuredClone(kept.getState()), kept.revision, kept.pin(10)];
    const tenth = kept.at(pinned).toJSON();
    kept.unload();
    ctx.storage.sql.exec(damage.replaceAll("past", "kept"));
    expect(kept.repair()).toMatchObject({ restored: revision, newest: revision, revision: revision + 1, pins: [] });
    expect(kept.getState()).toEqual(then);
    expect(kept.at(pinned).toJSON()).toEqual(tenth);
    work(kept, 6);
    kept.unload();
    expect(kept.at(pinned).toJSON()).toEqual(tenth);
  }));

test("what changes a state returns nothing", () =>
  inBare((ctx) => {
    const state = new SyncedState<Notes>(ctx, { name: "void", initial: { notes: [], count: 0 } });
    const changes = [
      () => state.update((draft) => draft.notes.push("a")), () => state.update(() => {}), () => state.apply([{ op: "replace", path: "/count", value: 5 }]),
      () => state.append("/notes/0", "b"), () => state.increment("/count"), () => state.restore(1), () => state.restore(state.revision),
    ];
    for (const change of changes) expect((change as () => unknown)()).toBeUndefined();
    expect(state.getState()).toEqual({ notes: ["a"], count: 0 });
  }));
