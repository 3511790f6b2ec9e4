import { describe, expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Changing returns nothing; `getState()` is the one reader: a plain frozen value, `===` when nothing changed. Issue 9,
// section 4. (tests/workerd/past.test.ts holds it of SyncedState.)

type Any = any;

const isDeepFrozen = (value: unknown): boolean => typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen));

test("update, apply, restore return nothing, nor do append and increment", () => {
  const tracker = new StateTracker<Any>({ n: 0, t: "", list: [1] });
  const checkpoint = tracker.checkpoint();
  const changes = [
    () => tracker.update((d) => { d.n = 1; }), () => tracker.update(() => {}), () => tracker.update((d) => d.list.push(2)),
    () => tracker.apply([{ op: "replace", path: "/n", value: 5 }]), () => tracker.apply("[]"),
    () => tracker.append("/t", "x"), () => tracker.increment("/n"), () => tracker.restore(checkpoint), () => tracker.resetTracking(),
  ];
  for (const change of changes) expect((change as () => unknown)()).toBeUndefined();
});

const changes: [name: string, change: (tracker: StateTracker<Any>) => void, nothing: (tracker: StateTracker<Any>) => void][] = [
  ["update", (t) => t.update((d) => { d.rows[3].n = 1; }), (t) => t.update((d) => { d.rows[3].n = d.rows[3].n; })],
  ["apply", (t) => t.apply([{ op: "replace", path: "/rows/3/n", value: 1 }]), (t) => t.apply([{ op: "test", path: "/rows/3/n", value: 0 }])],
  ["append", (t) => t.append("/t", "x"), (t) => t.append("/t", "")],
  ["increment", (t) => t.increment("/rows/3/n", 2), (t) => t.increment("/rows/3/n", 0)],
  ["stream", (t) => { const s = t.stream("/t"); s.write('"abc"'); s.end(); }, (t) => { const s = t.stream("/t"); s.abort(); }],
  ["undo", (t) => { t.update((d) => { d.rows[3].n = 1; }); t.update((d) => { d.rows[4].n = 1; }); t.undo(); }, (t) => { t.undo(); }],
  ["restore", (t) => { const c = t.checkpoint(); t.update((d) => { d.rows[3].n = 1; d.rows[4].n = 1; }); t.restore(c); t.update((d) => { d.rows[3].n = 5; }); }, (t) => t.restore(t.checkpoint())],
];

describe.each(changes)("after %s", (_, change, nothing) => {
  const start = () => ({ rows: Array.from({ length: 1000 }, (_, id) => ({ id, n: 0, deep: { tags: ["a"] } })), t: "", other: { x: [1] } });

  test("the state is plain, frozen, cloneable, and shares what didn't change", () => {
    const tracker = new StateTracker<Any>(start());
    const before = tracker.getState();
    change(tracker);
    const state = tracker.getState();
    expect(isDeepFrozen(state)).toBe(true);
    expect(structuredClone(state)).toEqual(state);
    expect(state).not.toBe(before);
    expect(state.other).toBe(before.other);
    expect(state.rows[5]).toBe(before.rows[5]);
    expect(state.rows[3].deep).toBe(before.rows[3].deep);
    expect(tracker.getState()).toBe(state);
    expect(tracker.document().toJSON()).toEqual(state);
    expect(isDeepFrozen(before) && before.rows[3].n === 0 && before.t === "").toBe(true);
  });

  test("the state is the same when nothing changed", () => {
    const tracker = new StateTracker<Any>(start());
    const before = tracker.getState();
    nothing(tracker);
    expect(tracker.getState()).toEqual(before);
    expect(tracker.getPatchText()).toBe("[]");
    // `increment` by nothing and a stream that was taken back make new states with the old values.
    if (_ !== "increment" && _ !== "stream") expect(tracker.getState()).toBe(before);
  });

  test("a state that nobody read is as right as one that was", () => {
    const [read, unread] = [new StateTracker<Any>(start()), new StateTracker<Any>(start())];
    for (const tracker of [read, unread]) {
      for (let i = 0; i < 3; i++) {
        tracker.update((d) => { d.rows.push({ id: i, n: 0, deep: { tags: [] } }); d.other.x.push(i); });
        if (tracker === read) tracker.getState();
      }
      change(tracker);
    }
    expect(unread.getState()).toEqual(read.getState());
    expect(isDeepFrozen(unread.getState())).toBe(true);
  });
});

test("writing to a published state throws, and changes nothing", () => {
  const tracker = new StateTracker<Any>({ list: [{ n: 1 }], map: {} });
  tracker.update((d) => { d.list.push({ n: 2 }); });
  const state = tracker.getState() as Any;
  for (const write of [() => { state.list[0].n = 5; }, () => state.list.push(1), () => { delete state.map; }, () => { state.new = 1; }, () => state.list.sort()]) expect(write).toThrow(TypeError);
  expect(tracker.getState()).toEqual({ list: [{ n: 1 }, { n: 2 }], map: {} });
});

test("every state that was read stays as it was", () => {
  const tracker = new StateTracker<Any>({ list: Array.from({ length: 1000 }, (_, i) => i), map: {} });
  const seen: [Any, string][] = [];
  for (let i = 0; i < 60; i++) {
    if (i % 3 === 0) tracker.update((d) => { d.list[i] = -i; d.map[`k${i}`] = { i }; });
    else if (i % 3 === 1) tracker.update((d) => { d.list.splice(i, 1); d.list.push(i); });
    else tracker.apply([{ op: "add", path: "/list/0", value: i }]);
    if (i % 2 === 0) seen.push([tracker.getState(), JSON.stringify(tracker.getState())]);
  }
  for (const [state, text] of seen) expect(JSON.stringify(state)).toBe(text);
});
