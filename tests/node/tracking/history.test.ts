import fc from "fast-check";
import { expect, test } from "vitest";
import { applyPatch, StateTracker } from "patchwire";
import { json, perform, step, type Json, type Step } from "../support/program.ts";
import { onTracker, wayIn } from "../support/ways-in.ts";
import { asked } from "../support/runs.ts";

// Undo and redo, held against a list of snapshots.

const runs = asked(1500);
const timeout = 90_000;

type Act = "undo" | "redo" | "apply" | Step[];
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.array(step, { maxLength: 4 }) },
  { weight: 4, arbitrary: fc.constantFrom("undo" as const, "undo" as const, "redo" as const, "apply" as const) },
);

test("the past comes back in the view, in the document and for a follower", () => {
  fc.assert(
    fc.property(json, fc.array(act, { maxLength: 16 }), fc.constantFrom(undefined, 0, 1, 3), fc.boolean(), wayIn, (start, acts, steps, reads, way) => onTracker(way, { n: 0, state: start }, { arrayDeltaMode: "precise", ...(steps === undefined ? {} : { history: steps }) }, (tracker) => {
      const history = steps ?? 100;
      const wire = tracker.cursor();
      let follower: unknown = { n: 0, state: start };
      let states: unknown[] = [follower];
      let present = 0;
      for (const act of acts) {
        if (act === "undo") {
          expect(tracker.undo()).toBe(present > 0);
          present = Math.max(present - 1, 0);
        } else if (act === "redo") {
          expect(tracker.redo()).toBe(present + 1 < states.length);
          present = Math.min(present + 1, states.length - 1);
        } else {
          if (act === "apply") tracker.apply([{ op: "inc", path: "/n", inc: 1 }]);
          else tracker.update((root) => {
            const draft = root as { n: number; state: Json };
            draft.n++;
            act.forEach((one) => perform(draft.state, one));
          });
          const version = reads ? tracker.getState() : tracker.document().toJSON();
          states = [...states.slice(0, present + 1), version].slice(-history - 1);
          present = states.length - 1;
        }
        if (reads) {
          expect(tracker.getState()).toEqual(states[present]);
          follower = applyPatch(follower, wire.patches({ dialect: "extended" }));
          wire.advance();
          expect(follower).toEqual(states[present]);
        }
      }
      expect(tracker.getState()).toEqual(states[present]);
      expect(tracker.document().toJSON()).toEqual(JSON.parse(JSON.stringify(states[present])));
      while (tracker.undo()) present--;
      expect(tracker.getState()).toEqual(states[present]);
      if (history === 100) expect(tracker.getStepWrites().ops).toEqual([]);
    })),
    runs,
  );
}, timeout);

test("additions to one string that follow each other are one step, however they reached the core", () => {
  const tracker = new StateTracker({ a: "", b: "" });
  for (const [name, text] of [["a", "x"], ["a", "y"], ["b", "1"], ["a", "z"], ["a", "!"]] as const) {
    tracker.append(`/${name}`, text);
    if (text !== "x") tracker.getPatchText();
  }
  const seen: unknown[] = [];
  do seen.push(tracker.getState());
  while (tracker.undo());
  expect(seen).toEqual([{ a: "xyz!", b: "1" }, { a: "xy", b: "1" }, { a: "xy", b: "" }, { a: "", b: "" }]);
});

test("what one stream writes is one step", () => {
  const tracker = new StateTracker<{ x: Json; n: number }>({ x: "old", n: 0 });
  const stream = tracker.stream("/x");
  for (const chunk of ["[", "1", ",", '"a', 'b"']) stream.write(chunk);
  tracker.increment("/n");
  stream.write("]");
  stream.end();
  const seen: unknown[] = [];
  do seen.push(tracker.getState());
  while (tracker.undo());
  expect(seen).toEqual([{ x: [1, "ab"], n: 1 }, { x: [1, "ab"], n: 0 }, { x: "old", n: 0 }]);
});

test("a checkpoint comes back, the inverse patch leads to the baseline, whatever the mode", () => {
  const programs = fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 });
  const modes = [{ arrayDeltaMode: false }, { arrayDeltaMode: true }, { arrayDeltaMode: "precise" }, { arrayDeltaMode: true, granularity: "key" }] as const;
  fc.assert(
    fc.property(json, programs, fc.constantFrom(...modes), fc.nat(3), wayIn, (start, recipes, options, which, way) => onTracker(way, start, options, (tracker) => {
      const base = start;
      const kept = recipes.map((recipe) => {
        const one = [tracker.checkpoint("before"), tracker.getState()] as const;
        tracker.update((draft) => recipe.forEach((one) => perform(draft as Json, one)));
        return one;
      });
      expect(applyPatch(tracker.getState(), tracker.getInversePatches())).toEqual(base);
      const now = tracker.getState();
      const [checkpoint, past] = kept[which % kept.length]!;
      const follower = tracker.cursor();
      tracker.restore(checkpoint);
      expect(tracker.getState()).toEqual(past);
      expect(tracker.document().toJSON()).toEqual(JSON.parse(JSON.stringify(past)));
      expect(applyPatch(now, follower.patches())).toEqual(past);
      if (follower.patchText() !== "[]") expect(tracker.undo()).toBe(true);
      expect(tracker.getState()).toEqual(now);
    })),
    runs,
  );
}, timeout);

test("checkpoints of other trackers, and those that were forgotten, are stale", () => {
  const [one, other] = [new StateTracker({ n: 0 }), new StateTracker({ n: 0 })];
  const checkpoint = one.checkpoint();
  other.checkpoint();
  for (const id of ["", "0", "x-y-z", checkpoint]) {
    expect(() => other.restore(id)).toThrow(expect.objectContaining({ code: "STALE_STATE" }));
  }
  one.increment("/n");
  one.restore(checkpoint);
  expect(one.getState()).toEqual({ n: 0 });
  for (let i = 0; i < 32; i++) one.checkpoint(`label ${i}`);
  expect(() => one.restore(checkpoint)).toThrow(expect.objectContaining({ code: "STALE_STATE" }));
});

test("an update that fails leaves the steps alone", () => {
  const tracker = new StateTracker({ n: 0 });
  tracker.increment("/n");
  tracker.undo();
  expect(() => tracker.update((draft) => { draft.n = 9; throw new Error("stop"); })).toThrow("stop");
  tracker.update(() => {});
  expect(tracker.redo()).toBe(true);
  expect(tracker.getState()).toEqual({ n: 1 });
});
