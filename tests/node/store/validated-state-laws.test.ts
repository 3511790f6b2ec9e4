import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { StateTracker, type JSONPatchOperation } from "patchwire";
import { memoryStorage, nodeStorage, SyncedState, type StoreStorage, type SyncedStateOptions } from "patchwire/durable-objects";
import { Fault } from "../../support/store/faults.ts";
import { json, perform, step, type Json } from "../support/program.ts";
import { refusal } from "../support/refusal.ts";
import { asked } from "../support/runs.ts";

// A state that its validator refuses is never committed, stored or told, whatever the change came from.

type Any = any;

const change = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  how: fc.constantFrom("recipe" as const, "patch" as const, "replacement" as const, "restore" as const),
  isAccepted: fc.boolean(),
  sleeps: fc.boolean(),
});
const initial = json.filter((value) => typeof value === "object" && value !== null);

test.each(Object.entries({ memory: memoryStorage, SQLite: () => nodeStorage(new DatabaseSync(":memory:")) }))("a refused change leaves everything as it was: %s", (_, make) => {
  fc.assert(
    fc.property(initial, fc.array(change, { maxLength: 8 }), (initial, changes) => {
      let accepts = true;
      const options: SyncedStateOptions<Any> = { initial, retention: { revisions: 100 }, validate: () => accepts };
      const state = new SyncedState<Any>({ storage: make() }, options);
      state.getState();
      for (const { steps, how, isAccepted, sleeps } of changes) {
        accepts = isAccepted;
        const [before, revision] = [state.getState(), state.revision];
        const recipe = (draft: Any): void => steps.forEach((one) => perform(draft as Json, one));
        const twin = new StateTracker<Any>(before);
        twin.update(recipe);
        const changeIt = {
          recipe: () => state.update(recipe),
          patch: () => state.apply(twin.getRFC6902Patches()),
          replacement: () => state.apply([{ op: "replace", path: "", value: twin.getState() }] as JSONPatchOperation[]),
          restore: () => state.restore(Math.min(steps.length, revision)),
        }[how];
        const next = how === "restore" ? state.at(Math.min(steps.length, revision)).toJSON() : twin.getState();
        // A change that changes nothing isn't asked about.
        if (isAccepted) changeIt();
        else try { changeIt(); } catch (error) { expect(error).toMatchObject({ code: "VALIDATION_FAILED" }); }
        if (isAccepted) expect(state.getState()).toEqual(next);
        else expect([state.getState(), state.revision]).toEqual([before, revision]);
        if (!isAccepted) expect(state.getState()).toBe(before);
        if (!sleeps) continue;
        const now = [state.getState(), state.revision];
        expect(state.unload()).toBe(true);
        // What is stored is opened whatever the validator says.
        expect([state.getState(), state.revision]).toEqual(now);
      }
    }),
    asked(250),
  );
}, 90_000);

/** The same storage, as an object has it that has woken. */
const woken = (storage: StoreStorage): StoreStorage => new Fault().around(storage);

interface Notes { notes: string[]; count: number; report?: unknown }
const schema = z.object({ notes: z.array(z.string().max(9)), count: z.number().min(0), report: z.object({ title: z.string() }).optional() });
const begin = (options: Partial<SyncedStateOptions<Notes>> = {}): SyncedState<Notes> =>
  new SyncedState<Notes>({ storage: memoryStorage() }, { initial: { notes: ["a"], count: 0 }, validate: schema, ...options });

test("each kind of change is refused, and clients are told of none", async () => {
  const commits: unknown[] = [];
  const state = begin({ onEvent: ({ type }) => void commits.push(type) });
  const changes: (() => unknown)[] = [
    () => state.update((draft) => void draft.notes.push("longer than nine")),
    () => state.append("/notes/0", " that is long"),
    () => state.increment("/count", -1),
    () => state.apply([{ op: "add", path: "/notes/-", value: 3 as never }]),
    () => state.apply('[{"op":"remove","path":"/notes"}]'),
  ];
  for (const change of changes) expect(refusal(change).code).toBe("VALIDATION_FAILED");
  await expect(state.parallel([(tool) => tool.increment("/count", 3), (tool) => tool.increment("/count", -5)])).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  expect([state.getState(), state.revision, commits]).toEqual([{ notes: ["a"], count: 0 }, 0, []]);
  state.increment("/count");
  expect([state.getState(), state.revision]).toEqual([{ notes: ["a"], count: 1 }, 1]);
});

test("what a stream wrote is validated at its end, and can be taken back", () => {
  const state = begin();
  const stream = state.stream("/report");
  stream.write('{"titel":"On st');
  expect(refusal(() => state.increment("/count")).code).toBe("VALIDATION_FAILED");
  stream.write('reams"}');
  expect(refusal(() => stream.end()).code).toBe("VALIDATION_FAILED");
  stream.abort();
  state.increment("/count");
  expect(state.getState()).toEqual({ notes: ["a"], count: 1 });
});

test("a state that is stored is opened as it is, and a change may make it valid", () => {
  const storage = memoryStorage();
  const open = (options: Partial<SyncedStateOptions<Notes>>): SyncedState<Notes> => new SyncedState<Notes>({ storage: woken(storage) }, { initial: { notes: [], count: -3 }, ...options });
  open({}).increment("/count");
  const state = open({ validate: schema });
  expect(state.getState().count).toBe(-2);
  expect(refusal(() => state.update((draft) => void draft.notes.push("b"))).code).toBe("VALIDATION_FAILED");
  state.increment("/count", 2);
  state.update((draft) => void draft.notes.push("b"));
  expect([state.getState(), state.revision]).toEqual([{ notes: ["b"], count: 0 }, 3]);
});

test("what a state begins with and what it is migrated to is validated", () => {
  expect(refusal(() => begin({ initial: { notes: [], count: -1 } }).getState()).code).toBe("VALIDATION_FAILED");
  const storage = memoryStorage();
  new SyncedState({ storage }, { initial: { notes: [] } }).getState();
  const open = (count: number): SyncedState<Notes> => new SyncedState<Notes>({ storage: woken(storage) }, { initial: { notes: [], count }, version: 1, migrate: (state) => ({ ...state, count }), validate: schema });
  expect(refusal(() => open(-1).getState()).code).toBe("VALIDATION_FAILED");
  expect(open(1).getState()).toEqual({ notes: [], count: 1 });
});

test("a validator that comes back to its state reads it as it was, and changes nothing", () => {
  const tried: string[] = [];
  const state: SyncedState<Notes> = begin({
    validate(next) {
      if (next.count === 0) return;
      tried.push(refusal(() => state.increment("/count")).code, refusal(() => state.destroy()).code, String(state.getState().count));
    },
  });
  state.increment("/count", 5);
  expect([tried, state.getState().count, state.unload()]).toEqual([["TRACKER_BUSY", "TRACKER_BUSY", "0"], 5, true]);
});

test("what isn't a rule is refused at once", () => {
  expect(refusal(() => begin({ validate: {} as never })).message).toContain("the option validate is a function, or a schema");
});
