import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage, nodeStorage, SyncedState, type StoreStorage } from "patchwire/durable-objects";

// `migrate` without a `return` made the state null, for good. A revision from before a migration was restored in its old shape, and went as one
// of the present version; so did what `repair` fell back to. An application without versions took a state of a later version for its own.

type Any = any;

/** The same storage, as another object finds it that wakes. */
const woken = (storage: StoreStorage): { storage: StoreStorage } => ({ storage: new Proxy(storage, { get: (from, name) => (typeof from[name as never] === "function" ? (from[name as never] as Any).bind(from) : from[name as never]) }) });

const retention = { revisions: 100 };
const first = { initial: { items: [] as string[] }, retention };
const second = { initial: { items: [] }, retention, version: 1, migrate: ({ items }: Any) => ({ items: items.map((text: string) => ({ text })) }) };
const third = { ...second, version: 2, migrate: (state: Any, from: number): Any => ({ items: (from === 0 ? second.migrate(state) : state).items.map((item: Any) => ({ ...item, done: false })) }) };

function begun(storage: StoreStorage): void {
  const state = new SyncedState<Any>(woken(storage), first);
  state.update((draft) => void draft.items.push("x"));
  state.update((draft) => void draft.items.push("y"));
}

const open = (storage: StoreStorage, options: Any): SyncedState<Any> => new SyncedState<Any>(woken(storage), options);
const refused = expect.objectContaining({ code: "VALIDATION_FAILED" });

const storages = { memory: memoryStorage, SQLite: () => nodeStorage(new DatabaseSync(":memory:")) };

test.each(Object.entries(storages))("migrate has to return the state: %s", async (_, make) => {
  const storage = make();
  begun(storage);
  for (const migrate of [() => {}, (state: Any) => state.legacy]) {
    expect(() => open(storage, { ...second, migrate }).getState()).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED", message: expect.stringContaining("migrate returned nothing") }));
  }
  expect(open(storage, second).getState()).toEqual({ items: [{ text: "x" }, { text: "y" }] });

  const place = make();
  await new DurableStateStore(woken(place).storage).createSession("s", { customState: { items: ["x"] } });
  await expect(new DurableStateStore(woken(place).storage, { version: 1, migrate: () => undefined }).loadState("s")).rejects.toEqual(refused);
  expect((await new DurableStateStore(woken(place).storage, { version: 1, migrate: second.migrate }).loadState("s"))!.customState).toEqual({ items: [{ text: "x" }] });
});

test.each(Object.entries(storages))("a revision from before a migration is migrated when it is restored: %s", (_, make) => {
  const storage = make();
  begun(storage);
  const state = open(storage, second);
  state.restore(1);
  expect(state.getState()).toEqual({ items: [{ text: "x" }] });
  const later = open(storage, third);
  expect(later.getState()).toEqual({ items: [{ text: "x", done: false }] });
  // Revisions 0 to 2 have the first shape, 3 and 4 the second one, and 5 the third.
  for (const [revision, items] of [[0, []], [2, ["x", "y"]], [3, ["x", "y"]], [4, ["x"]], [5, ["x"]]] as const) {
    later.restore(revision);
    expect(later.getState()).toEqual({ items: items.map((text) => ({ text, done: false })) });
  }
  expect(open(storage, third).at(1).toJSON()).toEqual({ items: ["x"] });
});

test("a version alone is a later one of the same shape", () => {
  const storage = memoryStorage();
  begun(storage);
  const state = open(storage, { ...first, version: 1 });
  expect(state.revision).toBe(2);
  const calls: number[] = [];
  const later = open(storage, { ...first, version: 2, migrate: (state: Any, from: number) => (calls.push(from), { ...state, at: from }) });
  expect(later.getState()).toEqual({ items: ["x", "y"], at: 1 });
  later.restore(1);
  expect(later.getState()).toEqual({ items: ["x"], at: 0 });
  expect(calls).toEqual([1, 0]);
});

test("what repair falls back to has the version that it had", () => {
  const database = new DatabaseSync(":memory:");
  const storage = nodeStorage(database);
  begun(storage);
  open(storage, second).update((draft: Any) => void draft.items.push({ text: "z" }));
  // The newest row of the log has the migration and what came after it.
  const [{ text: table }] = database.prepare(`SELECT name AS text FROM sqlite_master WHERE name LIKE 'patchwire%log'`).all() as [{ text: string }];
  const patches = (database.prepare(`SELECT patch FROM "${table}"`).all() as { patch: string }[]).map(({ patch }) => patch);
  expect(patches.length).toBe(1);
  database.exec(`UPDATE "${table}" SET patch = 'x' || patch`);
  const state = open(storage, second);
  const lost = state.repair()!;
  expect(lost.restored).toBe(0);
  expect(state.getState()).toEqual({ items: [] });
  state.update((draft: Any) => void draft.items.push({ text: "z" }));
  expect(open(storage, third).getState()).toEqual({ items: [{ text: "z", done: false }] });
});

test.each(Object.entries(storages))("an application without versions is an earlier one: %s", (_, make) => {
  const storage = make();
  begun(storage);
  open(storage, second).getState();
  const old = open(storage, first);
  expect(() => old.update((draft) => void draft.items.push("plain"))).toThrow(refused);
  expect(() => old.getState()).toThrow(refused);
  expect(open(storage, second).getState()).toEqual({ items: [{ text: "x" }, { text: "y" }] });
});

test("a checkpoint has the version of the state, whichever store asks for it", async () => {
  const storage = memoryStorage();
  const one = new DurableStateStore(storage);
  await one.createSession("a", { customState: { v: 0 } });
  const options = { version: 2, migrate: ({ v }: Any) => ({ v: v + 2 }) };
  const other = new DurableStateStore(storage, options);
  const checkpoint = await other.createCheckpoint("a");
  const later = new DurableStateStore(woken(storage).storage, options);
  expect((await later.loadState("a"))!.customState).toEqual({ v: 2 });
  expect((await later.getCheckpoint(checkpoint))!.state.customState).toEqual({ v: 2 });
  await later.restoreCheckpoint(checkpoint);
  expect((await new DurableStateStore(woken(storage).storage, options).loadState("a"))!.customState).toEqual({ v: 2 });
});
