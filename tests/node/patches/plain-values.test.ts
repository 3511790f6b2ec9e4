import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyPatch, applyStepWrites, compact, diff, filterPatch, invert, mergeBranches, mergeWrites, StateDocument, stepWritesToRFC6902, type JSONPatchOperation } from "patchwire";
import { refusal } from "../support/refusal.ts";
import { asked } from "../support/runs.ts";

// Plain values that functions are given: read where something leads, shared where nothing does, never written to, and what
// isn't looked at isn't touched.

const runs = asked(100);

const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, text: `row ${id}`, tags: ["a", { b: id }] }));
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** Values with arrays longer than what is read at once, hostile names and undefined members. */
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie("leaf"), tie("array"), tie("object"), tie("long")),
  leaf: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string({ maxLength: 6, unit: "binary" }), fc.boolean(), fc.constant(null)),
  array: fc.array(tie("value"), { maxLength: 5 }),
  long: fc.tuple(fc.array(fc.oneof(tie("leaf"), fc.record({ id: fc.nat(9), n: tie("leaf") }), fc.array(tie("leaf"), { maxLength: 2 })), { minLength: 1, maxLength: 3 }), fc.integer({ min: 30, max: 80 })).map(([items, count]) => Array.from({ length: count }, (_, i) => copy(items[i % items.length]))),
  object: fc.dictionary(fc.constantFrom("a", "b", "c/d", "~", "__proto__", "constructor", "0", "toString"), tie("value"), { maxKeys: 5, noNullPrototype: true }),
})).value;

/** Another value that shares some of its parts with this one. */
function variant(value: unknown, choose: () => number): unknown {
  const choice = choose();
  if (choice === 0) return { new: choice };
  if (typeof value !== "object" || value === null || choice < 4) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = value.map((item, i) => (i % 7 === choice % 7 ? variant(item, choose) : item));
    if (choice === 5) items.splice(Math.floor(items.length / 2), 1);
    if (choice === 6) items.unshift({ put: "in front" });
    if (choice === 7) items.reverse();
    return items;
  }
  const changed: object = {};
  for (const key of Object.keys(value)) Object.defineProperty(changed, key, { value: variant((value as any)[key], choose), writable: true, enumerable: true, configurable: true });
  return changed;
}

const pairs = fc.tuple(anyValue, fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 40 })).map(([value, choices]) => {
  let at = 0;
  return [value, variant(value, () => choices[at++ % choices.length]!)] as const;
});

const text = (value: unknown) => StateDocument.parse(JSON.stringify(value));
const equal = (a: unknown, b: unknown) => expect(text(a).diff(text(b))).toEqual([]);

/** Every container of `after` that no operation leads to or into is `before`'s own. */
function expectShared(before: unknown, after: unknown, led: string[], path = ""): void {
  if (Object.is(before, after) || led.includes(path)) return;
  if (typeof before !== "object" || before === null || typeof after !== "object" || after === null) return;
  expect(led.some((pointer) => pointer.startsWith(`${path}/`)), path).toBe(true);
  // Items have other indexes afterwards.
  if (Array.isArray(before) || Array.isArray(after)) return;
  for (const key of Object.keys(after)) {
    if (Object.hasOwn(before, key)) expectShared((before as any)[key], (after as any)[key], led, `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  }
}

describe("laws", () => {
  test("patches, differences and what takes them back, as of documents of the same text", () => {
    fc.assert(fc.property(pairs, ([before, after]) => {
      const kept = JSON.stringify(before);
      for (const dialect of ["rfc6902", "extended"] as const) {
        const patch = diff(before, after, { dialect });
        equal(text(before).apply(patch).toJSON(), after);
        const result = applyPatch(before, patch);
        equal(result, after);
        const back = invert(before, patch, { dialect });
        equal(applyPatch(result, back), before);
        equal(text(after).apply(back).toJSON(), before);
        equal(applyPatch(before, compact([patch, back, patch], { base: before })), after);
        expectShared(before, result, patch.flatMap((operation) => ("from" in operation ? [operation.from, operation.path] : [operation.path])));
      }
      expect(diff(before, copy(before))).toEqual([]);
      expect(JSON.stringify(before)).toBe(kept);
    }), runs);
  });

  test("branches and writes merge as those of copies do", () => {
    fc.assert(fc.property(pairs, pairs, ([base, one], [, two]) => {
      const merged = mergeBranches(base, [one, two]);
      const copied = mergeBranches(copy(base), [copy(one), copy(two)]);
      equal(merged.state, copied.state);
      expect(merged.conflicts.length).toBe(copied.conflicts.length);
      equal(text(base).apply(merged.patch).toJSON(), merged.state);
    }), runs);
  });
});

describe("what comes back", () => {
  test("is the caller's where nothing led, and neither copied nor frozen", () => {
    const state = { list: rows(100), other: { deep: [1] }, n: 1 };
    const kept = JSON.stringify(state);
    const after = applyPatch(state, [{ op: "add", path: "/list/-", value: 1 }, { op: "replace", path: "/list/3/text", value: "new" }]);
    expect(after.other).toBe(state.other);
    expect(after.list[4]).toBe(state.list[4]);
    expect(after.list[3]!.tags).toBe(state.list[3]!.tags);
    expect(after.list[3]!.text).toBe("new");
    expect(after.list.length).toBe(101);
    expect([after, after.list, after.list[3]].every(Object.isFrozen)).toBe(true);
    expect([state, state.list, state.list[3], state.other].some(Object.isFrozen)).toBe(false);
    expect(JSON.stringify(state)).toBe(kept);
    expect(applyPatch(state, [])).toBe(state);
  });

  test("keeps a value that moves, and copies one that is copied", () => {
    const state = { a: { b: [1] }, list: rows(50) };
    const moved = applyPatch(state, [{ op: "move", from: "/a", path: "/list/0" }, { op: "copy", from: "/list/1", path: "/c" }]) as any;
    expect(moved.list[0]).toBe(state.a);
    expect(moved.list[1]).toBe(state.list[0]);
    expect(moved.c).toEqual(state.list[0]);
  });

  test("of writes and merges as well", () => {
    const base = { list: rows(50), other: { deep: [1] } };
    const writes = { ops: [{ kind: "append" as const, path: "/list", items: [1] }] };
    expect(applyStepWrites(base, writes).state.other).toBe(base.other);
    const { state } = mergeWrites(base, [writes, writes]);
    expect(state.list.length).toBe(52);
    expect(state.other).toBe(base.other);
    expect(state.list[7]).toBe(base.list[7]);
    expect(mergeWrites(base, []).state).toBe(base);
    const merged = mergeBranches(base, [{ ...base, list: [...base.list, { id: 50, text: "", tags: [] }] }, { ...base, other: { deep: [2] } }]);
    expect(merged.state.list[7]).toBe(base.list[7]);
    expect(merged.state.other).toEqual({ deep: [2] });
  });

  test("patches hold nothing of the values that they were made of", () => {
    const after = { a: { b: [1] } };
    const patch = diff({}, after) as { value: { b: number[] } }[];
    after.a.b.push(2);
    expect(patch).toEqual([{ op: "add", path: "/a", value: { b: [1] } }]);
  });
});

describe("hostile values", () => {
  /** A value with traps in it: what is called is told. */
  function trapped() {
    const called: string[] = [];
    const trap = (name: string, target: object) => new Proxy(target, {
      get: (of, key, receiver) => (called.push(`${name} ${String(key)}`), Reflect.get(of, key, receiver)),
      ownKeys: (of) => (called.push(`${name} keys`), Reflect.ownKeys(of)),
    });
    const state = {
      // What is told may be held against the text of what is around it, as far as it is shorter.
      about: "x".repeat(2_000),
      touched: { n: 1 },
      object: trap("object", { get a() { called.push("getter"); return 1; } }),
      list: [{ n: 1 }, ...rows(60), trap("item", { n: 1 }), ...rows(60), trap("last", { n: 2 })],
    };
    return { called, state };
  }

  test("are not called where nothing leads", () => {
    const { called, state } = trapped();
    const patch: JSONPatchOperation[] = [{ op: "replace", path: "/touched/n", value: 2 }, { op: "replace", path: "/list/0/n", value: 2 }, { op: "add", path: "/list/-", value: 1 }];
    const after = applyPatch(state, patch);
    invert(state, patch);
    compact([patch], { base: state });
    filterPatch(patch, { exclude: ["/object"] }, { base: state });
    stepWritesToRFC6902({ ops: [{ kind: "increment", path: "/touched/n", by: 1 }] }, { base: state });
    mergeWrites(state, [{ ops: [{ kind: "append", path: "/list", items: [1] }] }]);
    // A branch in which an item changed has set the list, and then all of that is told.
    mergeBranches(state, [{ ...state, touched: { n: 3 } }]);
    expect(called).toEqual([]);
    applyPatch(state, [{ op: "replace", path: "/object/a", value: 2 }]);
    expect(called).toContain("getter");
  });

  test("throw what they throw, and the core goes on", () => {
    const failure = new Error("mine");
    const state = { a: { get b(): number { throw failure; } }, c: 1 };
    expect(() => applyPatch(state, [{ op: "replace", path: "/a/b", value: 1 }])).toThrow(failure);
    expect(() => diff(state, { a: { b: 1 }, c: 1 })).toThrow(failure);
    expect(applyPatch(state, [{ op: "replace", path: "/c", value: 2 }])).toMatchObject({ c: 2 });
  });

  test("can't call the core while it reads them", () => {
    const move: JSONPatchOperation[] = [{ op: "move", from: "/n", path: "/m" }];
    const state = { get a(): unknown { return applyPatch({ n: 1 }, move); }, n: 1 };
    expect(refusal(() => applyPatch(state, move)).code).toBe("TRACKER_BUSY");
    expect(applyPatch({ n: 1 }, move)).toEqual({ m: 1 });
  });

  test("an array that gets shorter while it is read is refused", () => {
    const list = rows(100);
    const state = { list, get n() { list.length = 3; return 1; } };
    expect(refusal(() => applyPatch([list, state], [{ op: "replace", path: "/1/n", value: 2 }, { op: "add", path: "/0/-", value: 1 }, { op: "add", path: "/1/list/4", value: 1 }])).code).toMatch(/NOT_JSON|INDEX_OUT_OF_RANGE/);
  });

  test("of 100,000 levels, or that hold themselves, are refused where something leads", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    const circular: any = { list: rows(40) };
    circular.self = circular;
    for (const hostile of [deep, circular]) {
      const state = { hostile, n: 1 };
      const after = applyPatch(state, [{ op: "replace", path: "/n", value: 2 }]);
      expect(after.hostile).toBe(hostile);
      expect(diff(state, after)).toEqual([{ op: "replace", path: "/n", value: 2 }]);
      expect(refusal(() => applyPatch(state, [{ op: "copy", from: "/hostile", path: "/m" }])).code).toMatch(/LIMIT_EXCEEDED|NOT_JSON/);
      expect(refusal(() => applyPatch(state, [{ op: "move", from: "/hostile", path: "/m" }])).code).toMatch(/LIMIT_EXCEEDED|NOT_JSON/);
      expect(refusal(() => applyPatch(state, [{ op: "test", path: "/hostile", value: [] }])).code).toMatch(/TEST_FAILED|LIMIT_EXCEEDED|NOT_JSON/);
      expect(refusal(() => diff({}, state)).code).toMatch(/LIMIT_EXCEEDED|NOT_JSON/);
    }
    expect(applyPatch({ n: 1 }, [{ op: "inc", path: "/n", inc: 1 }])).toEqual({ n: 2 });
  });

  test("toJSON is a function like any other", () => {
    const state = { a: { toJSON: () => 1 }, n: 1 };
    expect(applyPatch(state, [{ op: "replace", path: "/n", value: 2 }]).a).toBe(state.a);
    expect(refusal(() => applyPatch(state, [{ op: "copy", from: "/a", path: "/b" }])).code).toBe("NOT_JSON");
  });

  test("a limit of the caller's is held against all of the state", () => {
    const state = { list: rows(100), n: 1 };
    const patch: JSONPatchOperation[] = [{ op: "replace", path: "/n", value: 2 }];
    expect(refusal(() => applyPatch(state, patch, { limits: { document: 1000 } })).code).toBe("LIMIT_EXCEEDED");
    expect(refusal(() => diff({}, state, { limits: { document: 1000 } })).code).toBe("LIMIT_EXCEEDED");
    expect(refusal(() => applyPatch(state, [{ op: "replace", path: "/list/0/text", value: 2 }], { limits: { depth: 2 } })).code).toBe("LIMIT_EXCEEDED");
    expect(refusal(() => applyPatch({ text: "x".repeat(100), n: 1 }, patch, { limits: { string: 50 } })).code).toBe("LIMIT_EXCEEDED");
  });
});
