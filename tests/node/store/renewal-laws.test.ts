// A large state begins anew over what is stored, now and then, between two changes: nobody notices, whatever they are doing.
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { applyPatch, type ParallelContext } from "patchwire";
import { memoryStorage, nodeStorage, SyncedState, type DurableContext, type StoreStorage } from "patchwire/durable-objects";
import { SessionHandle } from "../../../pkg/dist/wasm/patchwire.js";
import { failAt, failNow } from "../../support/faults.ts";
import { backend } from "../../support/store/backends.ts";
import { asked } from "../support/runs.ts";

interface Row {
  id: number;
  text: string;
  tags: string[];
}

interface Work {
  rows: Row[];
  names: Record<string, { n: number; text: string }>;
  count: number;
  title: string;
}

const row = (id: number): Row => ({ id, text: `row ${id} ${"x".repeat(id % 90)}`, tags: ["a", `${id}`] });
const initial = (): Work => ({
  rows: Array.from({ length: 1_200 }, (_, id) => row(id)),
  names: Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`name ${n}`, { n, text: "y".repeat(n % 50) }])),
  count: 0,
  title: "",
});

const opened = (storage: StoreStorage): SyncedState<Work> => {
  const sockets = { acceptWebSocket() {}, getWebSockets: () => [], getWebSocketAutoResponse: () => "", setWebSocketAutoResponse() {} };
  return new SyncedState<Work>({ storage, ...sockets } as DurableContext, { initial: initial(), retention: { revisions: 60 } });
};

/** Of each change: what it does to a state, which a recipe does to its draft. */
type Change = (state: Work) => void;
const n = fc.nat(100_000);
const long = (text: string): string => text.repeat(40);
const change: fc.Arbitrary<Change> = fc.oneof(
  n.map((n): Change => ({ rows }) => void (rows.length > 0 && (rows[n % rows.length]!.text = `changed ${n} ${"z".repeat(n % 300)}`))),
  n.map((n): Change => ({ rows }) => void (rows.length > 0 && rows[n % rows.length]!.tags.push(`${n}`))),
  n.map((n): Change => ({ names }) => void (names[`name ${n % 700}`] = { n, text: "new" })),
  n.map((n): Change => ({ names }) => void (names[`name ${n % 600}`] && (names[`name ${n % 600}`]!.n += 1))),
  n.map((n): Change => ({ names }) => void delete names[`name ${n % 600}`]),
  n.map((n): Change => ({ rows }) => void rows.push(row(n))),
  n.map((n): Change => ({ rows }) => void rows.splice(n % (rows.length + 1), n % 3, row(n), row(n + 1))),
  n.map((n): Change => (state) => void (state.rows = state.rows.filter(({ id }) => id % 97 !== n % 97))),
  n.map((n): Change => (state) => void (state.rows = state.rows.map((row) => (row.id % 50 === n % 50 ? { ...row, text: long(`${n}`) } : row)))),
  n.map((n): Change => (state) => void (state.title += `token ${n} `)),
  n.map((n): Change => ({ rows }) => void rows.sort((a, b) => ((a.id * 7_919 + n) % 1_000) - ((b.id * 7_919 + n) % 1_000))),
  n.map((n): Change => (state) => { [state.rows, state.count] = [state.rows.slice(n % 20).concat(Array.from({ length: 30 }, (_, i) => row(n + i))), n]; }),
);

const happening = fc.oneof(
  { weight: 30, arbitrary: change.map((change) => ({ kind: "change" as const, change })) },
  { weight: 3, arbitrary: fc.constant({ kind: "read" as const }) },
  { weight: 2, arbitrary: fc.tuple(n, n).map(([back, further]) => ({ kind: "look back" as const, back, further })) },
  { weight: 1, arbitrary: n.map((back) => ({ kind: "go back" as const, back })) },
  { weight: 2, arbitrary: change.map((change) => ({ kind: "rolled back" as const, change })) },
  { weight: 2, arbitrary: change.map((change) => ({ kind: "refused" as const, change })) },
  { weight: 1, arbitrary: fc.constant({ kind: "unload" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "trap" as const }) },
  { weight: 1, arbitrary: fc.tuple(n, change).map(([at, change]) => ({ kind: "trap in" as const, at, change })) },
  { weight: 1, arbitrary: fc.array(change, { minLength: 1, maxLength: 40 }).map((changes) => ({ kind: "parallel" as const, changes })) },
);

test.each(Object.entries({ memory: memoryStorage, sqlite: () => nodeStorage(new DatabaseSync(":memory:")) }))("%s: whatever happens while it does, the state is what was done to it", async (_, storage) => {
  const accept = vi.spyOn(SessionHandle.prototype, "accept");
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 60, maxLength: 140 }), async (happenings) => {
      const { place, reopened } = backend(storage());
      const state = opened(place);
      let model = initial();
      const past: string[] = [];
      // A recipe that does nothing makes no revision.
      const note = (): void => void (past[state.revision] = JSON.stringify(model));
      const earlier = (back: number): number => past.findLastIndex((known, revision) => known !== undefined && revision <= Math.max(0, state.revision - (back % 50)));
      state.getState();
      note();
      for (const one of happenings) {
        if (one.kind === "change") {
          one.change(model);
          state.update((draft) => one.change(draft));
          note();
        } else if (one.kind === "read") expect(state.getState()).toEqual(model);
        else if (one.kind === "look back") {
          const [from, to] = [earlier(one.back), earlier(one.further)];
          expect(state.at(from).toJSON()).toEqual(JSON.parse(past[from]!));
          const difference = state.at(from).diff(state.at(to));
          expect(applyPatch(JSON.parse(past[from]!) as Work, difference)).toEqual(JSON.parse(past[to]!));
        } else if (one.kind === "go back") {
          const revision = earlier(one.back);
          state.restore(revision);
          model = JSON.parse(past[revision]!) as Work;
          note();
        } else if (one.kind === "rolled back") {
          const take = (): void => place.transactionSync(() => {
            state.update((draft) => one.change(draft));
            throw new RangeError("taken back");
          });
          expect(take).toThrow("taken back");
        } else if (one.kind === "refused") {
          const refuse = (): void => state.update((draft) => {
            one.change(draft);
            throw new RangeError("refused");
          });
          expect(refuse).toThrow("refused");
        } else if (one.kind === "unload") state.unload();
        else if (one.kind === "trap") failNow();
        else if (one.kind === "trap in") {
          const { revision } = state;
          failAt(1 + (one.at % 12));
          try {
            state.update((draft) => one.change(draft));
          } catch (error) {
            expect(error).toMatchObject({ code: "ENGINE_LOST" });
          }
          failAt(Infinity);
          // It is committed or it isn't; where nothing was changed both are the same.
          if (state.revision > revision) one.change(model);
          note();
        } else {
          const tools = one.changes.slice(0, 1).map((change) => async ({ update }: ParallelContext<Work>) => {
            // Others change much meanwhile.
            for (const other of one.changes.slice(1)) {
              other(model);
              state.update((draft) => other(draft));
              note();
              await Promise.resolve();
            }
            update((draft) => void (draft.count = -1 - state.revision));
            return change;
          });
          const { results, conflicts } = await state.parallel(tools);
          expect(results[0]).toMatchObject({ status: "fulfilled" });
          const { count } = state.getState();
          expect(count < 0 || conflicts.length > 0).toBe(true);
          model.count = count;
          note();
        }
      }
      expect(state.getState()).toEqual(model);
      // As another object finds it that knows nothing.
      expect(opened(reopened()).getState()).toEqual(model);
    }),
    asked(12),
  );
  const renewals = accept.mock.results.filter(({ value }) => value === true).length;
  accept.mockRestore();
  expect(renewals).toBeGreaterThan(5);
}, 120_000);
