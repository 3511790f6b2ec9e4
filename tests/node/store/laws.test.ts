import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DurableStateStore, memoryStorage, nodeStorage } from "patchwire/durable-objects";
import { backend } from "../../support/store/backends.ts";
import { append, everything, set, user, type Notes } from "../../support/store/contract.ts";
import { asked } from "../support/runs.ts";

// Whatever is done to a store, every storage answers alike, a process that knows nothing finds the same, and what was
// refused has changed nothing.

const runs = asked(60);

// The first is there from the beginning.
const id = fc.constantFrom("a", "a", "a", "b", "c-s1-t2");
const step = fc.constantFrom("1", "2");
const call = fc.constantFrom("x", "y", undefined);
const text = fc.oneof(fc.string({ maxLength: 5, unit: "binary" }), fc.constant("é".repeat(350_000)));
const count = fc.nat(4);
type Operation = (store: DurableStateStore, checkpoints: string[]) => Promise<unknown>;

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ id, text }).map(({ id, text }): Operation => (s) => s.createSession(id, { agentType: text.slice(0, 5), customState: { notes: [text], count: 0, title: "" } })),
  fc.constantFrom("b", "c-s1-t2").map((id): Operation => (s) => s.deleteSession(id)),
  fc.record({ id, text, count }).map(({ id, text, count }): Operation => (s) => s.saveState(id, { output: text, stepCount: count, resumeCount: count, customState: { notes: [], count, title: text } }, count === 3 ? { expectedVersion: 2 } : {})),
  fc.record({ id, messages: fc.array(text, { maxLength: 3 }) }).map(({ id, messages }): Operation => (s) => s.appendMessages(id, messages.map(user))),
  fc.record({ id, count }).map(({ id, count }): Operation => (s) => s.truncateMessages(id, count)),
  fc.record({ id, text }).map(({ id, text }): Operation => (s) => s.mergeCustomState(id, append(text))),
  fc.record({ id, text }).map(({ id, text }): Operation => async (s) => s.synced<Notes>(id).update((draft) => { draft.title = text; draft.notes.unshift(text.slice(0, 3)); })),
  fc.record({ id, step, call, text, index: fc.option(count, { nil: undefined }) }).map(({ id, step, call, text, index }): Operation => (s) =>
    s.stageChanges(id, step, { writes: index === 2 ? set("title", text) : append(text), ...(call !== undefined && { toolCallId: call }), ...(index !== undefined && { index }) })),
  fc.record({ id, step, call }).map(({ id, step, call }): Operation => (s) => s.discardStaging(id, step, call)),
  fc.record({ id, step }).map(({ id, step }): Operation => (s) => s.promoteStaging(id, step)),
  fc.record({ id, step, text }).map(({ id, step, text }): Operation => async (s, checkpoints) => {
    const { checkpointId, ...rest } = await s.saveStateAndPromoteStaging(id, { error: text }, [user(text)], { stepId: step, stepCount: 1, streamSequence: 1 });
    checkpoints.push(checkpointId);
    return rest;
  }),
  fc.record({ id, step, text }).map(({ id, step, text }): Operation => (s) => s.parallel<Notes>(id, step, [
    { toolCallId: "x", run: (tool) => { tool.update((draft) => void draft.notes.push(text)); return text; } },
    { toolCallId: "y", run: (tool) => { tool.increment("/count", 2); tool.append("/title", "y"); } },
  ], { promote: text.length !== 2, strategies: { "/title": "exclusive" } })),
  fc.record({ id, count }).map(({ id, count }): Operation => async (s, checkpoints) => void checkpoints.push(await s.createCheckpoint(id, count === 4 ? {} : { messageCount: count }))),
  fc.nat(9).map((n): Operation => (s, checkpoints) => s.restoreCheckpoint(checkpoints[n % Math.max(1, checkpoints.length)]!)),
  fc.record({ id, n: fc.nat(9) }).map(({ id, n }): Operation => (s, checkpoints) => s.branchFromCheckpoint(checkpoints[n % Math.max(1, checkpoints.length)]!, id)),
  fc.record({ id, run: fc.constantFrom("r1", "r2"), text }).map(({ id, run, text }): Operation => (s) => s.createRun(id, run + text.slice(0, 1), { turn: 1 })),
  fc.record({ run: fc.constantFrom("r1", "r2"), text }).map(({ run, text }): Operation => (s) => s.updateRunStatus(run, "failed", { error: text })),
  fc.record({ id, count }).map(({ id, count }): Operation => (s) => s.compareAndSetStatus(id, ["active", "paused"], count === 1 ? "failed" : "paused", { fencingToken: count })),
  fc.record({ id, count }).map(({ id, count }): Operation => (s) => s.incrementResumeCount(id, { fencingToken: count })),
  fc.record({ id, child: fc.constantFrom("k1", "k2") }).map(({ id, child }): Operation => (s) => s.addSubSessionRefs(id, [{ subSessionId: child, agentType: "w", parentToolCallId: "t", startedAt: 1 }])),
);

/** What differs from one run to the next. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null), (key, value: unknown) => (["id", "timestamp", "startedAt"].includes(key) ? "" : value));

test("every storage answers alike, and keeps what it has answered", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ run: operation, forget: fc.nat(4).map((n) => n === 0) }), { minLength: 1, maxLength: 25 }), async (operations) => {
      const sides = [memoryStorage(), nodeStorage(new DatabaseSync(":memory:"))].map((storage) => {
        const { place, reopened } = backend(storage);
        return { store: new DurableStateStore(place), reopened, checkpoints: [] as string[] };
      });
      for (const { store } of sides) await store.createSession("a", { customState: { notes: [], count: 0, title: "" } });
      const all = (store: DurableStateStore) => everything(store, ["a", "b", "c-s1-t2"], ["1", "2"]).then(plain);
      for (const { run, forget } of operations) {
        const told: unknown[] = [];
        for (const side of sides) {
          const before = await all(side.store);
          const answer: unknown = await run(side.store, side.checkpoints).then(plain, (error: { code?: string }) => ({ thrown: error.code ?? String(error) }));
          const after = await all(side.store);
          if (typeof answer === "object" && answer !== null && "thrown" in answer) expect(after).toEqual(before);
          if (forget) side.store = new DurableStateStore(side.reopened());
          expect(await all(side.store)).toEqual(after);
          told.push([answer, after]);
        }
        expect(told[0]).toEqual(told[1]);
        expect(JSON.stringify(told[0])).not.toContain("undefined");
      }
    }),
    runs,
  );
});
