import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { applyPatch, applyStepWrites, mergeWrites, StateTracker, stepWritesToRFC6902, type StateTrackerOptions, type StepWrites } from "patchwire";

// The examples of the Helix pages about state, as cases (tests/cases/helix.json says where they come from).
// They run at both granularities: 'key' is the pages' StepWrites contract, 'path' the pages' nested example.

interface Mutation { m: string; path: string; value?: unknown; values?: unknown[]; start?: number; deleteCount?: number }
interface Case {
  name: string;
  kind: "tracker" | "contract" | "parallel";
  initial: Record<string, unknown>;
  options?: StateTrackerOptions;
  steps?: { update?: Mutation[]; resetTracking?: boolean; emit?: boolean; child?: Mutation[]; endOfTool?: boolean }[];
  tools?: Record<string, Mutation[]>;
  promote?: string[];
  disputed?: boolean;
  why?: string;
  doNotCopy?: string;
  expected: { state?: unknown; patches?: unknown; stepWrites?: StepWrites; throws?: boolean; warnings?: number; emitted?: unknown; staged?: StepWrites };
  alternative?: { patches?: unknown; stepWrites?: StepWrites };
}

const { cases } = JSON.parse(readFileSync(new URL("../../cases/helix.json", import.meta.url), "utf8")) as { cases: Case[] };

test("the pages are no program that could be run: none of their cases is known to be a fault", () => {
  expect(cases.filter(({ doNotCopy }) => doNotCopy !== undefined)).toEqual([]);
});

/** DESIGN.md decides for the default mode that a change in an array replaces it: the pages' own test is a relic. */
const READ_OTHERWISE = new Set(["000 testing section: array additions"]);

function perform(draft: Record<string, unknown>, mutations: Mutation[]): void {
  // What a recipe puts in is the recipe's: the cases' own values stay as they are.
  for (const { m, path, value, values = [], start = 0, deleteCount = 0 } of structuredClone(mutations)) {
    const keys = path.split("/").slice(1);
    const last = keys.pop()!;
    const holder = keys.reduce<any>((at, key) => at[key], draft);
    const special = (value as { $special?: string } | undefined)?.$special;
    switch (m) {
      case "set": holder[last] = special === undefined ? value : special === "function" ? () => {} : circular(); break;
      case "increment": holder[last]++; break;
      case "delete": delete holder[last]; break;
      case "push": holder[last].push(...values); break;
      case "pop": holder[last].pop(); break;
      case "splice": holder[last].splice(start, deleteCount, ...values); break;
      case "spreadAppend": holder[last] = [...holder[last], ...values]; break;
      default: throw new Error(`unknown mutation ${m}`);
    }
  }
}

function circular(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}

/** The pages' op has no `path` and no `isNew`. */
function asOnThePages({ ops, warnings }: StepWrites): unknown {
  return { ops: ops.map(({ path, isNew, ...op }: any) => op), warnings };
}

function track(one: Case, granularity: "path" | "key"): StateTracker<Record<string, unknown>> {
  const tracker = new StateTracker(one.initial, { arrayDeltaMode: false, ...one.options, granularity });
  for (const step of one.steps ?? []) {
    if (step.update) tracker.update((draft) => perform(draft, step.update!));
    if (step.resetTracking) tracker.resetTracking();
  }
  return tracker;
}

describe.each(["key", "path"] as const)("granularity %s", (granularity) => {
  test.each(cases.filter((one) => one.kind === "tracker"))("$name", (one) => {
    if (one.expected.throws) {
      expect(() => track(one, granularity)).toThrow(expect.objectContaining({ code: "NOT_JSON" }));
      return;
    }
    const tracker = track(one, granularity);
    const wanted = granularity === "key" || READ_OTHERWISE.has(one.name) ? { ...one.expected, ...one.alternative } : one.expected;
    if (wanted.patches) expect(tracker.getRFC6902Patches()).toEqual(wanted.patches);
    if (wanted.patches) expect(stepWritesToRFC6902(tracker.getStepWrites())).toEqual(wanted.patches);
    if (wanted.stepWrites) expect(asOnThePages(tracker.getStepWrites())).toEqual(wanted.stepWrites);
    if (one.expected.state) expect(tracker.getState()).toEqual(one.expected.state);
    const base = one.steps?.some((step) => step.resetTracking) ? undefined : one.initial;
    if (base) expect(applyPatch(base, tracker.getRFC6902Patches())).toEqual(tracker.getState());
  });
});

describe("parallel tools, each from the committed base, promoted in order", () => {
  test.each(cases.filter((one) => one.kind === "parallel"))("$name", (one) => {
    let state: unknown = one.initial;
    const warnings: string[] = [];
    const writes = one.promote!.map((tool) => {
      const tracker = new StateTracker(one.initial, { ...one.options, granularity: "key" });
      tracker.update((draft) => perform(draft, one.tools![tool]!));
      return tracker.getStepWrites();
    });
    const merged = mergeWrites(one.initial, writes);
    expect(merged.state).toEqual(one.expected.state);
    expect(applyPatch(one.initial, merged.patch)).toEqual(merged.state);
    for (const of of writes) {
      const applied = applyStepWrites(state, of);
      state = applied.state;
      warnings.push(...applied.warnings);
    }
    expect(state).toEqual(one.expected.state);
    expect(warnings).toHaveLength(one.expected.warnings ?? 0);
  });
});

describe("contracts", () => {
  const contract = (part: string): Case => cases.find((one) => one.kind === "contract" && one.name.includes(part))!;

  test("wire and persistence read the same log, each with its own cursor", () => {
    const one = contract("createToolContext");
    const tracker = new StateTracker(one.initial, { ...one.options, granularity: "key" });
    const wire = tracker.cursor();
    const emitted: unknown[] = [];
    for (const step of one.steps!) {
      if (step.update) tracker.update((draft) => perform(draft, step.update!));
      if (step.emit) {
        emitted.push(wire.patches());
        wire.advance();
      }
    }
    expect(emitted).toEqual(one.expected.emitted);
    expect(asOnThePages(tracker.getStepWrites())).toEqual(one.expected.staged);
  });

  test("an update without change emits nothing", () => {
    const one = contract("no chunk");
    expect(track(one, "key").getPatchText()).toBe("[]");
  });

  test("a sub-agent's state is its own", () => {
    const one = contract("sub-agent") as Case & { initial: { parent: object; child: Record<string, unknown> } };
    const [parent, child] = [new StateTracker(one.initial.parent), new StateTracker(one.initial.child)];
    child.update((draft) => perform(draft, one.steps![0]!.child!));
    expect({ parent: parent.getState(), child: child.getState() }).toEqual(one.expected);
  });
});
