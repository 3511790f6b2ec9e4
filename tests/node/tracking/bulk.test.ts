import fc from "fast-check";
import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { asked } from "../support/runs.ts";

// A recipe that sets thousands of places, or takes thousands of items out, is told without the core, and the core then goes on from what the recipe left, instead of
// carrying thousands of records out. A twin that is asked for its patch's text has carried them out.

type Any = any;

const ROWS = 9_000;
const initial = (rows = ROWS): Any => ({ name: "x", rows: Array.from({ length: rows }, (_, id) => ({ id, content: `row ${id}`, done: false, at: { x: id } })) });

const steps = {
  all: (draft: Any, n: number) => draft.rows.forEach((row: Any) => void (row.done = n)),
  deep: (draft: Any, n: number) => draft.rows.forEach((row: Any) => void (row.at.x = n + row.id)),
  swaps: (draft: Any, n: number) => {
    for (let i = 0; i < 150; i++) {
      const [a, b] = [(i * 7 + n) % draft.rows.length, (i * 31) % draft.rows.length];
      [draft.rows[a], draft.rows[b]] = [draft.rows[b], draft.rows[a]];
    }
  },
  sift: (draft: Any, n: number) => void (draft.rows = draft.rows.filter((_: Any, i: number) => i % 2 === n % 2 || i < 90)),
  one: (draft: Any, n: number) => void (draft.rows[n % draft.rows.length].content = `changed ${n}`),
  name: (draft: Any, n: number) => void (draft.name = `name ${n}`),
  push: (draft: Any, n: number) => void draft.rows.push({ id: n, content: "new", at: { x: 0 } }),
  move: (draft: Any, n: number) => void draft.rows.push(draft.rows.splice(n % draft.rows.length, 1)[0]),
} as const;

const act = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("all" as const, "deep" as const, "sift" as const, "swaps" as const), n: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("one" as const, "name" as const, "push" as const, "move" as const), n: fc.nat(9_999) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("undo" as const, "redo" as const, "checkpoint" as const, "restore" as const, "read" as const, "core" as const), n: fc.nat(9) }) },
);

test.each([[9_000, 8], [300, 60]])("a core that goes on from what a recipe left knows what one knows that carried the recipe out: %s rows", (rows, runs) => {
  fc.assert(
    fc.property(fc.array(act, { minLength: 2, maxLength: 8 }), fc.constantFrom(0, 1, 2, 3, undefined), (acts, history) => {
      const options = history === undefined ? {} : { history };
      const [tracker, twin] = [new StateTracker<Any>(initial(rows), options), new StateTracker<Any>(initial(rows), options)];
      const cursor = tracker.cursor();
      const marks: [Any, Any][] = [];
      for (const { kind, n } of acts) {
        if (kind === "undo" || kind === "redo") expect(tracker[kind]()).toBe(twin[kind]());
        else if (kind === "checkpoint") marks.push([tracker.checkpoint(), twin.checkpoint()]);
        else if (kind === "restore") {
          const mark = marks.at(-1);
          if (mark) [tracker, twin].forEach((one, i) => one.restore(mark[i]));
        } else if (kind === "read") cursor.advance();
        else if (kind === "core") expect(tracker.getPatchText()).toBe(twin.getPatchText());
        else for (const one of [tracker, twin]) one.update((draft) => steps[kind](draft, n));
        expect(tracker.getRFC6902Patches()).toEqual(JSON.parse(twin.getPatchText()));
        for (const one of [tracker, twin]) one.resetTracking();
        if (n % 2 === 0) cursor.advance();
        expect(tracker.getState()).toEqual(twin.getState());
      }
      expect(tracker.document().toJSON()).toEqual(twin.document().toJSON());
      while (tracker.undo()) expect(twin.undo()).toBe(true);
      expect(tracker.getState()).toEqual(twin.getState());
      tracker.apply(cursor.patches().length === 0 ? [] : [{ op: "add", path: "/added", value: 1 }]);
      expect(tracker.document().toJSON()).toEqual(tracker.getState());
    }),
    asked(runs),
  );
}, 90_000);

test("undo after a recipe in thousands of places leaves what it didn't change as it is", () => {
  const tracker = new StateTracker<Any>({ ...initial(), other: { deep: [1] } });
  const before = tracker.getState();
  tracker.update((draft) => steps.all(draft, 1));
  expect(tracker.getRFC6902Patches()).toHaveLength(ROWS);
  tracker.resetTracking();
  tracker.update((draft) => steps.name(draft, 1));
  expect(tracker.getRFC6902Patches()).toEqual([{ op: "replace", path: "/name", value: "name 1" }]);
  expect([tracker.undo(), tracker.undo(), tracker.undo()]).toEqual([true, true, false]);
  expect(tracker.getState()).toEqual(before);
  expect(tracker.getState().other).toBe(before.other);
  expect(tracker.getState().rows[7].at).toBe(before.rows[7].at);
  expect([tracker.redo(), tracker.redo(), tracker.redo()]).toEqual([true, true, false]);
  expect(tracker.getState().rows[ROWS - 1].done).toBe(1);
});

test("what the history holds of such recipes is bounded", () => {
  const tracker = new StateTracker<Any>(initial(), { limits: { document: 4 << 20 } });
  for (let n = 1; n <= 12; n++) {
    tracker.update((draft) => steps.all(draft, n));
    tracker.getRFC6902Patches();
    tracker.resetTracking();
  }
  let undone = 0;
  while (tracker.undo()) undone++;
  expect(undone).toBeGreaterThan(0);
  expect(undone).toBeLessThan(12);
  expect(tracker.getState().rows[0].done).toBe(12 - undone);
});

test("a long row of small changes, each of them read, leaves what the core's own way would", () => {
  const make = (): [StateTracker<Any>, (n: number) => void] => {
    const tracker = new StateTracker<Any>({ list: [{ id: 0 }], text: "", n: 0 });
    return [tracker, (n) => tracker.update((draft) => {
      draft.n = n;
      if (n % 7 === 0) draft.list.push({ id: n });
      if (n % 50 === 0) draft.list.shift();
    })];
  };
  const [[tracker, step], [twin, twinStep]] = [make(), make()];
  const cursor = tracker.cursor();
  const start = tracker.checkpoint();
  const twinStart = twin.checkpoint();
  for (let n = 1; n <= 9_000; n++) {
    for (const one of [step, twinStep]) one(n);
    expect(tracker.getRFC6902Patches()).toEqual(JSON.parse(twin.getPatchText()));
    for (const one of [tracker, twin]) one.resetTracking();
    // One that reads seldom, and one time much later than the others.
    if (n % 300 === 0 && (n < 3_000 || n === 8_700)) cursor.advance();
    if (n % 2_999 === 0) {
      expect(tracker.getState()).toEqual(twin.getState());
      for (let i = 0; i < 5; i++) expect([tracker.undo(), twin.undo()]).toEqual([true, true]);
      expect(tracker.redo()).toBe(twin.redo());
      expect(tracker.getPatchText()).toBe(twin.getPatchText());
      for (const one of [tracker, twin]) one.resetTracking();
    }
  }
  expect(cursor.patches().length).toBeGreaterThan(0);
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
  let steps = 0;
  while (tracker.undo()) {
    expect(twin.undo()).toBe(true);
    steps++;
    expect(tracker.getState()).toEqual(twin.getState());
  }
  expect(steps).toBeGreaterThan(90);
  tracker.restore(start);
  twin.restore(twinStart);
  expect(tracker.getState()).toEqual({ list: [{ id: 0 }], text: "", n: 0 });
  expect(tracker.getState()).toEqual(twin.getState());
});

test("objects of more names than the core is told by number are read as they are", () => {
  const rows = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`row${i}`, { id: i, [`only${i}`]: true }]));
  const tracker = new StateTracker<Any>({ rows, more: structuredClone(rows) });
  tracker.update((draft) => {
    for (let i = 0; i < 6_000; i++) draft.rows[`row${i}`][`only${i}`] = false;
  });
  expect(JSON.parse(tracker.getPatchText())).toHaveLength(6_000);
  tracker.resetTracking();
  tracker.update((draft) => {
    for (const key of Object.keys(draft.more)) draft.more[key].id = -1;
  });
  expect(tracker.getRFC6902Patches()).toHaveLength(9_000);
  tracker.resetTracking();
  tracker.update((draft) => void (draft.more.row8999.only8999 = draft.rows.row1.id));
  expect(tracker.getPatchText()).toBe('[{"op":"replace","path":"/more/row8999/only8999","value":1}]');
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
  expect([tracker.undo(), tracker.undo(), tracker.undo()]).toEqual([true, true, true]);
  expect(tracker.getState()).toEqual({ rows, more: rows });
});

test("what nobody has read yet is told, however much was changed since", () => {
  const tracker = new StateTracker<Any>({ n: 0, m: 0 }, { history: 0 });
  tracker.update((draft) => void (draft.m = 1));
  for (let i = 1; i <= 3_000; i++) tracker.update((draft) => void (draft.n = i));
  expect(JSON.parse(tracker.getPatchText())).toEqual([{ op: "replace", path: "/m", value: 1 }, { op: "replace", path: "/n", value: 3_000 }]);
});

test.each([1, 2, 3])("%i changes of thousands of members can be undone where that is how many are kept", (history) => {
  const tracker = new StateTracker<Any>(Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`m${i}`, 0])), { history });
  for (let n = 1; n <= 5; n++) {
    tracker.update((draft) => Object.keys(draft).forEach((name) => void (draft[name] = n)));
    tracker.resetTracking();
  }
  for (let n = 4; n >= 5 - history; n--) expect([tracker.undo(), tracker.getState().m7]).toEqual([true, n]);
  expect(tracker.undo()).toBe(false);
});
