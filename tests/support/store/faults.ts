// Storage that fails at one statement of an operation, at each in turn: it is as if the operation had never been tried.
import { expect } from "vitest";
import { DurableStateStore, type StoreStorage } from "patchwire/durable-objects";
import { backend } from "./backends.ts";
import { answers, append, begun, initial, set, stateOf, user, type Notes } from "./contract.ts";
import { snapshot, type Tabled } from "./tables.ts";

/** Throws at one of the statements that come, and counts them. */
export class Fault implements Failure {
  private left = Infinity;

  constructor(
    private readonly fail = (): void => {
      throw new Error("the storage failed");
    },
  ) {}

  arm(statement: number): void {
    this.left = statement;
  }

  /** Whether it has thrown since it was armed. */
  disarm(): boolean {
    const hasThrown = this.left <= 0;
    this.left = Infinity;
    return hasThrown;
  }

  private step(): void {
    if (--this.left === 0) this.fail();
  }

  around(storage: StoreStorage): StoreStorage {
    const transactionSync = <R>(run: () => R): R =>
      storage.transactionSync(() => {
        const result = run();
        // The commit itself.
        this.step();
        return result;
      });
    if ("table" in storage) {
      const table: typeof storage.table = (shape) => {
        const inner = storage.table(shape);
        return {
          rows: (...given) => (this.step(), inner.rows(...given)),
          put: (row) => (this.step(), inner.put(row)),
          delete: (range) => (this.step(), inner.delete(range)),
        };
      };
      return { table, transactionSync };
    }
    const { sql } = storage;
    return { sql: { exec: (query, ...bindings) => (this.step(), sql.exec(query, ...bindings)) }, transactionSync };
  }
}

/** More than a row holds. */
const LONG = 300_001;

interface Filled {
  checkpoint: string;
  /** A revision of the custom state. */
  pinned: number;
}

/** A session that has something of everything. It is read several times for each failure. */
async function filled(store: DurableStateStore): Promise<Filled> {
  await store.appendMessages("s", [user("a"), user("b".repeat(LONG))]);
  await store.createRun("s", "run", { turn: 1 });
  await store.addSubSessionRefs("s", [{ subSessionId: "c", agentType: "w", parentToolCallId: "t", startedAt: 1 }]);
  const checkpoint = await store.createCheckpoint("s");
  const pinned = store.synced("s").pin();
  await store.mergeCustomState("s", append("b"));
  await store.stageChanges("s", "step", { toolCallId: "c", index: 0, writes: append("c".repeat(LONG)) });
  await store.stageChanges("s", "step", { toolCallId: "d", index: 1, writes: set("title", "d") });
  return { checkpoint, pinned };
}

type Operation = (store: DurableStateStore, filled: Filled) => Promise<unknown>;

export const operations: Record<string, Operation> = {
  createSession: (store) => store.createSession("new", { customState: { title: "x".repeat(1_050_000) }, output: "y".repeat(400_000) }),
  deleteSession: (store) => store.deleteSession("s"),
  saveState: (store) => store.saveState("s", { output: "z".repeat(400_000), customState: { ...initial(), title: "saved" }, messages: [user("other")] }),
  appendMessages: (store) => store.appendMessages("s", [user("c"), user("d".repeat(400_000))]),
  truncateMessages: (store) => store.truncateMessages("s", 1),
  mergeCustomState: (store) => store.mergeCustomState("s", append("e".repeat(1_050_000))),
  updateStatus: (store) => store.updateStatus("s", "paused", { interruptContext: { stepCount: 1, timestamp: 1 } }),
  compareAndSetStatus: (store) => store.compareAndSetStatus("s", ["active"], "failed", { error: "e", fencingToken: 2 }),
  incrementStepCount: (store) => store.incrementStepCount("s"),
  incrementResumeCount: (store) => store.incrementResumeCount("s"),
  addSubSessionRefs: (store) => store.addSubSessionRefs("s", ["d", "e"].map((subSessionId) => ({ subSessionId, agentType: "w", parentToolCallId: "t", startedAt: 1 }))),
  updateSubSessionRef: (store) => store.updateSubSessionRef("s", { subSessionId: "c", status: "completed" }),
  createRun: (store) => store.createRun("s", "run 2", { turn: 2 }),
  updateRunStatus: (store) => store.updateRunStatus("run", "failed", { error: "e".repeat(400_000) }),
  createCheckpoint: (store) => store.createCheckpoint("s"),
  restoreCheckpoint: (store, { checkpoint }) => store.restoreCheckpoint(checkpoint),
  branchFromCheckpoint: (store, { checkpoint }) => store.branchFromCheckpoint(checkpoint, "new"),
  stageChanges: (store) => store.stageChanges("s", "step", { toolCallId: "c", writes: append("f".repeat(1_000_000)) }),
  discardStaging: (store) => store.discardStaging("s", "step", "c"),
  promoteStaging: (store) => store.promoteStaging("s", "step"),
  saveStateAndPromoteStaging: (store) =>
    store.saveStateAndPromoteStaging("s", { output: 1 }, [user("m")], { stepId: "step", stepCount: 4, streamSequence: 5 }),
  "a change of the custom state": async (store) => store.synced<Notes>("s").update((draft) => void draft.notes.push("live")),
  "a text of the custom state that is appended to": async (store) => store.synced<Notes>("s").append("/title", "t".repeat(LONG)),
  "a number of the custom state that is incremented": async (store) => store.synced<Notes>("s").increment("/count", 3),
  "a patch of the custom state": async (store) => store.synced<Notes>("s").apply([{ op: "add", path: "/notes/0", value: "p".repeat(400_000) }]),
  "tools that change the custom state at once": async (store) =>
    store.synced<Notes>("s").parallel([(tool) => tool.update((draft) => void draft.notes.push("live")), (tool) => tool.increment("/count", 2)]),
  "a revision of the custom state that is restored": async (store, { pinned }) => store.synced<Notes>("s").restore(pinned),
  "a pin": async (store) => store.synced<Notes>("s").pin(),
  "a pin that is taken away": async (store, { pinned }) => store.synced<Notes>("s").unpin(pinned),
  "repair of a custom state": async (store) => store.synced<Notes>("s").repair(),
  "repair of a store": (store) => store.repair(),
};

/** All of what is read, as text, but the ids and times that differ from one try to the next. */
const told = async (store: DurableStateStore): Promise<string> =>
  JSON.stringify(await answers(store, ["s", "new"])).replace(/"id":"cpv1-[^"]*"|"(timestamp|startedAt)":\d+/g, "");

/** Texts of megabytes that differ are told by where they do. */
function expectSame(found: string, expected: string): void {
  if (found === expected) return;
  const at = [...expected].findIndex((character, i) => character !== found[i]);
  expect(found.slice(Math.max(0, at - 100), at + 100)).toBe(expected.slice(Math.max(0, at - 100), at + 100));
}

/** Something that can be made to fail once. */
export interface Failure {
  arm(at: number): void;
  /** Whether it has failed since it was armed. */
  disarm(): boolean;
}

/** Tries an operation with a fault at each of its statements; says how many there are. */
export function tryFaults(operation: Operation, tabled: Tabled, fault = new Fault(), message: unknown = "the storage failed"): Promise<number> {
  return tryFailures(operation, fault, tabled, { message }, (storage) => fault.around(storage));
}

/** Tries an operation with a failure at each moment in turn: done, or refused and nothing changed; says how many there are. */
export async function tryFailures(operation: Operation, failure: Failure, tabled: Tabled, refusal: object, around?: (storage: StoreStorage) => StoreStorage): Promise<number> {
  const { place, reopened } = backend(tabled.storage, around);
  const given = await filled(await begun(place));
  const { isThere, restore } = snapshot(tabled);
  const before = await told(new DurableStateStore(reopened()));
  for (let at = 1; ; at++) {
    const store = new DurableStateStore(reopened());
    // It has the session's state in memory, as it would have if it had made the session.
    await store.loadState("s");
    failure.arm(at);
    const error: unknown = await operation(store, given).then(() => undefined, (error: unknown) => error);
    const wasHit = failure.disarm();
    if (error !== undefined) {
      expect(error).toMatchObject(refusal);
      // So that whoever knows nothing is told what he was told before.
      expect(isThere()).toBe(true);
      expectSame(await told(store), before);
      await operation(store, given);
    }
    expectSame(await told(new DurableStateStore(reopened())), await told(store));
    if (!wasHit) return at - 1;
    restore();
  }
}

/** Opens a state of an earlier version with a fault at each statement: it is migrated as a whole or not at all; says how many there are. */
export async function tryMigration(tabled: Tabled): Promise<number> {
  const fault = new Fault();
  const { place, reopened } = backend(tabled.storage, (storage) => fault.around(storage));
  await filled(await begun(place));
  const { isThere, restore } = snapshot(tabled);
  const options = { version: 1, migrate: (state: Notes) => ({ ...state, title: "x".repeat(LONG) }) };
  for (let at = 1; ; at++) {
    const store = new DurableStateStore(reopened(), options);
    fault.arm(at);
    const error: unknown = await store.loadState("s").then(() => undefined, (error: unknown) => error);
    const wasHit = fault.disarm();
    if (error !== undefined) {
      expect(error).toMatchObject({ message: "the storage failed" });
      expect(isThere()).toBe(true);
    }
    for (const each of [store, new DurableStateStore(reopened(), options)]) expect((await stateOf(each)).customState.title.length).toBe(LONG);
    if (!wasHit) return at - 1;
    restore();
  }
}
