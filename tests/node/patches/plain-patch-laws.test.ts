import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyPatch, PatchwireError, StateTracker, type JSONPatchOperation, type Limits } from "patchwire";
import { asked } from "../support/runs.ts";

// Patches that only add, replace, remove, test and increase what is there are carried out without the core, unless limits are given:
// then it is asked.

const runs = asked(1000);

type Outcome = { state: unknown } | { refused: unknown };

function outcome(state: unknown, patch: readonly JSONPatchOperation[] | string, options?: { limits: object }): Outcome {
  try {
    return { state: applyPatch(state, patch, options) };
  } catch (error) {
    const { code, message, path, opIndex } = error as PatchwireError;
    return { refused: { code, message, path, opIndex } };
  }
}

const names = ["a", "b", "-", "0", "1", "01", "length", "__proto__", "constructor", "", "é", "\ud83d"];
/** Lists of lists of lists would soon be larger than any state may be. */
const isSmall = (value: unknown): boolean => JSON.stringify(value).length < 500;

const anyState = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie("leaf"), tie("array"), tie("object"), tie("object")),
  leaf: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string({ maxLength: 3, unit: "binary" }), fc.constant("x".repeat(300)), fc.boolean(), fc.constant(null)),
  array: fc.oneof(fc.array(tie("value"), { maxLength: 4 }), fc.tuple(tie("value").filter(isSmall), fc.integer({ min: 33, max: 70 })).map(([item, count]) => Array.from({ length: count }, () => structuredClone(item)))),
  object: fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 4, noNullPrototype: true }),
}));

/** A pointer that mostly leads somewhere: each number chooses a member, or a name that may not be there. */
function pointerInto(state: unknown, choices: readonly number[]): string {
  let [at, pointer] = [state, ""];
  for (const choice of choices) {
    const keys = typeof at === "object" && at !== null ? Object.keys(at) : [];
    const key = choice % 5 === 0 || keys.length === 0 ? names[choice % names.length]! : choice % 7 === 0 && Array.isArray(at) ? String(at.length) : keys[choice % keys.length]!;
    pointer += `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    at = typeof at === "object" && at !== null && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined;
  }
  return pointer;
}

const cases = anyState.value.chain((state) => {
  const place = fc.array(fc.nat(60), { minLength: 1, maxLength: 4 }).map((choices) => pointerInto(state, choices));
  const operation = fc.record({ op: fc.constantFrom("add", "add", "replace", "replace", "remove", "test", "inc", "move", "str_ins", "no"), path: place, from: place, value: anyState.value, inc: fc.integer({ min: -2, max: 2 }) });
  const patch = fc.array(operation, { minLength: 1, maxLength: 5 }).map((operations) => operations.map(({ op, path, from, value, inc }) => {
    switch (op) {
      case "remove": return { op, path };
      case "inc": return { op, path, inc };
      case "move": return { op, from, path };
      case "str_ins": return { op, path, pos: 0, str: "s" };
      default: return { op, path, value };
    }
  }) as JSONPatchOperation[]);
  return fc.tuple(fc.constant(state), patch);
});

const ASKED = { limits: {} };

describe("a patch that the shim carries out, and one that the core does", () => {
  test("lead to the same state, or are refused alike", () => {
    fc.assert(fc.property(cases, ([state, patch]) => {
      const kept = structuredClone(state);
      const known = outcome(state, patch, ASKED);
      expect(outcome(state, patch)).toEqual(known);
      expect(outcome(state, JSON.stringify(patch))).toEqual(known);
      expect(state).toEqual(kept);
    }), runs);
  });

  const state = { list: [1, { a: 1 }, [2]], deep: { er: { x: 1 } }, n: 1, long: "x".repeat(500) };
  const each: [string, JSONPatchOperation[]][] = [
    ["into what one put there", [{ op: "replace", path: "/deep", value: { er: { x: { y: 1 } } } }, { op: "add", path: "/deep/er/x/z", value: 1 }]],
    ["into what one removed", [{ op: "remove", path: "/deep" }, { op: "add", path: "/deep/er/x", value: 1 }]],
    ["at items that one shifted", [{ op: "remove", path: "/list/0" }, { op: "replace", path: "/list/0/a", value: 2 }]],
    ["that tests items that one shifted", [{ op: "add", path: "/list/0", value: 0 }, { op: "test", path: "/list/2", value: null }]],
    ["that tests a container that one put there", [{ op: "add", path: "/list/-", value: {} }, { op: "test", path: "/list/3", value: null }]],
    ["that tests a container", [{ op: "test", path: "/deep", value: null }]],
    ["that adds to a container", [{ op: "inc", path: "/deep", inc: 1 }]],
    ["that adds to what one put there", [{ op: "add", path: "/list/-", value: 5 }, { op: "inc", path: "/list/3", inc: 1 }]],
    ["twice at the end", [{ op: "add", path: "/list/-", value: { a: [] } }, { op: "add", path: "/list/-", value: 2 }]],
    ["above another", [{ op: "replace", path: "/deep/er/x", value: 2 }, { op: "remove", path: "/deep" }]],
    ["at a long text", [{ op: "test", path: "/long", value: "x".repeat(500) }, { op: "replace", path: "/long", value: "y".repeat(500) }]],
    ["at the root", [{ op: "replace", path: "", value: 1 }]],
    ["with other members", [{ op: "remove", path: "/n", value: 1 } as unknown as JSONPatchOperation]],
    ["without a value", [{ op: "add", path: "/n" } as JSONPatchOperation]],
    ["of -0", [{ op: "add", path: "/n", value: { n: [-0] } }, { op: "replace", path: "/list/0", value: -0 }]],
    ["past the end", [{ op: "add", path: "/list/4", value: 1 }]],
    ["at an array's length", [{ op: "replace", path: "/list/length", value: 0 }]],
    ["that nests too deeply", [{ op: "add", path: "/deep/er/x", value: Array.from({ length: 511 }).reduce((inner) => [inner], 1) }]],
  ];
  test.each(each)("%s", (_, patch) => {
    expect(outcome(state, patch)).toEqual(outcome(state, patch, ASKED));
  });
});

describe("a tracker that is given a patch", () => {
  /** The shim leaves operations to the core that have members which it doesn't know. */
  const forced = (patch: readonly JSONPatchOperation[]) => patch.map((operation) => ({ ...operation, note: "" }));

  const results = (state: unknown, patches: readonly JSONPatchOperation[][], asksCore: boolean, limits: Limits = {}) => {
    const tracker = new StateTracker<unknown>(state, { arrayDeltaMode: "precise", limits });
    const other = tracker.cursor();
    return patches.map((patch, i) => {
      const before = tracker.getState();
      try {
        tracker.apply(JSON.stringify(asksCore ? forced(patch) : patch));
      } catch (error) {
        const { code, path } = error as PatchwireError;
        expect(tracker.getState()).toBe(before);
        return { code, path };
      }
      const told = [tracker.getRFC6902Patches(), other.patches({ dialect: "extended" }), tracker.getStepWrites()];
      const now = tracker.getState();
      expect(applyPatch(before, told[0] as JSONPatchOperation[])).toEqual(now);
      tracker.undo();
      const back = tracker.getState();
      // What changed nothing is no step.
      if (tracker.getRFC6902Patches().length === 0) expect(back).toEqual(before);
      tracker.redo();
      expect(tracker.getState()).toEqual(now);
      if (i % 2 === 0) other.advance();
      tracker.resetTracking();
      return { told, now, back };
    });
  };

  test("tells and undoes it as where the core carried it out", () => {
    fc.assert(fc.property(cases, cases, ([state, patch], [, second]) => {
      const patches = [patch, second, patch];
      expect(results(state, patches, false)).toEqual(results(state, patches, true));
    }), runs);
  });

  test("is held to its own limits as where the core carried it out", () => {
    const few = fc.integer({ min: 1, max: 6 });
    const limits = fc.record({ operations: few, path: few, depth: fc.integer({ min: 5, max: 9 }), string: fc.integer({ min: 900, max: 1_000 }) }, { requiredKeys: [] });
    fc.assert(fc.property(cases, cases, limits, ([state, patch], [, second], limits) => {
      const patches = [patch, second, patch];
      expect(results(state, patches, false, limits)).toEqual(results(state, patches, true, limits));
    }), runs);
  });
});

describe("a state of which places are named", () => {
  test("isn't asked for anything else", () => {
    const asked: string[] = [];
    const watched = <T extends object>(name: string, target: T): T => new Proxy(target, { get: (of, key) => (asked.push(`${name}.${String(key)}`), Reflect.get(of, key)) });
    const state = watched("state", { a: watched("a", { b: 1, get c(): number { throw new Error("nobody asks"); } }), list: watched("list", [1, 2]) });
    expect(() => applyPatch(state, [{ op: "test", path: "/a/b", value: 1 }])).not.toThrow();
    expect(asked).toEqual(["state.a", "a.b"]);
  });

  test.each([
    ["an instance of a class", { a: new (class Row { b = 1; })() }],
    ["one with a symbol", { a: { b: 1, [Symbol("s")]: 1 } }],
    ["a cycle", (() => { const a: Record<string, unknown> = { b: 1 }; a.a = a; return { a }; })()],
  ])("is refused where it is %s", (name, state) => {
    const path = name === "a cycle" ? "/a/a/a/b" : "/a/b";
    expect(() => applyPatch(state, [{ op: "replace", path, value: 2 }])).toThrow(expect.objectContaining({ code: "NOT_JSON" }));
  });

  test("has no way into the core while it is read", () => {
    const patch: JSONPatchOperation[] = [{ op: "replace", path: "/a/b", value: 1 }];
    const state = { get a() { return applyPatch({ b: 1 }, [{ op: "move", from: "/b", path: "/c" }]); } };
    expect(() => applyPatch(state, patch, ASKED)).toThrow(expect.objectContaining({ code: "TRACKER_BUSY" }));
    expect(applyPatch({ a: { b: 2 } }, patch)).toEqual({ a: { b: 1 } });
  });
});
