import fc from "fast-check";
import { expect, test } from "vitest";
import { applyPatch, diff, StateTracker } from "patchwire";
import { clone, json, step, type Json, type Step } from "../support/program.ts";
import { performUnread } from "../support/unread-program.ts";
import { onTracker } from "../support/ways-in.ts";
import { asked } from "../support/runs.ts";

// Laws of drafts over a document: whatever hasn't been read when it is moved, put in two places, deleted or brought back,
// everything is as if the state had been a plain value.

const timeout = 90_000;

interface Recipe {
  steps: Step[];
  /** Whether it throws at its end. */
  fails: boolean;
  /** Whether somebody reads the state after it. */
  reads: boolean;
}

const recipe: fc.Arbitrary<Recipe> = fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 6 }), fails: fc.boolean(), reads: fc.boolean() });
const start = fc.array(fc.tuple(fc.constantFrom("a", "b", "1", "0", "list", "__proto__"), json), { minLength: 1, maxLength: 5 }).chain((members) => {
  const object = {};
  for (const [name, value] of members) Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  return fc.constantFrom<Json>(object as Json, members.map(([, value]) => value));
});

function containersIn(value: unknown, seen?: Set<unknown>): number {
  if (typeof value !== "object" || value === null || seen?.has(value)) return 0;
  seen?.add(value);
  return Object.values(value).reduce((sum: number, item) => sum + containersIn(item, seen), 1);
}

/**
 * Runs the recipe on the tracker; returns what it leaves on a plain value, and whether it left a container in two places:
 * they then become two that never were the same.
 */
function run(tracker: StateTracker<Json>, state: Json, { steps, fails }: Recipe): { state: Json; hasAliased: boolean } {
  const plain = clone(state);
  const change = (): unknown =>
    tracker.update((draft) => {
      for (const one of steps) performUnread(draft as Json, plain, one);
      if (fails) throw new Error("stop");
    });
  if (!fails) change();
  else expect(change).toThrow("stop");
  const hasAliased = containersIn(plain) !== containersIn(plain, new Set());
  return { state: fails ? state : (JSON.parse(JSON.stringify(plain)) as Json), hasAliased };
}

/** Where both have the very same container: it wasn't touched in between. */
function shared(before: unknown, after: unknown, path = "", found: string[] = []): string[] {
  if (typeof before !== "object" || before === null || typeof after !== "object" || after === null) return found;
  if (before === after) found.push(path);
  for (const key of Object.keys(before)) {
    if (Object.hasOwn(after, key)) shared((before as never)[key], (after as never)[key], `${path}/${key}`, found);
  }
  return found;
}

/** A list so long that its slots are listed in runs (pkg/src/state/slots.ts), of few values, so that most programs meet one. */
const longStart = fc.tuple(fc.array(json, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1_024, max: 2_100 })).chain(([items, length]) => {
  const list = Array.from({ length }, (_, i): Json => (i % 250 === 0 || i > length - 4 ? clone(items[i % items.length]!) : i));
  return fc.constantFrom<Json>(list, { list, n: 0 });
});

/** An object of so many members that their names aren't listed (src/document/reading.rs), the first of which programs meet. */
const wideStart = fc.tuple(start, json, fc.integer({ min: 1_025, max: 1_200 }), fc.boolean()).map(([first, value, length, isLast]): Json => {
  const names = Array.isArray(first) ? [] : Object.keys(first as object);
  const others = Array.from({ length }, (_, i): [string, Json] => [`n${i}`, i % 300 === 0 ? clone(value) : i]);
  const met = names.map((name): [string, Json] => [name, (first as Record<string, Json>)[name]!]);
  const object = {};
  for (const [name, value] of isLast ? [...others, ...met] : [...met, ...others]) {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  }
  return object as Json;
});

test.each([
  ["a wide object whose members nobody has listed is like a plain one", wideStart, asked(400)],
  ["a draft over a document that nobody has read is like one over a plain value", start, asked(3000)],
  ["a long list that nobody has listed is like a plain one", longStart, asked(150)],
])("%s", (_, start, runs) => {
  fc.assert(
    fc.property(start, fc.array(recipe, { minLength: 1, maxLength: 5 }), fc.constantFrom(0, 0, 12, 40), fc.constantFrom(false, true, "precise" as const), (first, recipes, small, arrayDeltaMode) => {
      const options = { arrayDeltaMode };
      onTracker({ kind: "document", small }, first, options, (tracker) => {
        const twin = new StateTracker<Json>(first, options);
        let state = first;
        for (const one of recipes) {
          run(twin, state, one);
          state = run(tracker, state, one).state;
          if (one.reads) expect(tracker.getState()).toEqual(state);
          expect(tracker.document().toJSON()).toEqual(state);
        }
        expect(tracker.getPatchText()).toBe(twin.getPatchText());
        expect(tracker.getStepWrites()).toEqual(twin.getStepWrites());
        expect(applyPatch(first, tracker.getRFC6902Patches())).toEqual(state);
        expect(tracker.getState()).toEqual(state);
        expect(JSON.stringify(tracker.getState())).toBe(JSON.stringify(twin.getState()));
      });
    }),
    runs,
  );
}, timeout);

test("every version that was read stays what it was, and what versions share they share", () => {
  fc.assert(
    fc.property(start, fc.array(recipe, { minLength: 1, maxLength: 5 }), fc.constantFrom(0, 12), (first, recipes, small) => {
      onTracker({ kind: "document", small }, first, {}, (tracker) => {
        const twin = new StateTracker<Json>(first);
        let hasAliased = false;
        const versions: { ours: unknown; theirs: unknown; state: Json }[] = [];
        let state = first;
        for (const one of recipes) {
          run(twin, state, one);
          const left = run(tracker, state, one);
          state = left.state;
          hasAliased ||= left.hasAliased;
          if (one.reads) versions.push({ ours: tracker.getState(), theirs: twin.getState(), state });
        }
        for (const version of versions) expect(version.ours).toEqual(version.state);
        expect(tracker.getState()).toEqual(state);
        versions.slice(1).forEach(({ ours, theirs }, i) => {
          const [mine, peers] = [shared(versions[i]!.ours, ours), shared(versions[i]!.theirs, theirs)];
          if (!hasAliased) expect(mine).toEqual(expect.arrayContaining(peers));
        });
      });
    }),
    asked(3000),
  );
}, timeout);

type Action = { kind: "update"; recipe: Recipe } | { kind: "apply"; steps: Step[] } | { kind: "append" | "increment"; at: number } | { kind: "undo" | "redo" | "read" };
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant("update" as const), recipe }),
  fc.record({ kind: fc.constant("apply" as const), steps: fc.array(step, { minLength: 1, maxLength: 3 }) }),
  fc.record({ kind: fc.constantFrom("append" as const, "increment" as const), at: fc.nat() }),
  fc.record({ kind: fc.constantFrom("undo" as const, "redo" as const, "read" as const) }),
);

/** The pointers to all values of a type. */
function pointersTo(type: string, value: unknown, pointer = ""): string[] {
  if (typeof value !== "object" || value === null) return typeof value === type ? [pointer] : [];
  return Object.entries(value).flatMap(([key, below]) => pointersTo(type, below, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`));
}

test.each([
  ["a short state", start, asked(3000)],
  ["a state with a long list", longStart, asked(150)],
])("what is applied, appended and added where nobody has looked is as in a plain value: %s", (_, start, runs) => {
  fc.assert(
    fc.property(start, fc.array(action, { minLength: 2, maxLength: 8 }), fc.constantFrom(0, 0, 12, 40), (first, actions, small) => {
      onTracker({ kind: "document", small }, first, {}, (tracker) => {
        const twin = new StateTracker<Json>(first);
        const versions: [unknown, Json][] = [];
        for (const one of actions) {
          const state = JSON.parse(JSON.stringify(twin.getState())) as Json;
          const place = "at" in one ? pointersTo(one.kind === "append" ? "string" : "number", state) : [];
          const next = clone(state);
          if (one.kind === "apply") for (const step of one.steps) performUnread(clone(next), next, step);
          const patch = diff(state, JSON.parse(JSON.stringify(next)), { dialect: "extended" });
          const isAlike = tracker.history === twin.history;
          for (const tracked of [tracker, twin]) {
            if (one.kind === "update") run(tracked, state, one.recipe);
            else if (one.kind === "apply") tracked.apply(patch);
            // A change that leaves everything as it was is a step where an array was changed in its place.
            else if (one.kind === "undo" || one.kind === "redo") isAlike && tracked[one.kind]();
            else if ("at" in one && place.length > 0) {
              const pointer = place[one.at % place.length]!;
              if (one.kind === "append") tracked.append(pointer, "more");
              else tracked.increment(pointer, 2);
            }
          }
          if (one.kind === "read") versions.push([tracker.getState(), state]);
          expect(tracker.document().toJSON()).toEqual(twin.getState());
        }
        for (const dialect of ["rfc6902", "extended"] as const) expect(applyPatch(first, tracker.getRFC6902Patches({ dialect }))).toEqual(twin.getState());
        expect(JSON.stringify(tracker.getState())).toBe(JSON.stringify(twin.getState()));
        for (const [version, state] of versions) expect(version).toEqual(state);
      });
    }),
    runs,
  );
}, timeout);
