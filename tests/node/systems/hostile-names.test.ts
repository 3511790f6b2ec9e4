import fc from "fast-check";
import { expect, test } from "vitest";
import { applyChangeRequest, applyPatch, changeRequestProblems, changeRequestSchema, mergeBranches, PatchwireError, revertChange } from "patchwire";
import { changeOf, StateManager } from "patchwire/agentos";
import { applyStepWrites, ImmerStateTracker } from "patchwire/helix";
import { PayloadManager } from "patchwire/memberjunction";
import { asked } from "../support/runs.ts";

// States and requests whose names are those that objects inherit, that lead elsewhere as paths, or that mean something to
// somebody: they are names like others. Nobody's prototype is written to, and no error shows a value.

type Any = any;

const runs = asked(400);

const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__", "length", "0", "-", "", "a/b", "~1", "..", "a.b", "*", "$ref", "\ud800", "n"];
const name = fc.constantFrom(...NAMES);
const SECRET = "§value§";

/** As JSON.parse makes it: each name is its object's own. */
const object = (members: [string, Any][]): Any => JSON.parse(`{${[...new Map(members)].map(([key, member]) => `${JSON.stringify(key)}:${JSON.stringify(member)}`).join(",")}}`);

const { value, members } = fc.letrec<{ value: Any; members: Any }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.constantFrom<Any>(null, true, 1, SECRET), fc.array(tie("value"), { maxLength: 3 }), tie("members")),
  members: fc.array(fc.tuple(name, tie("value")), { maxLength: 4 }).map(object),
}));
const sent = fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: fc.constantFrom<Any>("__DELETE__", "_DELETE_", {}) });
const part = fc.array(fc.tuple(name, sent), { maxLength: 4 }).map(object);
const request = fc.record({ newElements: part, updateElements: part, removeElements: part, replaceElements: part }, { requiredKeys: [] });

const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Object, Array];
const shown = (): unknown[] => prototypes.map((one) => [Reflect.ownKeys(one), Object.getPrototypeOf(one)]);
const before = shown();

/** What it returned, all of it plain; undefined where it was refused, with a code and without a value. */
function tried<T>(run: () => T): T | undefined {
  try {
    const result = run();
    plain(result);
    return result;
  } catch (error) {
    expect(error).toBeInstanceOf(PatchwireError);
    expect((error as Error).message).not.toContain(SECRET);
    return undefined;
  } finally {
    expect(shown()).toEqual(before);
  }
}

function plain(value: unknown): void {
  if (typeof value !== "object" || value === null || value instanceof Date) return;
  expect(Object.getPrototypeOf(value)).toBe(Array.isArray(value) ? Array.prototype : Object.prototype);
  Object.values(value).forEach(plain);
}

/** Compared as text, because comparing by members skips what is called __proto__. */
const text = (value: unknown): string => JSON.stringify(value);

function leads(from: Any, patch: Any, to: unknown): void {
  expect(text(sorted(applyPatch(from, patch)))).toBe(text(sorted(to)));
}

function sorted(value: Any): Any {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(sorted) : Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, sorted(member)]);
}

test("a change request, its patch and what takes it back", () => {
  const counts = { done: 0, refused: 0 };
  fc.assert(fc.property(members, request, fc.option(fc.array(name, { maxLength: 2 }), { nil: undefined }), (state, request, hidden) => {
    const given = text([state, request]);
    const view = hidden && { exclude: hidden.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`) };
    const outcome = tried(() => applyChangeRequest(state, text(request), view && { view }));
    if (outcome === undefined) return void counts.refused++;
    counts.done++;
    leads(state, outcome.patch, outcome.result);
    leads(outcome.result, outcome.record.inverse, state);
    expect(text(sorted(revertChange(outcome.result, [outcome.record], 0).result))).toBe(text(sorted(state)));
    for (const name of hidden ?? []) {
      const own = (of: Any): unknown => Object.getOwnPropertyDescriptor(of, name)?.value;
      if (name !== "*") expect(text(own(outcome.result))).toBe(text(own(state)));
    }
    tried(() => changeRequestSchema(view, { state }));
    tried(() => changeRequestProblems(text(request)));
    expect(text([state, request])).toBe(given);
  }), runs);
  expect(Math.min(counts.done, counts.refused)).toBeGreaterThan(runs.numRuns / 20);
});

test("PayloadManager", () => {
  const manager = new PayloadManager();
  fc.assert(fc.property(members, request, fc.array(name, { maxLength: 3 }), (state, request, paths) => {
    const given = text([state, request]);
    const outcome = tried(() => manager.applyAgentChangeRequest(state, request));
    if (outcome) leads(state, outcome.patch, outcome.result);
    const guarded = tried(() => manager.applySubAgentChangeRequest(state, request, paths, "Sub"));
    if (guarded) leads(state, guarded.patch, guarded.result);
    if (outcome) tried(() => manager.mergeUpstreamPayload("Sub", state, outcome.result as Any, paths));
    tried(() => manager.extractDownstreamPayload("Sub", state, paths));
    tried(() => manager.deepMerge(state, (request.newElements ?? {}) as Any));
    expect(text([state, request])).toBe(given);
  }), runs);
});

test("StateManager, and branches that touch different names", () => {
  const manager = new StateManager(Object.fromEntries(["n", "toString", "length"].map((name) => [`scratch.${name}`, "last" as const])));
  fc.assert(fc.property(members, members, members, (start, one, two) => {
    const base = tried(() => manager.updateScratch(manager.initialize(start), start))!;
    if (base === undefined) return;
    const branches = [one, two].flatMap((update) => tried(() => manager.updateArtifacts(manager.updateScratch(base, update), update)) ?? []);
    const merged = tried(() => manager.mergeParallelBranches(base, branches))!;
    leads(base, changeOf(merged)!.patch, merged);
    if (Object.keys(one).some((key) => Object.hasOwn(two, key))) return;
    expect(text(sorted(tried(() => manager.mergeParallelBranches(base, branches.toReversed()))))).toBe(text(sorted(merged)));
  }), runs);
});

test("trackers, step writes and merges", () => {
  fc.assert(fc.property(members, members, members, (start, one, two) => {
    const tracker = new ImmerStateTracker<Any>(start);
    const put = (update: Any): void => tracker.update((draft) => {
      for (const key of Object.keys(update)) Object.defineProperty(draft, key, { value: update[key], writable: true, enumerable: true, configurable: true });
    });
    tried(() => put(one));
    leads(start, tracker.getRFC6902Patches(), tracker.getState());
    const applied = tried(() => applyStepWrites(start, tracker.getStepWrites()));
    expect(text(sorted(applied!.state))).toBe(text(sorted(tracker.getState())));
    const longer = object([...Object.entries<Any>(start), ...Object.entries<Any>(one)]);
    const merged = tried(() => mergeBranches(start, [longer, two]))!;
    leads(start, merged.patch, merged.state);
  }), runs);
});
