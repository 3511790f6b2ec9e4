import { describe, expect, test } from "vitest";
import { applyPatch, isDraft, StateTracker } from "patchwire";
import { refusal } from "../support/refusal.ts";

// A value that a recipe puts in stays itself until the recipe ends: reading the place gives the very object, writes through
// either name are one, and its content is taken over once, at the end. Issue 9, section 1.

type Any = any;

/** Runs a recipe on a plain object and on a tracker, and demands the same state and the same answer of both. */
function alike<T>(start: object, recipe: (draft: Any) => T): T {
  const plain = structuredClone(start);
  const expected = recipe(plain);
  const tracker = new StateTracker<Any>(start);
  let got: T | undefined;
  tracker.update((draft) => { got = recipe(draft); });
  expect(got).toEqual(expected);
  expect(tracker.getState()).toEqual(JSON.parse(JSON.stringify(plain)));
  expect(applyPatch(start, tracker.getRFC6902Patches())).toEqual(tracker.getState());
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
  return expected;
}

describe("reading the place gives the very object that was assigned", () => {
  const list = { l: [{ id: 0 }, { id: 2 }], o: {} };
  const ways: [name: string, run: (d: Any, it: Any) => Any][] = [
    ["push", (d, it) => { d.l.push(it); return d.l.at(-1); }],
    ["unshift", (d, it) => { d.l.unshift(it); return d.l[0]; }],
    ["splice", (d, it) => { d.l.splice(1, 0, it); return d.l[1]; }],
    ["an index", (d, it) => { d.l[1] = it; return d.l[1]; }],
    ["the index after the last", (d, it) => { d.l[2] = it; return d.l[2]; }],
    ["fill", (d, it) => { d.l.fill(it); return d.l[1]; }],
    ["a member", (d, it) => { d.o.it = it; return d.o.it; }],
    ["Object.assign", (d, it) => { Object.assign(d.o, { it }); return d.o.it; }],
    ["Reflect.set", (d, it) => { Reflect.set(d.o, "it", it); return d.o.it; }],
    ["Object.defineProperty", (d, it) => { Object.defineProperty(d.o, "it", { value: it, writable: true, enumerable: true, configurable: true }); return d.o.it; }],
    ["a new array", (d, it) => { d.l = [it]; return d.l[0]; }],
    ["deep in a new value", (d, it) => { d.o = { a: [{ it }] }; return d.o.a[0].it; }],
    ["a member of a new value", (d, it) => { d.o = {}; d.o.it = it; return d.o.it; }],
    ["what the assignment says", (d, it) => (d.o.it = it)],
    ["??=", (d, it) => (d.o.it ??= it)],
  ];
  test.each(ways)("%s", (_, run) => {
    alike(list, (d) => { const it = { id: 1 }; const got = run(d, it); got.n = 1; it.id++; return got === it && got.id === 2 && !isDraft(got); });
  });

  test("indexOf, lastIndexOf, includes, filter and find know a new value", () => {
    alike(list, (d) => {
      const it = { id: 1 };
      d.l.push(it);
      return [d.l.indexOf(it), d.l.lastIndexOf(it), d.l.includes(it), d.l.filter((x: Any) => x !== it).length, d.l.find((x: Any) => x === it) === it, d.l.findLastIndex((x: Any) => x === it)];
    });
  });

  test("in every callback, iterator and copy", () => {
    alike(list, (d) => {
      const it = { id: 1 };
      d.l.push(it);
      const seen: boolean[] = [];
      d.l.forEach((x: Any, i: number) => { if (i === 2) seen.push(x === it); });
      for (const [i, x] of d.l.entries()) if (i === 2) seen.push(x === it);
      for (const x of d.l) if (x.id === 1) seen.push(x === it);
      seen.push([...d.l][2] === it, Array.from(d.l)[2] === it, d.l.slice(-1)[0] === it, d.l.concat()[2] === it, Object.values(d.l)[2] === it, d.l.map((x: Any) => x)[2] === it);
      seen.push(d.l.reduce((last: Any, x: Any) => x, null) === it, d.l.toSorted((a: Any, b: Any) => a.id - b.id)[1] === it, d.l.with(0, it)[0] === it, new Set(d.l).has(it));
      d.l.sort((a: Any, b: Any) => Number(b === it) - Number(a === it));
      return [...seen, d.l[0] === it, d.l.pop() !== it, d.l.shift() === it];
    });
  });
});

describe("writes through either name are one", () => {
  test("three increments are three", () => {
    alike({}, (d) => { const e = { n: 0 }; d.x = e; e.n++; d.x.n++; e.n++; return d.x.n; });
  });

  test("a list keeps what was pushed through its place when its own name shifts it", () => {
    alike({ list: [] }, (d) => { const s = [1, 2, 3]; d.list = s; d.list.push(4); s.shift(); return [s, d.list === s]; });
  });

  test("the later of two writes wins, through whichever name", () => {
    alike({}, (d) => {
      const e: Any = { n: 0, m: 0 };
      d.x = e;
      d.x.n = 1; e.n = 2;
      e.m = 1; d.x.m = 2;
      delete e.gone; d.x.late = [1]; e.late.push(2); d.x.late.push(3);
      return [e.n, e.m, e.late];
    });
  });

  test("a value that was built around another is read through both", () => {
    alike({ l: [] }, (d) => {
      const inner = { n: 1 };
      const outer = { inner, list: [inner] };
      d.l.push(outer);
      inner.n++;
      d.l[0].list[0].n++;
      outer.inner.n++;
      return d.l[0].inner === inner && outer.list[0] === d.l[0].inner;
    });
  });

  test("removed and changed, it is gone; put back, it is as it has become", () => {
    alike({ l: [] }, (d) => {
      const it: Any = { n: 1 };
      d.l.push(it);
      const out = d.l.pop();
      out.n++;
      d.kept = out;
      it.n++;
      return [out === it, d.kept === it, d.l.length];
    });
  });
});

describe("what leaves a container is a value like any other", () => {
  test("popped from a list that left the state", () => {
    alike({ other: [{ id: 1 }, { id: 2 }], list: [] }, (d) => { const o = d.other; d.other = []; d.list.push(o.pop()); return [o.length, d.list.length]; });
  });

  test.each([
    ["shift", (o: Any) => o.shift()], ["splice", (o: Any) => o.splice(1, 1)[0]], ["an index", (o: Any) => o[1]], ["find", (o: Any) => o.find((x: Any) => x.id === 2)],
    ["changed first", (o: Any) => { const x = o.pop(); x.deep.n++; return x; }], ["a part", (o: Any) => o.pop().deep], ["twice", (o: Any) => [o[0], o.shift()]],
  ])("%s", (_, take) => {
    const start = { other: [{ id: 1, deep: { n: 1 } }, { id: 2, deep: { n: 2 } }], list: [] };
    alike(start, (d) => { const o = d.other; d.other = []; d.list.push(take(o)); return o.length; });
    alike(start, (d) => { const o = d.other; delete d.other; d.list.push(take(o)); return o.length; });
    alike(start, (d) => { const o = d.other; d.list = [take(o)]; d.other = 1; d.list[0].more = 1; return o.length; });
    alike({ box: start, list: [] }, (d) => { const { box } = d; delete d.box; d.list.push(take(box.other)); d.list.push(box.list); return box.other.length; });
  });

  test("a list that left goes on as a list, and may come back", () => {
    alike({ a: [{ n: 1 }, { n: 2 }, { n: 3 }], b: {} }, (d) => {
      const { a } = d;
      d.a = null;
      a.reverse();
      a.push({ n: 4 });
      a[0].n = 30;
      a.length = 3;
      d.b.a = a;
      a.unshift(d.b.a.length);
      return [a.length, d.b.a === a];
    });
  });
});

describe("several places", () => {
  test("one object in two places is one until the recipe ends and two afterwards", () => {
    const tracker = new StateTracker<Any>({});
    tracker.update((d) => {
      const it = { n: 0 };
      d.a = it;
      d.b = [it, it];
      d.a.n++;
      d.b[1].n++;
      it.n++;
      expect([d.a === d.b[0], d.b[0] === d.b[1], d.a.n]).toEqual([true, true, 3]);
    });
    expect(tracker.getState()).toEqual({ a: { n: 3 }, b: [{ n: 3 }, { n: 3 }] });
    tracker.update((d) => { expect(d.a === d.b[0]).toBe(false); d.a.n = 10; d.b[0].n = 11; });
    expect(tracker.getState()).toEqual({ a: { n: 10 }, b: [{ n: 11 }, { n: 3 }] });
  });

  test("a draft in two places too", () => {
    const tracker = new StateTracker<Any>({ a: { n: 0 } });
    tracker.update((d) => { d.b = d.a; d.c = [d.a]; d.c[0].n++; d.b.n++; d.a.n++; expect(d.b === d.a && d.c[0] === d.a).toBe(true); });
    expect(tracker.getState()).toEqual({ a: { n: 3 }, b: { n: 3 }, c: [{ n: 3 }] });
    tracker.update((d) => { d.b.n = 0; });
    expect(tracker.getState()).toEqual({ a: { n: 3 }, b: { n: 0 }, c: [{ n: 3 }] });
    tracker.undo();
    tracker.undo();
    expect(tracker.getState()).toEqual({ a: { n: 0 } });
  });

  test("an object may hold drafts, and be moved, removed and put back", () => {
    alike({ rows: [{ id: 1, tags: ["a"] }, { id: 2, tags: ["b"] }], box: {} }, (d) => {
      const row = d.rows[0];
      const group: Any = { first: row, all: d.rows, own: [row.tags] };
      d.box.group = group;
      delete d.box.group;
      d.box.later = group;
      row.tags.push("x");
      group.own[0].push("y");
      d.box.later.first.id = 10;
      d.rows = group.all.filter((x: Any) => x !== row);
      return [d.box.later === group, group.first === row, d.box.later.own[0] === row.tags, d.rows.length];
    });
  });

  test.each<[string, (d: Any) => void, string]>([
    ["a new object in itself", (d) => { const it: Any = {}; it.self = it; d.x = it; }, "/x/self"],
    ["a new list in itself", (d) => { const it: Any[] = []; d.x = { it }; it.push(it); }, "/x/it/0"],
    ["a draft in itself", (d) => { d.a.b.up = d.a; }, "/a/b/up"],
    ["the root in itself", (d) => { d.a.root = d; }, "/a/root"],
    ["a draft in a new value in it", (d) => { d.a.wrapped = { list: [d.a] }; }, "/a/wrapped/list/0"],
    ["around a corner", (d) => { const [p, q]: Any[] = [{}, {}]; p.q = q; q.p = p; d.list.push(p); }, "/list/1/q/p"],
    ["a list pushed into itself", (d) => { d.list.push(d.list); }, "/list/1"],
  ])("a cycle is NOT_JSON: %s", (_, recipe, path) => {
    const tracker = new StateTracker<Any>({ a: { b: { n: 1 } }, list: [1] });
    const before = tracker.getState();
    const error = refusal(() => tracker.update((d) => { d.a.b.n = 2; recipe(d); }));
    expect([error.code, error.path]).toEqual(["NOT_JSON", path]);
    expect(tracker.getState()).toBe(before);
    expect(tracker.getPatchText()).toBe("[]");
    expect(tracker.undo()).toBe(false);
  });

  test("a cycle that is broken before the recipe ends is none", () => {
    alike({ a: { b: {} } }, (d) => { const it: Any = { n: 1 }; it.self = it; d.a.it = it; d.a.b.up = d.a; delete it.self; delete d.a.b.up; return it.n; });
  });
});

describe("taken over once, when the recipe ends", () => {
  test("only the recipe writes to it, and nobody freezes it", () => {
    const mine = { rows: [{ id: 1 }], o: { p: {} } };
    const tracker = new StateTracker<Any>({});
    tracker.update((d) => { d.x = mine; d.x.rows.push({ id: 2 }); });
    expect(mine).toEqual({ rows: [{ id: 1 }, { id: 2 }], o: { p: {} } });
    const state = tracker.getState();
    for (const part of [mine, mine.rows, mine.rows[0], mine.o, mine.o.p]) expect(Object.isFrozen(part)).toBe(false);
    for (const part of [state, state.x, state.x.rows, state.x.rows[0], state.x.o.p]) expect(Object.isFrozen(part)).toBe(true);
    mine.rows.length = 0;
    (mine.o.p as Any).late = 1;
    expect(tracker.getState()).toEqual({ x: { rows: [{ id: 1 }, { id: 2 }], o: { p: {} } } });
    tracker.update((d) => { d.x.rows[0].id = 9; });
    expect(mine.rows).toEqual([]);
  });

  test("not followed when nobody has read the state yet, and not written to by later recipes", () => {
    const big = Array.from({ length: 5_000 }, (_, id) => ({ id }));
    const tracker = new StateTracker<Any>({});
    tracker.update((d) => { d.big = big; });
    big.length = 1;
    big[0]!.id = -1;
    tracker.update((d) => { d.big.push({ id: 5_000 }); d.big[0].id = 7; });
    expect(big).toEqual([{ id: -1 }]);
    expect([tracker.getState().big.length, tracker.getState().big[0].id]).toEqual([5_001, 7]);
  });

  test("a getter is asked by nobody before the end, and counts as what it says then", () => {
    let asked = 0;
    const tracker = new StateTracker<Any>({});
    tracker.update((d) => { d.x = { n: 1, get twice() { asked++; return this.n * 2; } }; expect(asked).toBe(0); d.x.n = 5; });
    expect(tracker.getState()).toEqual({ x: { n: 5, twice: 10 } });
  });

  test("a getter that throws refuses the recipe with its own error", () => {
    const tracker = new StateTracker<Any>({ n: 1 });
    expect(() => tracker.update((d) => { d.n = 2; d.x = { get bad() { throw new Error("mine"); } }; })).toThrow("mine");
    expect(tracker.getState()).toEqual({ n: 1 });
    expect(tracker.getPatchText()).toBe("[]");
  });

  test.each(["read", "unread"])("a getter that asks the tracker of a state that was %s finds it busy, and never the unfinished change", (kind) => {
    const tracker = new StateTracker<Any>({ n: 1, list: Array.from({ length: 1000 }, (_, i) => i) });
    // An array that nobody has seen is changed where it is.
    if (kind === "unread") tracker.update((d) => { d.list[0] = -1; });
    const patch = tracker.getPatchText();
    const seen: unknown[] = [];
    const ask = (run: () => unknown): void => { try { seen.push(run()); } catch (error) { seen.push((error as Any).code); } };
    tracker.update((d) => {
      d.n = 2;
      d.list.push({ get sly() { ask(() => tracker.getState()); ask(() => tracker.getPatchText()); ask(() => tracker.update((e: Any) => { e.n = 3; })); ask(() => tracker.undo()); return 1; } });
    });
    expect(seen).toEqual(["TRACKER_BUSY", patch, "TRACKER_BUSY", "TRACKER_BUSY"]);
    expect([tracker.getState().n, tracker.getState().list.length, tracker.getState().list[1000]]).toEqual([2, 1001, { sly: 1 }]);
    expect(tracker.document().toJSON()).toEqual(tracker.getState());
  });

  test("a refused recipe leaves the caller's value as it made it", () => {
    const mine = { n: 1 };
    const tracker = new StateTracker<Any>({});
    expect(() => tracker.update((d) => { d.x = mine; d.x.n = 2; throw new Error("stop"); })).toThrow("stop");
    expect(mine).toEqual({ n: 2 });
    tracker.update((d) => { expect("x" in d).toBe(false); d.x = mine; });
    expect(tracker.getState()).toEqual({ x: { n: 2 } });
  });
});

describe("a frozen value reads back as a draft", () => {
  test.each<[string, (d: Any, value: Any) => Any]>([
    ["assigned", (d, value) => { d.x = value; return d.x; }], ["pushed", (d, value) => { d.l.push(value); return d.l.at(-1); }],
    ["in a frozen list", (d, value) => { d.x = Object.freeze([value]); return d.x[0]; }],
  ])("%s, so that it can be changed where it is now", (_, put) => {
    const constant = Object.freeze({ n: 1, deep: Object.freeze({ list: Object.freeze([1]) }) });
    const tracker = new StateTracker<Any>({ l: [{}] });
    tracker.update((d) => {
      const it = put(d, constant);
      expect(isDraft(it) && isDraft(it.deep.list)).toBe(true);
      expect(put === undefined || it.n === 1).toBe(true);
      it.n++;
      it.deep.list.push(2);
    });
    expect(JSON.stringify(tracker.getState())).toContain('{"n":2,"deep":{"list":[1,2]}}');
    expect(constant).toEqual({ n: 1, deep: { list: [1] } });
    expect(tracker.document().toJSON()).toEqual(tracker.getState());
  });

  test("a part of the state that was published, changed in its new place alone", () => {
    const tracker = new StateTracker<Any>({ a: { list: [{ n: 1 }] } });
    const { a } = tracker.getState();
    tracker.update((d) => { d.b = a; d.b.list[0].n = 2; d.c = a.list; d.c.push(3); });
    expect(tracker.getState()).toEqual({ a: { list: [{ n: 1 }] }, b: { list: [{ n: 2 }] }, c: [{ n: 1 }, 3] });
    expect(tracker.getState().a).toBe(a);
    expect(applyPatch({ a: { list: [{ n: 1 }] } }, tracker.getRFC6902Patches())).toEqual(tracker.getState());
  });
});
