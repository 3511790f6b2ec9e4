import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { castDraft, current, isDraft, original, StateTracker } from "patchwire";
import { refusal } from "../support/refusal.ts";

// What a draft is, and what it isn't any more; what a recipe may return. Issue 9, section 5.

type Any = any;

describe("a draft of an earlier recipe is dead for ever", () => {
  const uses: [name: string, use: (draft: Any) => unknown][] = [
    ["reading", (x) => x.n], ["writing", (x) => { x.n = 1; }], ["deleting", (x) => { delete x.n; }], ["in", (x) => "n" in x], ["keys", (x) => Object.keys(x)],
    ["a descriptor", (x) => Object.getOwnPropertyDescriptor(x, "n")], ["defining", (x) => Object.defineProperty(x, "n", { value: 1 })],
    ["JSON.stringify", (x) => JSON.stringify(x)], ["spread", (x) => ({ ...x })], ["current", (x) => current(x)], ["original", (x) => original(x)],
    ["instanceof", (x) => x instanceof Object],
  ];
  const listUses: [name: string, use: (draft: Any) => unknown][] = [
    ["length", (x) => x.length], ["an index", (x) => x[0]], ["an index written", (x) => { x[0] = 1; }], ["push", (x) => x.push(1)], ["map", (x) => x.map(() => 1)],
    ["iteration", (x) => [...x]], ["sort", (x) => x.sort()], ["indexOf", (x) => x.indexOf(1)], ["join", (x) => x.join()], ["at", (x) => x.at(0)], ["length written", (x) => { x.length = 0; }],
  ];
  for (const [kind, make] of [["of a recipe that committed", (run: Any) => run], ["of a recipe that threw", (run: Any) => (d: Any) => { run(d); throw new Error("stop"); }]] as const) {
    const dead = (pick: (d: Any) => Any): { tracker: StateTracker<Any>; draft: Any } => {
      const tracker = new StateTracker<Any>({ o: { n: 1 }, l: [1, { n: 1 }] });
      let draft: Any;
      try { tracker.update(make((d: Any) => { draft = pick(d); })); } catch {}
      return { tracker, draft };
    };
    test.each([...uses.map(([name, use]) => [name, (d: Any) => d.o, use] as const), ...listUses.map(([name, use]) => [name, (d: Any) => d.l, use] as const)])(`%s, ${kind}`, (_, pick, use) => {
      const { tracker, draft } = dead(pick);
      expect(isDraft(draft)).toBe(false);
      expect(refusal(() => use(draft)).code).toBe("DRAFT_REVOKED");
      tracker.update((d) => { d.o.n = 5; expect(refusal(() => use(draft)).code).toBe("DRAFT_REVOKED"); });
      expect(tracker.getState().o).toEqual({ n: 5 });
    });
    test(`put into a later recipe, ${kind}`, () => {
      const { tracker, draft } = dead((d) => d.l[1]);
      expect(refusal(() => tracker.update((d) => { d.o = draft; })).code).toBe("DRAFT_REVOKED");
      expect(refusal(() => tracker.update((d) => { d.l.push({ deep: [draft] }); })).code).toBe("DRAFT_REVOKED");
      tracker.update((d) => { expect(d.l.indexOf(draft)).toBe(-1); expect(d.l[1] === draft).toBe(false); });
      expect(tracker.getState()).toEqual({ o: { n: 1 }, l: [1, { n: 1 }] });
    });
  }

  test("its methods and iterators are too", () => {
    const tracker = new StateTracker<Any>({ l: [1, 2] });
    let [iterator, push]: Any[] = [];
    tracker.update((d) => { iterator = d.l[Symbol.iterator](); iterator.next(); push = d.l.push.bind(d.l); });
    expect(refusal(() => iterator.next()).code).toBe("DRAFT_REVOKED");
    expect(refusal(() => push(1)).code).toBe("DRAFT_REVOKED");
  });

  test("a draft of another tracker's running recipe is copied as it is at the end", () => {
    const [a, b] = [new StateTracker<Any>({ x: { n: 1, list: [1] } }), new StateTracker<Any>({})];
    a.update((d) => {
      b.update((e) => { e.x = d.x; d.x.n = 2; e.x.list.push(2); });
      d.x.n = 3;
      expect(b.getState()).toEqual({ x: { n: 2, list: [1, 2] } });
    });
    expect(a.getState()).toEqual({ x: { n: 3, list: [1, 2] } });
    expect(b.getState()).toEqual({ x: { n: 2, list: [1, 2] } });
  });
});

describe("what a recipe returns", () => {
  const refused: [name: string, recipe: (d: Any) => unknown][] = [
    ["a copy of the draft", (d) => ({ ...d, n: 1 })], ["a new list", () => []], ["a new object", () => ({})], ["a map of the state", (d) => d.list.map((x: Any) => x)],
    ["a copy after a change", (d) => { d.n = 5; return { ...d }; }], ["a Map", () => new Map()], ["a frozen constant", () => Object.freeze({ n: 1 })],
    ["current", (d) => current(d)],
    ["a generator", function* (d: Any) { d.n = 1; yield 1; }],
  ];
  test.each(refused)("%s is refused, with what to do instead", (_, recipe) => {
    const tracker = new StateTracker<Any>({ n: 0, list: [1, 2] });
    const before = tracker.getState();
    const error = refusal(() => tracker.update(recipe as never));
    expect(error.code).toBe("RECIPE_RESULT");
    expect(error.message).toMatch(/change the draft/);
    expect(tracker.getState()).toBe(before);
    expect(tracker.getPatchText()).toBe("[]");
  });

  test("an async generator is refused", () => {
    const tracker = new StateTracker<Any>({ n: 0 });
    expect(refusal(() => tracker.update(async function* (d: Any) { d.n = 1; } as never)).code).toBe("RECIPE_RESULT");
    expect(tracker.getState()).toEqual({ n: 0 });
  });

  test("another scalar is refused where the state is one, which nothing else could have meant", () => {
    const tracker = new StateTracker<Any>(5);
    const error = refusal(() => tracker.update(() => 9));
    expect([error.code, tracker.getState()]).toEqual(["RECIPE_RESULT", 5]);
    expect(error.message).toMatch(/apply\(\[/);
    for (const recipe of [(n: Any) => n, () => {}, () => undefined]) tracker.update(recipe);
    tracker.apply([{ op: "replace", path: "", value: 9 }]);
    expect(tracker.getState()).toBe(9);
  });

  const taken: [name: string, recipe: (d: Any) => unknown, state: object][] = [
    ["the draft", (d) => { d.n = 1; return d; }, { n: 1, list: [1, 2], o: {} }], ["a part of it", (d) => d.list, { n: 0, list: [1, 2], o: {} }],
    ["push", (d) => d.list.push(3), { n: 0, list: [1, 2, 3], o: {} }], ["pop", (d) => d.list.pop(), { n: 0, list: [1], o: {} }],
    ["splice", (d) => d.list.splice(0, 1), { n: 0, list: [2], o: {} }], ["sort", (d) => d.list.sort((a: Any, b: Any) => b - a), { n: 0, list: [2, 1], o: {} }],
    ["an assigned container", (d) => (d.o = { a: 1 }), { n: 0, list: [1, 2], o: { a: 1 } }], ["Object.assign", (d) => Object.assign(d, { n: 5 }), { n: 5, list: [1, 2], o: {} }],
    ["an assigned filter", (d) => (d.list = d.list.filter((x: Any) => x > 1)), { n: 0, list: [2], o: {} }],
    ["what was put deep into the state", (d) => { const it = { a: 1 }; d.o.list = [it]; return it; }, { n: 0, list: [1, 2], o: { list: [{ a: 1 }] } }],
    ["delete", (d) => delete d.o, { n: 0, list: [1, 2] }], ["a container that was removed", (d) => { const { o } = d; delete d.o; return o; }, { n: 0, list: [1, 2] }],
    ["a string", () => "x", { n: 0, list: [1, 2], o: {} }], ["null", () => null, { n: 0, list: [1, 2], o: {} }],
    ["a published part that was put back", (d) => (d.o = Object.freeze({ z: 1 })), { n: 0, list: [1, 2], o: { z: 1 } }],
  ];
  test.each(taken)("%s is fine", (_, recipe, state) => {
    const tracker = new StateTracker<Any>({ n: 0, list: [1, 2], o: {} });
    tracker.update(recipe as never);
    expect(tracker.getState()).toEqual(state);
  });

  test("what a recipe throws is what comes out, whatever it is", () => {
    const tracker = new StateTracker<Any>({ n: 0 });
    for (const thrown of [new RangeError("mine"), "text", undefined, null, { code: 1 }]) {
      let got: unknown = "nothing";
      try { tracker.update((d) => { d.n = 1; throw thrown; }); } catch (error) { got = error; }
      expect(got).toBe(thrown);
    }
    expect(tracker.getState()).toEqual({ n: 0 });
  });
});

describe("isDraft, original, current, castDraft", () => {
  test("isDraft is true of what can be changed as the state, only", () => {
    const tracker = new StateTracker<Any>({ o: { l: [{}] }, s: "x" });
    tracker.update((d) => {
      for (const draft of [d, d.o, d.o.l, d.o.l[0], d.o.l.find(() => true), Object.values(d.o)[0]]) expect(isDraft(draft)).toBe(true);
      for (const other of [d.s, undefined, null, 1, {}, [], [...d.o.l], { ...d.o }, current(d), original(d), tracker.getState(), new Map()]) expect(isDraft(other)).toBe(false);
    });
    expect(isDraft(tracker.getState())).toBe(false);
  });

  test("original is the state before, frozen and ===", () => {
    const tracker = new StateTracker<Any>({ o: { l: [{ n: 1 }] }, list: Array.from({ length: 500 }, (_, i) => i) });
    tracker.update((d) => { d.list.push(1); });
    const before = tracker.getState();
    tracker.update((d) => {
      d.o.l[0].n = 2;
      d.o.l.push({});
      d.list.length = 0;
      expect(original(d)).toBe(before);
      expect(original(d.o.l)).toBe(before.o.l);
      expect(original(d.o.l[0])).toBe(before.o.l[0]);
      expect(original(d.list)).toBe(before.list);
      for (const other of [{}, [1], 5, "x", undefined, d.o.l[1]]) expect(original(other)).toBeUndefined();
    });
  });

  test("original of an unread state", () => {
    const tracker = new StateTracker<Any>({ list: Array.from({ length: 500 }, (_, i) => ({ i })) });
    tracker.update((d) => { d.list.push({ i: 500 }); });
    tracker.update((d) => {
      d.list.splice(0, 400);
      d.list[0].i = "x";
      const before = original(d.list) as Any[];
      expect([before.length, before[500], before[400], Object.isFrozen(before)]).toEqual([501, { i: 500 }, { i: 400 }, true]);
      expect(d.list.length).toBe(101);
    });
    expect([tracker.getState().list.length, tracker.getState().list[0].i]).toEqual([101, "x"]);
    expect(tracker.document().toJSON()).toEqual(tracker.getState());
  });

  test("current is a copy that later changes don't reach, of drafts in new values too, and shares what hasn't changed", () => {
    const tracker = new StateTracker<Any>({ o: { l: [{ n: 1 }, { n: 2 }] }, other: { big: [1] } });
    const before = tracker.getState();
    tracker.update((d) => {
      d.o.l[0].n = 5;
      const mine: Any = { first: d.o.l[0], own: [1] };
      d.mine = mine;
      const now = current(d);
      expect(now).toEqual({ o: { l: [{ n: 5 }, { n: 2 }] }, other: { big: [1] }, mine: { first: { n: 5 }, own: [1] } });
      expect(now.other).toBe(before.other);
      expect(now.o.l[1]).toBe(before.o.l[1]);
      d.o.l[0].n = 6;
      mine.own.push(2);
      d.o.l.length = 1;
      expect(now).toEqual({ o: { l: [{ n: 5 }, { n: 2 }] }, other: { big: [1] }, mine: { first: { n: 5 }, own: [1] } });
      expect(current(d.other)).toBe(before.other);
      expect(current(d.o.l)).toEqual([{ n: 6 }]);
      expect(structuredClone(current(d))).toEqual(JSON.parse(JSON.stringify(d)));
      for (const other of [5, "x", undefined, before]) expect(current(other)).toBe(other);
      expect(current(mine)).toEqual({ first: { n: 6 }, own: [1, 2] });
      expect(current(mine)).not.toBe(mine);
      const root = { d: current(d.o), twice: [d.o.l[0], d.o.l[0]] };
      d.shared = root;
      const { twice } = current(d.shared.d === root.d ? d : d).shared;
      expect(twice[0]).toBe(twice[1]);
    });
  });

  test("current may be kept, changed and put back", () => {
    const tracker = new StateTracker<Any>({ list: [{ n: 1 }] });
    tracker.update((d) => { d.list[0].n = 2; const copy = current(d.list) as Any[]; d.list.push({ n: 3 }); d.copy = copy; });
    expect(tracker.getState()).toEqual({ list: [{ n: 2 }, { n: 3 }], copy: [{ n: 2 }] });
  });

  test("current costs what changed, not the state", () => {
    const tracker = new StateTracker<Any>({ rows: Array.from({ length: 100_000 }, (_, id) => ({ id, deep: { id } })), small: { n: 0 } });
    const { rows } = tracker.getState();
    tracker.update((d) => {
      d.small.n = 1;
      d.rows[5].deep.id = -1;
      const copy = current(d) as Any;
      expect(copy.small).toEqual({ n: 1 });
      expect(copy.rows[5]).toEqual({ id: 5, deep: { id: -1 } });
      expect(copy.rows.filter((row: Any, i: number) => row !== rows[i])).toEqual([copy.rows[5]]);
    });
    tracker.update((d) => { d.small.n = 2; expect((current(d) as Any).rows).toBe(tracker.getState().rows); });
  });

  test("castDraft is the value itself", () => {
    const value = { a: 1 };
    expect(castDraft(value)).toBe(value);
  });
});

describe("Reflect, descriptors and printing", () => {
  test("answer as for a plain object", () => {
    const start = { o: { a: 1, b: { c: 2 } }, l: [1, { x: 1 }] };
    const ask = ({ o, l }: Any): unknown[] => [
      Reflect.has(o, "a"), Reflect.has(o, "toString"), Reflect.ownKeys(o), Reflect.ownKeys(l), Reflect.get(o, "a"), Reflect.get(l, "length"), Reflect.isExtensible(o),
      Object.getPrototypeOf(o) === Object.prototype, Object.getPrototypeOf(l) === Array.prototype, Array.isArray(l), Array.isArray(o),
      Object.getOwnPropertyDescriptor(o, "a"), Object.getOwnPropertyDescriptor(l, "0"), Object.getOwnPropertyDescriptor(l, "length"), Object.getOwnPropertyDescriptor(o, "zz"),
      Object.getOwnPropertyDescriptor(l, "5"), Object.getOwnPropertyDescriptor(l, "push"), Object.keys(l), Object.getOwnPropertyNames(l), Object.getOwnPropertySymbols(o), Object.getOwnPropertySymbols(l),
      o.hasOwnProperty("a"), Object.hasOwn(l, "1"), Object.hasOwn(l, "2"), o.propertyIsEnumerable("a"), String(o), String(l), `${l.length}`, typeof o, Object.isFrozen(o), Object.isFrozen(l), Object.isSealed(o),
      "0" in l, 0 in l, 2 in l, "length" in l, "push" in l, l[5], l[-1], l["01"], o.zz, o[Symbol.iterator], typeof l[Symbol.iterator], o.toString === Object.prototype.toString,
      Reflect.set(o, "a", 5), Reflect.set(l, 2, 7), Reflect.deleteProperty(o, "b"), Reflect.deleteProperty(o, "never"), delete o.never, Reflect.set(l, "length", 2),
      typeof l[Symbol.unscopables], l[Symbol.unscopables].flat, [...l[Symbol.iterator]().map((x: Any) => x)].length, [...l.values().drop(1)].length,
      Reflect.defineProperty(o, "a", {}), Reflect.defineProperty(o, "a", { value: 6 }),
      Reflect.defineProperty(o, "d", { value: 1, writable: true, enumerable: true, configurable: true }), JSON.stringify(o), JSON.stringify(l), Object.prototype.toString.call(l),
      l.join("-"), l.toString().length, l.toLocaleString().length, [].concat(l).length, Object.entries(o), l.isPrototypeOf === undefined,
    ];
    const plain = structuredClone(start);
    const expected = ask(plain);
    const tracker = new StateTracker<Any>(start);
    let got: unknown;
    tracker.update((d) => { got = ask(d); });
    expect(got).toEqual(expected);
    expect(tracker.getState()).toEqual(plain);
    expect(tracker.document().toJSON()).toEqual(plain);
  });

  const refused: [name: string, run: (d: Any) => unknown, path: string][] = [
    ["a getter", (d) => Object.defineProperty(d.o, "x", { get: () => 1, configurable: true, enumerable: true }), "/o/x"],
    ["a hidden member", (d) => Object.defineProperty(d.o, "x", { value: 1, enumerable: false }), "/o"],
    ["a new member that isn't said to be shown", (d) => Object.defineProperty(d.o, "x", { value: 1 }), "/o"],
    ["a fixed member", (d) => Object.defineProperty(d.o, "x", { value: 1, writable: false }), "/o"],
    ["freezing", (d) => Object.freeze(d.o), "/o"], ["sealing", (d) => Object.seal(d.l), "/l"], ["preventing extensions", (d) => Object.preventExtensions(d.o), "/o"],
    ["a prototype", (d) => Object.setPrototypeOf(d.o, {}), "/o"], ["a named member of an array", (d) => { d.l.name = 1; }, "/l"],
    ["a symbol", (d) => { d.o[Symbol.iterator] = 1; }, "/o"],
  ];
  test.each(refused)("%s is refused, coded, with where", (_, run, path) => {
    const tracker = new StateTracker<Any>({ o: { a: 1 }, l: [1] });
    const error = refusal(() => tracker.update((d) => { d.o.a = 2; run(d); }));
    expect([error.code, error.path]).toEqual(["NOT_JSON", path]);
    expect(tracker.getState()).toEqual({ o: { a: 1 }, l: [1] });
    // The recipe may go on without.
    tracker.update((d) => { try { run(d); } catch {} d.o.b = 1; });
    expect(tracker.getState()).toEqual({ o: { a: 1, b: 1 }, l: [1] });
  });

  test("console.log shows the state", () => {
    const tracker = new StateTracker<Any>({ o: { a: 1, l: [{ x: 1 }, "t"] }, m: [[1], []] });
    let kept: Any;
    tracker.update((d) => {
      d.o.a = 2;
      d.m.push({ new: [d.o.l] });
      expect(inspect(d, { depth: 9 })).toBe(inspect(JSON.parse(JSON.stringify(d)), { depth: 9 }));
      expect(inspect(d.o.l)).toBe("[ { x: 1 }, 't' ]");
      expect(inspect([d.m[0], { o: d.o.l[0] }])).toBe("[ [ 1 ], { o: { x: 1 } } ]");
      kept = d.o;
    });
    expect(() => inspect(kept)).not.toThrow();
    expect(() => inspect([kept], { showProxy: true })).not.toThrow();
  });
});

describe("`__proto__` is an ordinary member", () => {
  test("of no draft that hasn't got it", () => {
    const tracker = new StateTracker<Any>({ o: {}, l: [] });
    tracker.update((d) => {
      expect([d["__proto__"], d.o["__proto__"], d.l["__proto__"]]).toEqual([undefined, undefined, undefined]);
      expect(() => { d["__proto__"]["polluted"] = 1; }).toThrow(TypeError);
    });
    expect(({} as Any).polluted).toBeUndefined();
  });

  test("assigned, changed, deleted, at every depth", () => {
    const tracker = new StateTracker<Any>({ o: {} });
    tracker.update((d) => { d.o["__proto__"] = { n: 1 }; d.o["__proto__"].n++; expect(Object.keys(d.o)).toEqual(["__proto__"]); expect(d.o["__proto__"].n).toBe(2); });
    expect(JSON.stringify(tracker.getState())).toBe('{"o":{"__proto__":{"n":2}}}');
    tracker.update((d) => { d.o["__proto__"].n = 7; const { ["__proto__"]: own } = d.o; own.m = 1; d.o.copy = { ...d.o }; });
    expect(JSON.stringify(tracker.getState())).toBe('{"o":{"__proto__":{"n":7,"m":1},"copy":{"__proto__":{"n":7,"m":1}}}}');
    expect(JSON.stringify(tracker.document().toJSON())).toBe(JSON.stringify(tracker.getState()));
    tracker.update((d) => { delete d.o["__proto__"]; d.o.copy["__proto__"] = 5; });
    expect(JSON.stringify(tracker.getState())).toBe('{"o":{"copy":{"__proto__":5}}}');
    expect(({} as Any).n).toBeUndefined();
  });
});

describe("errors say where in full", () => {
  test.each<[string, (d: Any) => void, string]>([
    ["a function in a map", (d) => { d.m.g = () => 1; }, "/m/g"], ["in an array's item", (d) => { d.m.list[1].x = new Date(0); }, "/m/list/1/x"],
    ["in what was moved", (d) => { const x = d.m.list.pop(); x.bad = NaN; d.m.other = [x]; }, "/m/other/0/bad"],
    ["after an item was taken out before it", (d) => { const row = d.m.list[1]; d.m.list.shift(); row.bad = 1n; }, "/m/list/0/bad"],
    ["in a new value, changed through its place", (d) => { d.m.new = { a: {} }; d.m.new.a.b = [Symbol("x")]; }, "/m/new/a/b/0"],
    ["a hole", (d) => { d.m.list[3] = 1; }, "/m/list/2"], ["in a list that was edited often", (d) => { for (let i = 0; i < 40; i++) d.m.list.unshift(i); d.m.list[7] = undefined; }, "/m/list/7"],
    ["in names that have to be escaped", (d) => { d.m["a/b~c"] = { d: NaN }; }, "/m/a~1b~0c/d"],
    ["a symbol as a name, below", (d) => { d.m.list[0][Symbol("s")] = 1; }, "/m/list/0"],
    ["a symbol as a name in a new value", (d) => { d.m.x = { y: { [Symbol("s")]: 1 } }; }, "/m/x/y"],
  ])("%s", (_, recipe, path) => {
    const tracker = new StateTracker<Any>({ m: { list: [{ id: 1 }, { id: 2 }] } });
    const error = refusal(() => tracker.update(recipe as never));
    expect([error.code, error.path]).toEqual(["NOT_JSON", path]);
  });
});
