import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryStorage, nodeStorage, SyncedState, type StoreStorage } from "patchwire/durable-objects";
import { Fault } from "../../support/store/faults.ts";

// Whatever happens to a state, its shape is that of the version that it is said to have: `migrate` is given a state of the version that it is told,
// and what is read is of the version that reads. The storage fails at any statement, transactions are taken back, and applications come and go.

interface State {
  shape: number;
  count: number;
}

type Step =
  | { kind: "update" | "wake" | "pin" | "taken back" }
  | { kind: "upgrade"; by: number; isSame: boolean }
  | { kind: "restore"; back: number }
  | { kind: "older" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Step>({ kind: "update" }) },
  fc.constantFrom<Step>({ kind: "wake" }, { kind: "pin" }, { kind: "taken back" }, { kind: "older" }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("upgrade" as const), by: fc.integer({ min: 1, max: 3 }), isSame: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("restore" as const), back: fc.nat(12) }) },
);

const storages: Record<string, () => StoreStorage> = { memory: memoryStorage, SQLite: () => nodeStorage(new DatabaseSync(":memory:")) };
const numRuns = Number(process.env["PATCHWIRE_RUNS"] ?? 60);
const seed = process.env["PATCHWIRE_SEED"];

test.each(Object.entries(storages))("a state has the shape of its version: %s", (_, make) => {
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.option(fc.integer({ min: 1, max: 40 }), { freq: 3 })), { minLength: 1, maxLength: 25 }), (steps) => {
      const fault = new Fault();
      const storage = make();
      /** The version of the application, and the first one that has the present shape: with a version alone the shape stays. */
      let [version, shape] = [0, 0];
      const shapes = [0];
      const open = (at = version): SyncedState<State> =>
        new SyncedState<State>({ storage: fault.around(storage) }, {
          initial: { shape: shapes[at]!, count: 0 },
          retention: { revisions: 1_000 },
          ...(at > 0 && {
            version: at,
            migrate: (state: State, from: number) => {
              expect(state.shape).toBe(shapes[from]);
              return { ...state, shape: shapes[at]! };
            },
          }),
        });
      let state = open();
      const counts = new Map<number, number>();
      const look = (): void => {
        expect(state.getState().shape).toBe(shape);
        counts.set(state.revision, state.getState().count);
      };
      look();
      for (const [one, at] of steps) {
        if (at !== null) fault.arm(at);
        try {
          switch (one.kind) {
            case "update":
              state.update((draft) => void draft.count++);
              break;
            case "wake":
              state = open();
              break;
            case "pin":
              state.pin();
              break;
            case "upgrade":
              version += one.by;
              shape = one.isSame ? shape : version;
              for (let i = shapes.length; i < version; i++) shapes.push(shapes[i - 1]!);
              shapes.push(shape);
              state = open();
              state.getState();
              break;
            case "restore": {
              const revision = Math.max(0, state.revision - one.back);
              state.restore(revision);
              if (counts.has(revision)) expect(state.getState().count).toBe(counts.get(revision));
              break;
            }
            case "taken back":
              storage.transactionSync(() => {
                state = open();
                state.update((draft) => void (draft.count += 100));
                throw new Error("taken back");
              });
              break;
            case "older":
              if (version > 0) expect(() => open(version - 1).getState()).toThrow(/VALIDATION_FAILED: the state has version|the storage failed/);
          }
        } catch (error) {
          if ((error as Error).message !== "taken back" && !/the storage failed/.test(String((error as Error).message))) throw error;
        } finally {
          fault.disarm();
        }
        if (one.kind === "taken back") state = open();
        look();
      }
    }),
    { numRuns, ...(seed !== undefined && { seed: Number(seed) }) },
  );
});
