import { describe, expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";
import { refusal } from "../support/refusal.ts";

// Limits are held where the change is made; what isn't of the right type is a coded error. Issue 9, section 7.

type Any = any;

/** Every call that a tracker answers. */
function works(tracker: StateTracker<Any>): void {
  const state = tracker.getState();
  expect(tracker.document().toJSON()).toEqual(state);
  tracker.getPatchText();
  tracker.getStepWrites();
  tracker.getInversePatches();
  tracker.checkpoint();
  tracker.update((d) => { d.after = 1; });
  expect(tracker.getState().after).toBe(1);
  tracker.undo();
  expect(tracker.getState()).toEqual(state);
}

// Who is refused must know which option to raise.
test.each<[name: string, most: number, change: (tracker: StateTracker<Any>) => void]>([
  ["document", 100, (tracker) => tracker.update((d) => { d.x = "x".repeat(200); })],
  ["document", 100, (tracker) => tracker.apply([{ op: "add", path: "/x", value: "x".repeat(200) }])],
  ["string", 100, (tracker) => tracker.update((d) => { d.x = "x".repeat(200); })],
  ["depth", 3, (tracker) => tracker.update((d) => { d.x = [[[[1]]]]; })],
  ["operations", 1, (tracker) => tracker.apply([{ op: "add", path: "/x", value: 1 }, { op: "add", path: "/y", value: 1 }])],
  ["path", 2, (tracker) => tracker.apply([{ op: "add", path: "/a/b/c", value: 1 }])],
])("a refusal names limits.%s", (name, most, change) => {
  const tracker = new StateTracker<Any>({ a: { b: {} } }, { limits: { [name]: most } });
  const { code, message } = refusal(() => change(tracker));
  expect(code).toBe("LIMIT_EXCEEDED");
  expect(message).toContain(`(limits.${name})`);
});

describe("limits.document", () => {
  const cheap: [name: string, item: () => unknown][] = [
    ["numbers", () => 1.2345678901234567], ["small numbers", () => 7], ["booleans", () => true], ["nulls", () => null], ["empty objects", () => ({})], ["empty arrays", () => []],
    ["empty strings", () => ""], ["nested empties", () => [[{}]]], ["escapes", () => "\u0001\u0002"], ["surrogates", () => "\ud800"],
  ];
  test.each(cheap)("%s", (_, item) => {
    for (const put of [
      (d: Any, items: unknown[]) => { d.list = items; },
      (d: Any, items: unknown[]) => { d.list.push(...items); },
      (d: Any, items: unknown[]) => { items.forEach((one, i) => { d.map[i] = one; }); },
      (d: Any, items: unknown[]) => { items.forEach((one) => { d.list.push(one); }); },
    ]) {
      const tracker = new StateTracker<Any>({ list: [], map: {} }, { limits: { document: 2_000 } });
      const before = tracker.getState();
      const items = Array.from({ length: 1_000 }, item);
      expect(JSON.stringify(items).length).toBeGreaterThan(2_000);
      expect(refusal(() => tracker.update((d) => { put(d, items); })).code).toBe("LIMIT_EXCEEDED");
      expect(tracker.getState()).toBe(before);
      expect(tracker.getPatchText()).toBe("[]");
      works(tracker);
      // Up to the limit it's accepted.
      tracker.update((d) => { put(d, items.slice(0, 60)); });
      works(tracker);
    }
  });

  // The core's measure of a document is about its text: 8 bytes for a number, whatever it is, and an escape as it is in
  // memory (src/document/node.rs, `weight`). So what is accepted may be up to six times the limit. Where it
  // is over the limit the text is measured (src/edit/growth.rs), and nothing is refused whose text isn't over it.
  test.each(cheap)("%s, one by one: about the limit", (_, item) => {
    const tracker = new StateTracker<Any>({ list: [] }, { limits: { document: 2_000 } });
    expect(refusal(() => { for (let i = 0; i < 3_000; i++) tracker.update((d) => { d.list.push(item()); }); }).code).toBe("LIMIT_EXCEEDED");
    const { length } = JSON.stringify(tracker.getState());
    expect(length).toBeLessThanOrEqual(2_000 * 6);
    expect(length).toBeGreaterThan(2_000 - 22);
    tracker.update((d) => { d.list.splice(0, 10); });
    works(tracker);
  });

  test("a document that was accepted can change, and shrink", () => {
    const limits = { document: 2_000 };
    const tracker = new StateTracker<Any>(StateDocument.parse(JSON.stringify(new Array(999).fill(7)), limits), { limits });
    tracker.update((d) => { d[5] = 8; });
    tracker.apply([{ op: "replace", path: "/6", value: 9 }]);
    tracker.update((d) => { d.length = 900; });
    tracker.update((d) => { for (let i = 0; i < 99; i++) d.push(7); });
    expect(refusal(() => tracker.update((d) => { d.push(7); d.push(7); })).code).toBe("LIMIT_EXCEEDED");
    expect(JSON.stringify(tracker.getState())).toHaveLength(1_999);
  });

  test("a state that is over a limit that came later can shrink, and not grow", () => {
    const tracker = new StateTracker<Any>({ list: new Array(500).fill("text"), n: 0 }, { limits: { document: 5_000 } });
    const small = new StateTracker<Any>(tracker.document(), { limits: { document: 1_000 } });
    expect(refusal(() => small.update((d) => { d.list.push(1); })).code).toBe("LIMIT_EXCEEDED");
    expect(refusal(() => small.apply([{ op: "add", path: "/more", value: 1 }])).code).toBe("LIMIT_EXCEEDED");
    small.update((d) => { d.list.pop(); });
    small.apply([{ op: "remove", path: "/list/0" }]);
    small.update((d) => { d.n = 1; });
    expect(small.getState().list).toHaveLength(498);
    expect(small.document().toJSON()).toEqual(small.getState());
  });

  test("copies of what is there, names of members, text and increments", () => {
    const over: ((tracker: StateTracker<Any>) => void)[] = [
      (t) => t.update((d) => { d.a = d.big; d.b = d.big; d.c = [d.big, d.big]; }),
      (t) => t.update((d) => { d.big = [d.big, d.big, d.big]; }),
      (t) => t.update((d) => { for (let i = 0; i < 100; i++) d[`a name that is rather long, number ${i}`] = 1; }),
      (t) => t.update((d) => { d["x".repeat(3_000)] = 1; }),
      (t) => { for (let i = 0; i < 100; i++) t.append("/text", "y".repeat(50)); },
      (t) => t.apply([{ op: "add", path: "/a", value: new Array(1_000).fill(0) }]),
      (t) => t.apply(Array.from({ length: 5 }, (_, i) => ({ op: "copy" as const, from: "/big", path: `/c${i}` }))),
      (t) => { const s = t.stream("/text"); s.write(JSON.stringify("z".repeat(3_000))); s.end(); },
    ];
    for (const change of over) {
      const tracker = new StateTracker<Any>({ big: new Array(100).fill("some text"), text: "" }, { limits: { document: 2_000 } });
      expect(refusal(() => change(tracker)).code).toBe("LIMIT_EXCEEDED");
      expect(JSON.stringify(tracker.getState()).length).toBeLessThanOrEqual(2_000);
    }
  });

  test("a state that is near its limit may shrink and change", () => {
    const tracker = new StateTracker<Any>({ list: new Array(190).fill(1.25e-7) }, { limits: { document: 2_000 } });
    for (let i = 0; i < 50; i++) tracker.update((d) => { d.list.shift(); d.list.push(i); d.list.reverse(); });
    works(tracker);
  });
});

describe("limits.path and limits.depth", () => {
  const nest = (levels: number): Any => { let value: Any = 1; for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value }; return value; };
  test("limits.path, where a recipe writes", () => {
    const tracker = new StateTracker<Any>({ deep: nest(12), l: [] }, { limits: { path: 8 } });
    const deepest = (d: Any): Any => { let at = d.deep; for (let i = 0; i < 11; i++) at = Array.isArray(at) ? at[0] : at.a; return at; };
    for (const write of [(at: Any) => { at[0] = 2; }, (at: Any) => { at.push(2); }, (at: Any) => { at.pop(); }]) {
      const before = tracker.getState();
      expect(refusal(() => tracker.update((d) => { write(deepest(d)); })).code).toBe("LIMIT_EXCEEDED");
      expect(tracker.getState()).toBe(before);
      works(tracker);
    }
    tracker.update((d) => { let at = d; for (let i = 0; i < 12; i++) at = at.in = {}; d.l.push(d.deep); });
    works(tracker);
  });

  test("limits.depth", () => {
    const limits = { depth: 8 };
    for (const change of [
      (t: StateTracker<Any>) => t.update((d) => { d.x = nest(12); }),
      (t: StateTracker<Any>) => t.update((d) => { d.l.push(nest(12)); }),
      (t: StateTracker<Any>) => t.update((d) => { let at = d; for (let i = 0; i < 12; i++) at = at.deeper = {}; }),
      (t: StateTracker<Any>) => t.update((d) => { d.l.push(d.deep); d.x = { y: [d.l] }; }),
      (t: StateTracker<Any>) => t.apply([{ op: "add", path: "/x", value: nest(12) }]),
    ]) {
      const tracker = new StateTracker<Any>({ l: [], deep: nest(5) }, { limits });
      const before = tracker.getState();
      expect(refusal(() => change(tracker)).code).toBe("LIMIT_EXCEEDED");
      expect(tracker.getState()).toEqual(before);
      works(tracker);
    }
    const deepen = new StateTracker<Any>({}, { limits });
    expect(refusal(() => { for (let i = 0; i < 20; i++) deepen.update((d) => { let at = d; while (at.in !== undefined) at = at.in; at.in = {}; }); }).code).toBe("LIMIT_EXCEEDED");
    works(deepen);
  });

  test.each([600, 5_000, 20_000, 100_000])("%i levels say LIMIT_EXCEEDED, never a RangeError", (levels) => {
    const value = nest(levels);
    const tracker = new StateTracker<Any>({ l: [1] });
    for (const put of [(d: Any) => { d.x = value; }, (d: Any) => { d.l.push({ value }); }, (d: Any) => { d.l = d.l.map(() => value); }, (d: Any) => { let at = d; for (let i = 0; i < levels; i++) at = at.in = {}; }]) {
      expect(refusal(() => tracker.update((d) => { put(d); })).code).toBe("LIMIT_EXCEEDED");
      expect(tracker.getState()).toEqual({ l: [1] });
    }
    expect(refusal(() => new StateTracker(value)).code).toBe("LIMIT_EXCEEDED");
    expect(refusal(() => new StateTracker(value, { own: true })).code).toBe("LIMIT_EXCEEDED");
    expect(refusal(() => tracker.apply("[".repeat(levels) + "]".repeat(levels))).code).toMatch(/LIMIT_EXCEEDED|INVALID_PATCH/);
    if (levels < 3_000) expect(refusal(() => tracker.apply([{ op: "add", path: "/x", value }])).code).toBe("LIMIT_EXCEEDED");
    works(tracker);
  });

  test("a patch's value that is nested too deeply", () => {
    const tracker = new StateTracker<Any>({ l: [1] });
    expect(refusal(() => tracker.apply([{ op: "add", path: "/x", value: nest(20_000) }])).code).toBe("LIMIT_EXCEEDED");
    works(tracker);
  });
});

describe("what isn't of the right type", () => {
  const bad: unknown[] = [0, 1.5, null, undefined, true, {}, [], Symbol("s"), 10n, () => 1, NaN];
  const tracker = new StateTracker<Any>({ n: 1, t: "x", l: [1] });
  const calls: [name: string, run: (value: Any) => unknown, fine?: (value: unknown) => boolean][] = [
    ["restore", (x) => tracker.restore(x)],
    ["append's pointer", (x) => tracker.append(x, "x")],
    ["append's text", (x) => tracker.append("/t", x)],
    ["increment's pointer", (x) => tracker.increment(x)],
    ["increment's number", (x) => tracker.increment("/n", x), (x) => x === undefined || (typeof x === "number" && Number.isFinite(x))],
    ["stream's pointer", (x) => tracker.stream(x)],
    ["apply's patch", (x) => tracker.apply(x), (x) => Array.isArray(x)],
    ["update's recipe", (x) => tracker.update(x), (x) => typeof x === "function"],
    ["checkpoint's label", (x) => tracker.checkpoint(x), (x) => x === undefined],
    ["a tracker's options", (x) => new StateTracker({}, x), (x) => x === undefined || (typeof x === "object" && x !== null) || typeof x === "function"],
    ["getRFC6902Patches's options", (x) => tracker.getRFC6902Patches(x), (x) => x === undefined || (typeof x === "object" && x !== null) || typeof x === "function"],
    ["getPatchText's options", (x) => tracker.getPatchText(x), (x) => x === undefined || (typeof x === "object" && x !== null) || typeof x === "function"],
    ["options.limits", (x) => new StateTracker({}, { limits: x }), (x) => x === undefined || (typeof x === "object" && x !== null)],
    ["options.counters", (x) => new StateTracker({}, { counters: x }), (x) => x === undefined || Array.isArray(x)],
    ["options.validate", (x) => new StateTracker({}, { validate: x }), (x) => x === undefined || typeof x === "function"],
    ["options.history", (x) => new StateTracker({}, { history: x }), (x) => x === undefined || typeof x === "number"],
    ["options.own", (x) => new StateTracker({}, { own: x }), () => true],
    ["options.dialect", (x) => tracker.getPatchText({ dialect: x }), (x) => x === undefined],
    ["a cursor's options", (x) => tracker.cursor().patches(x), (x) => x === undefined || (typeof x === "object" && x !== null) || typeof x === "function"],
    ["document.get", (x) => StateDocument.parse("{}").get(x)],
    ["document.apply", (x) => StateDocument.parse("{}").apply(x), (x) => Array.isArray(x)],
  ];
  test.each<(value: Any) => unknown>([(x) => StateDocument.parse(x), (x) => StateDocument.parse("{}").diff(x)])("%s", (run) => {
    for (const value of bad) expect(refusal(() => run(value)).code).toMatch(/^[A-Z_0-9]+$/);
  });
  test.each(calls)("%s", (_, run, fine = () => false) => {
    const before = tracker.getState();
    for (const value of bad) {
      if (fine(value)) continue;
      expect(refusal(() => run(value)).code, String(value)).toMatch(/^[A-Z_0-9]+$/);
    }
    expect(tracker.getState()).toEqual(before);
    expect(tracker.document().toJSON()).toEqual(before);
  });
});
