import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { applyPatch, StateTracker, type StateTrackerOptions } from "patchwire";

// Rolling back is exact at every size, whatever refuses the change. Issue 9, section 6. (plain-laws.test.ts has recipes that
// throw, or leave what isn't JSON, over edits of every kind.)

type Any = any;

const SIZES = [1, 2, 300, 126_000];

const edits: [name: string, edit: (d: Any, size: number) => void][] = [
  ["length = 0", (d) => { d.list.length = 0; }],
  ["splice of all", (d, size) => { d.list.splice(0, size); }],
  ["splice of the middle, into another list", (d, size) => { d.other = d.list.splice(size >> 2, size >> 1); }],
  ["everything inserted in the middle", (d, size) => { const more = Array.from({ length: Math.min(size, 100_000) }, (_, i) => ({ more: i })); d.list.splice(size >> 1, 0, ...more); }],
  ["push in two goes", (d, size) => { for (let i = 0; i < 2; i++) d.list.push(...Array.from({ length: Math.min(size, 60_000) }, (_, i) => i)); }],
  ["unshift", (d) => { d.list.unshift({ first: true }, 1, 2); }],
  ["reverse, then shortened", (d, size) => { d.list.reverse(); d.list.length = size >> 1; }],
  ["fill", (d) => { d.list.fill(0); }],
  ["every item written", (d) => { d.list.forEach((x: Any) => { x.n = -1; }); }],
  ["one item written, and one removed", (d, size) => { d.list[size >> 1].n = -1; d.list.shift(); }],
  ["reassigned by filter", (d) => { d.list = d.list.filter((x: Any) => x.n % 2 === 0); }],
  ["reassigned by map", (d) => { d.list = d.list.map((x: Any) => ({ ...x, m: 1 })); }],
  ["deleted", (d) => { delete d.list; }],
  ["a map of as many members", (d, size) => { for (let i = 0; i < Math.min(size, 50_000); i++) d.map[`k${i}`] = { i }; }],
  ["a map emptied", (d) => { for (const key of Object.keys(d.map)) delete d.map[key]; }],
  ["sorted by a comparator", (d) => { d.list.sort((a: Any, b: Any) => b.n - a.n); }],
];

const initial = (size: number): Any => ({ list: Array.from({ length: size }, (_, n) => ({ n })), map: { a: { n: 1 }, b: 2 }, text: "x" });
const tooLong = "x".repeat(5_000_000);

interface Refusal {
  name: string;
  options?: StateTrackerOptions<Any>;
  /** After the edit, in the same recipe. */
  end: (d: Any) => void;
  message: RegExp;
}
const refusals: Refusal[] = [
  { name: "a throw", end: () => { throw new Error("on purpose"); }, message: /on purpose/ },
  { name: "what isn't JSON", end: (d) => { d.bad = { deep: [NaN] }; }, message: /^NOT_JSON/ },
  { name: "a cycle", end: (d) => { const bad: Any = {}; bad.bad = bad; d.bad = bad; }, message: /^NOT_JSON/ },
  { name: "a returned copy", end: () => {}, message: /^RECIPE_RESULT/ },
  { name: "a validator", options: { validate: (next: Any) => { if (next.bad) throw new Error("bad"); } }, end: (d) => { d.bad = 1; }, message: /^VALIDATION_FAILED/ },
  { name: "a limit", options: { limits: { string: 4_000_000 } }, end: (d) => { d.bad = tooLong; }, message: /^LIMIT_EXCEEDED/ },
];

/** Of states with a hundred thousand rows, where `toEqual` takes its time. */
const equal = isDeepStrictEqual;

describe.each(SIZES)("%i items", (size) => {
  const start = initial(size);

  test.each(refusals)("refused by $name: state, core, patch and history are as before", ({ options, end, message, name }) => {
    // Read: everything is frozen. Unread: what the last update made is changed where it is.
    for (const isRead of [true, false]) {
      const tracker = new StateTracker<Any>(start, { arrayDeltaMode: "precise", ...options });
      tracker.update((d) => { d.list[0] = { n: 0.5 }; d.text = "y"; });
      let before = isRead ? tracker.getState() : undefined;
      const patch = tracker.getPatchText();
      for (const [what, edit] of edits) {
        const recipe = (d: Any): unknown => { edit(d, size); end(d); return name === "a returned copy" ? { ...d } : undefined; };
        expect(() => tracker.update(recipe as never), what).toThrow(message);
        if (isRead) expect(tracker.getState() === before, what).toBe(true);
        // The next update commits nothing of what the failed one did.
        tracker.update((d) => { d.text = "z"; });
        tracker.update((d) => { d.text = "y"; });
        if (isRead) {
          expect(tracker.getState().list === before.list && tracker.getState().map === before.map, what).toBe(true);
          before = tracker.getState();
        }
        if (size <= 300) expect(tracker.getPatchText(), what).toBe(patch);
      }
      expect(tracker.getPatchText()).toBe(patch);
      const state = tracker.getState();
      expect(equal(state, { ...start, list: [{ n: 0.5 }, ...start.list.slice(1)], text: "y" })).toBe(true);
      expect(equal(tracker.document().toJSON(), state)).toBe(true);
    }
  }, 60_000);

  test("undo and redo of each, and an older version", () => {
    const tracker = new StateTracker<Any>(start, { arrayDeltaMode: "precise" });
    const first = tracker.checkpoint();
    for (const [what, edit] of edits) {
      const before = tracker.getState();
      tracker.update((d) => { edit(d, size); });
      const after = tracker.getState();
      if (after === before) continue;
      expect(tracker.undo(), what).toBe(true);
      expect(equal(tracker.getState(), start), what).toBe(true);
      expect(tracker.redo(), what).toBe(true);
      expect(equal(tracker.getState(), after), what).toBe(true);
      tracker.undo();
      if (size <= 300) expect(tracker.getPatchText(), what).toBe("[]");
    }
    tracker.update((d) => { edits[0]![1](d, size); });
    tracker.restore(first);
    expect(equal(tracker.getState(), start)).toBe(true);
    expect(equal(tracker.document().toJSON(), start)).toBe(true);
  }, 60_000);

  test("a core that is asked while this happens never sees the failed change", () => {
    const tracker = new StateTracker<Any>(start, { arrayDeltaMode: "precise" });
    tracker.update((d) => { d.list[0] = { n: 0.5 }; });
    const cursor = tracker.cursor();
    const patch = tracker.getPatchText();
    for (const [what, edit] of edits) {
      expect(() => tracker.update((d) => {
        edit(d, size);
        expect([tracker.getPatchText() === patch, cursor.patchText()], what).toEqual([true, "[]"]);
        if (size <= 300) expect(tracker.document().toJSON(), what).toEqual({ ...start, list: [{ n: 0.5 }, ...start.list.slice(1)] });
        throw new Error("on purpose");
      }), what).toThrow("on purpose");
      expect([tracker.getPatchText() === patch, cursor.patchText()], what).toEqual([true, "[]"]);
    }
  }, 60_000);
});

test("a million items removed, by a recipe that throws and by one that doesn't", () => {
  const size = 1_000_000;
  const tracker = new StateTracker<Any>({ list: Array.from({ length: size }, (_, i) => i) }, { arrayDeltaMode: "precise" });
  tracker.update((d) => { d.list[0] = -1; });
  expect(() => tracker.update((d) => { d.list.splice(1, size); d.list.push(1); throw new Error("on purpose"); })).toThrow("on purpose");
  tracker.update((d) => { d.more = 1; });
  expect([tracker.getState().list.length, tracker.getState().list[999_999]]).toEqual([size, 999_999]);
  tracker.update((d) => { d.list.splice(1, size); });
  expect(tracker.getState()).toEqual({ list: [-1], more: 1 });
  tracker.undo();
  expect(tracker.getState().list.length).toBe(size);
  tracker.redo();
  expect(tracker.document().toJSON()).toEqual({ list: [-1], more: 1 });
}, 60_000);

test("a patch that fails half-way, and one that is refused, at size", () => {
  const size = 150_000;
  const start = initial(size);
  const tracker = new StateTracker<Any>(start, { limits: { operations: 1_000_000 }, arrayDeltaMode: "precise", validate: (next: Any) => { if (next.list.length === 0) throw new Error("empty"); } });
  const before = tracker.getState();
  expect(() => tracker.apply([{ op: "replace", path: "/list", value: [] }, { op: "remove", path: "/gone" }])).toThrow("PATH_NOT_FOUND");
  expect(() => tracker.apply([{ op: "replace", path: "/list", value: [] }])).toThrow("VALIDATION_FAILED");
  expect(() => tracker.update((d) => { d.list.length = 0; })).toThrow("VALIDATION_FAILED");
  expect(tracker.getState()).toBe(before);
  expect(tracker.getPatchText()).toBe("[]");
  tracker.update((d) => { d.list.length = 1; });
  expect(applyPatch(start, tracker.getRFC6902Patches())).toEqual({ ...start, list: [{ n: 0 }] });
  expect(equal(applyPatch(tracker.getState(), tracker.getInversePatches(), { limits: { operations: 1_000_000 } } as never), start)).toBe(true);
});
