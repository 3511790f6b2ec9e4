import { expect, test } from "vitest";
import { parallel, StateTracker } from "patchwire";
import { DurableStateStore, memoryStorage, SyncedState } from "patchwire/durable-objects";

// Tools, migrations and saved custom states were worked out under the default limits and carried out under the state's own: a state
// nested deeper than 512 levels had no tools, and one whose limit of operations is low could be neither migrated nor saved.

type Any = any;

const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
};

const wide = (): Any => ({ m: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, { a: "x".repeat(50) + i }])) });
const edited = ({ m }: Any): Any => ({ m: Object.fromEntries(Object.entries<Any>(m).map(([key, value]) => [key, { ...value, b: 1 }])) });

const FEW = { limits: { operations: 5 } };
const DEEP = { limits: { depth: 1_500 } };

const owners = {
  tracker: (initial: Any, options: Any): Any => new StateTracker<Any>(initial, options),
  "synced state": (initial: Any, options: Any): Any => new SyncedState<Any>({ storage: memoryStorage() }, { initial, ...options }),
};

for (const [name, make] of Object.entries(owners)) {
  test(`tools of a deep state, and of one with a long string: ${name}`, async () => {
    for (const [initial, options] of [[{ a: deep(600), n: 0, m: 0 }, DEEP], [{ a: "x".repeat(17 << 20), n: 0, m: 0 }, { limits: { string: 64 << 20 } }]] as const) {
      const owner = make(initial, options);
      const { results } = await parallel<Any, unknown[]>(owner, [
        async (tool) => tool.increment("/n"),
        async (tool) => tool.update((draft: Any) => void (draft.m = 3)),
        // While they run, somebody else changes it.
        async () => owner.update((draft: Any) => void (draft.x = true)),
      ]);
      expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
      expect({ ...owner.getState(), a: 0 }).toEqual({ a: 0, n: 1, m: 3, x: true });
    }
  });

  test(`more operations than are accepted of others: ${name}`, async () => {
    const owner = make(wide(), FEW);
    const { results } = await parallel<Any, unknown[]>(owner, [async (tool) => tool.update((draft: Any) => void Object.values<Any>(draft.m).forEach((one) => (one.b = 1)))]);
    expect(results[0]!.status).toBe("fulfilled");
    expect(owner.getState()).toEqual(edited(wide()));
  });
}

test.each([["operations", wide(), edited, FEW], ["depth", { a: deep(600) }, () => ({ a: deep(601) }), DEEP]] as const)("migrating, a limit of %s", (_, initial, migrate, options) => {
  const storage = memoryStorage();
  new SyncedState<Any>({ storage }, { initial, ...options }).getState();
  const migrated = new SyncedState<Any>({ storage: new Proxy(storage, {}) }, { initial: {}, version: 1, migrate, ...options });
  expect(migrated.getState()).toEqual(migrate(initial as Any));
});

test.each([["operations", wide(), edited, FEW], ["depth", { a: deep(600) }, () => ({ a: deep(601) }), DEEP]] as const)("saving, a limit of %s", async (_, initial, change, options) => {
  const store = new DurableStateStore(memoryStorage(), options);
  await store.createSession("s", { customState: initial });
  await store.saveState("s", { ...(await store.loadState("s"))!, customState: change(initial as Any) });
  expect((await store.loadState("s"))!.customState).toEqual(change(initial as Any));
  const writes = { ops: Array.from({ length: 10 }, (_, i) => ({ kind: "replace" as const, path: `/n${i}`, key: `n${i}`, value: i })) };
  const { warnings } = await store.mergeCustomState("s", writes);
  expect(warnings).toEqual([]);
  expect((await store.loadState("s"))!.customState).toMatchObject({ n9: 9 });
});

test("a migration is told as what differs", () => {
  const storage = memoryStorage();
  const rows = Array.from({ length: 1_000 }, (_, i) => ({ i, text: `row ${i}` }));
  new SyncedState<Any>({ storage }, { initial: { rows } }).getState();
  const migrated = new SyncedState<Any>({ storage: new Proxy(storage, {}) }, { initial: {}, version: 1, migrate: (state) => ({ ...state, rows: [...state.rows], title: "" }) });
  expect(migrated.revision).toBe(1);
  const logged = storage.table({ name: "state::log", key: { id: "INTEGER" }, columns: { last: "INTEGER", hash: "INTEGER", patch: "TEXT" } }).rows({});
  expect(logged.map(({ patch }) => patch)).toEqual([JSON.stringify([{ op: "add", path: "/title", value: "" }])]);
});
