import { describe, expect, test } from "vitest";
import { applyPatch, StateTracker } from "patchwire";

// What was published and comes back is shared: `===` for every untouched part, and nothing is said of what hasn't changed.
// Issue 9, section 3.

type Any = any;

const N = 2_000;
const initial = (): Any => ({ list: Array.from({ length: N }, (_, id) => ({ id, n: 0, tags: ["a", { deep: id }] })), other: { x: { y: [1, 2] } }, count: 0 });

function tracked(): { tracker: StateTracker<Any>; state: Any } {
  const tracker = new StateTracker<Any>(initial(), { arrayDeltaMode: "precise" });
  return { tracker, state: tracker.getState() };
}

describe("the state itself put back", () => {
  test.each<[string, (d: Any, state: Any) => void]>([
    ["the list", (d, state) => { d.list = state.list; }],
    ["the list's items, one by one", (d, state) => { state.list.forEach((row: Any, i: number) => { d.list[i] = row; }); }],
    ["every member", (d, state) => { Object.assign(d, state); }],
    ["a copy of the list", (d, state) => { d.list = [...state.list]; }],
    ["a list mapped to itself", (d, state) => { d.list = state.list.map((row: Any) => row); }],
    ["a filter that keeps all", (d, state) => { d.list = state.list.filter(() => true); }],
    ["an object with the same members", (d, state) => { d.other = { ...state.other }; }],
    ["deep down", (d, state) => { d.other = { x: { y: state.other.x.y } }; }],
    ["a draft's filter that keeps all", (d) => { d.list = d.list.filter(() => true); }],
    ["a draft's map", (d) => { d.list = d.list.map((row: Any) => row); }],
    ["a draft's spread", (d) => { d.list = [...d.list]; d.other = { ...d.other }; }],
    ["an item taken out and put back", (d) => { const [row] = d.list.splice(5, 1); d.list.splice(5, 0, row); }],
    ["a member removed, and put back in its turn", (d) => { const { count } = d; delete d.count; d.count = count; }],
    ["an equal value for an equal value", (d) => { d.count = 1; d.count = 0; d.list[3].n = 5; d.list[3].n = 0; }],
  ])("%s: nothing changed", (_, recipe) => {
    const { tracker, state } = tracked();
    tracker.update((d) => { recipe(d, state); });
    expect(tracker.getState()).toEqual(state);
    expect(tracker.getPatchText()).toBe("[]");
    const now = tracker.getState();
    expect(now.other.x.y).toBe(state.other.x.y);
    expect(now.list.every((row: Any, i: number) => row === state.list[i])).toBe(true);
    expect(now.list).toBe(state.list);
  });

  test("in itself, `===` as a whole", () => {
    const { tracker, state } = tracked();
    tracker.update((d) => { Object.assign(d, state); });
    expect(tracker.getState()).toBe(state);
  });
});

describe("one row of many", () => {
  test.each<[string, (d: Any, state: Any) => void]>([
    ["map and spread of what was published", (d, state) => { d.list = state.list.map((x: Any) => (x.id === 3 ? { ...x, n: 1 } : x)); }],
    ["map and spread of the drafts", (d) => { d.list = d.list.map((x: Any) => (x.id === 3 ? { ...x, n: 1 } : x)); }],
    ["with", (d, state) => { d.list = state.list.with(3, { ...state.list[3], n: 1 }); }],
    ["the whole state, the redux way", (d, state) => { Object.assign(d, { ...state, list: state.list.map((x: Any) => (x.id === 3 ? { ...x, n: 1 } : x)) }); }],
    ["a copy that is changed", (d, state) => { const copy = [...state.list]; copy[3] = { ...copy[3], n: 1 }; d.list = copy; }],
    ["what was put back, edited through the draft", (d, state) => { d.list = state.list; d.list[3].n = 1; }],
  ])("%s: `===` for the others, and one small operation", (_, recipe) => {
    const { tracker, state } = tracked();
    tracker.update((d) => { recipe(d, state); });
    const now = tracker.getState();
    expect(now.list[3]).toEqual({ ...state.list[3], n: 1 });
    expect(now.list.filter((row: Any, i: number) => row !== state.list[i])).toHaveLength(1);
    expect(now.list[3].tags).toBe(state.list[3].tags);
    expect(now.other).toBe(state.other);
    expect(tracker.getPatchText().length).toBeLessThan(150);
    expect(applyPatch(initial(), tracker.getRFC6902Patches())).toEqual(now);
    expect(tracker.document().toJSON()).toEqual(now);
  });

  test("an older state's parts are shared too", () => {
    const { tracker, state: first } = tracked();
    tracker.update((d) => { d.list = d.list.filter((x: Any) => x.id % 2 === 0); d.other.x.y.push(3); });
    tracker.update((d) => { d.list[0].n = 5; });
    tracker.resetTracking();
    const before = tracker.getState();
    tracker.update((d) => { d.list = first.list.map((x: Any) => (x.id === 3 ? { ...x, n: 1 } : x)); d.other = first.other; });
    const now = tracker.getState();
    expect(now.other).toBe(first.other);
    expect(now.list.filter((row: Any, i: number) => row !== first.list[i])).toHaveLength(1);
    expect(applyPatch(before, tracker.getRFC6902Patches())).toEqual(now);
    tracker.undo();
    expect(tracker.getState()).toEqual(before);
  });

  test("another tracker's state is a frozen constant", () => {
    const { state } = tracked();
    const tracker = new StateTracker<Any>({ list: [] }, { arrayDeltaMode: "precise" });
    tracker.update((d) => { d.list = state.list; });
    expect(tracker.getState().list[7]).toBe(state.list[7]);
    tracker.update((d) => { d.list[7].n = 1; });
    expect(state.list[7].n).toBe(0);
    expect(tracker.getPatchText().startsWith("[{")).toBe(true);
    expect(applyPatch({ list: [] }, tracker.getRFC6902Patches())).toEqual(tracker.getState());
  });
});

test("what filter keeps is the same, and each removal is said once", () => {
  const { tracker, state } = tracked();
  tracker.update((d) => { d.list = d.list.filter((x: Any) => x.id !== 10 && x.id !== 20); });
  const now = tracker.getState();
  expect(now.list.every((row: Any) => row === state.list[row.id])).toBe(true);
  expect(tracker.getRFC6902Patches()).toEqual([{ op: "remove", path: "/list/10" }, { op: "remove", path: "/list/19" }]);
});

test("a frozen value that holds what can't be a state is refused as any other", () => {
  const { tracker, state } = tracked();
  expect(() => tracker.update((d) => { d.count = 5; d.other = Object.freeze({ at: Object.freeze(new Date(0)) }); })).toThrow("NOT_JSON");
  expect(() => tracker.update((d) => { d.list = Object.freeze([...state.list, () => 1]); })).toThrow("NOT_JSON");
  expect(tracker.getState()).toBe(state);
});

test("a frozen value whose parts aren't frozen is copied where they aren't", () => {
  const { tracker } = tracked();
  const inner = { n: 1 };
  const shallow = Object.freeze({ inner });
  tracker.update((d) => { d.other = shallow; });
  inner.n = 2;
  expect(tracker.getState().other).toEqual({ inner: { n: 1 } });
  expect(Object.isFrozen(inner)).toBe(false);
});
