import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage, nodeStorage, SyncedState, type StoreStorage } from "patchwire/durable-objects";

// A migration that changes nothing makes no revision, so that after a rollback nothing seemed to have been taken back but what was read. What
// was written then had the shape of the later version and the number of the earlier one.
type Any = any;

const storages = { memory: memoryStorage, SQLite: () => nodeStorage(new DatabaseSync(":memory:")) };
const woken = (storage: StoreStorage): StoreStorage => new Proxy(storage, { get: (from, name) => (typeof from[name as never] === "function" ? (from[name as never] as Any).bind(from) : from[name as never]) });
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test.each(Object.entries(storages))("a store's call that fails when it is the first leaves the later version unwritten: %s", async (_, make) => {
  const storage = make();
  await new DurableStateStore(woken(storage), { version: 1 }).createSession("s", { customState: { price: 100 } });
  const second = new DurableStateStore(woken(storage), { version: 2 });
  await settled();
  await expect(second.createCheckpoint("s", { stepCount: "x" as never })).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  second.synced<Any>("s").update((draft) => void (draft.cents = 10_000));
  const asked: number[] = [];
  const third = new DurableStateStore(woken(storage), { version: 3, migrate: (state, from) => (asked.push(from), state) });
  expect((await third.loadState("s"))!.customState).toEqual({ price: 100, cents: 10_000 });
  expect(asked).toEqual([2]);
});

test.each(Object.entries(storages))("a state that is first read in a transaction that fails has its version afterwards: %s", async (_, make) => {
  const storage = make();
  const initial = { n: 0 };
  new SyncedState({ storage: woken(storage) }, { initial, version: 1 }).increment("/n");
  const place = woken(storage);
  const state = new SyncedState({ storage: place }, { initial, version: 2, migrate: (state: Any) => state });
  await settled();
  const attempt = (inner: boolean): void => place.transactionSync(() => {
    if (inner) place.transactionSync(() => void state.getState());
    else state.getState();
    throw new Error("taken back");
  });
  for (const inner of [true, false]) expect(() => attempt(inner)).toThrow("taken back");
  state.increment("/n");
  const asked: number[] = [];
  const later = new SyncedState({ storage: woken(storage) }, { initial, version: 3, migrate: (state: Any, from) => (asked.push(from), state) });
  expect([later.getState(), asked]).toEqual([{ n: 2 }, [2]]);
});
