// Where nobody had read what changed, the core carried out each of the thousands of writes of a recipe, which took four times as long
// as the recipe; so did lists that were put in another order, and long texts that grew. It is given the state that the recipe left, and
// compares where somebody asks.
import fc from "fast-check";
import jsonPatch from "fast-json-patch";
import { expect, test } from "vitest";
import { asked } from "../support/runs.js";
import { applyStepWrites, StateTracker, type WriteCursor } from "patchwire";

const COUNT = 4_200;
const initial = () => ({ rows: Array.from({ length: COUNT }, (_, id) => ({ id, done: false, n: 0 })), note: "x".repeat(70_000), log: [] as number[], total: 0 });
type State = ReturnType<typeof initial>;

const recipes: Record<string, (draft: State, i: number) => void> = {
  all: (draft) => draft.rows.forEach((row) => void (row.done = !row.done)),
  counts: (draft, i) => draft.rows.forEach((row) => void (row.n += i)),
  one: (draft, i) => void (draft.rows[i % COUNT]!.n = -i - 1),
  pushed: (draft, i) => void draft.log.push(i),
  moved: (draft) => void draft.rows.unshift(draft.rows.pop()!),
  reversed: (draft) => void draft.rows.reverse(),
  written: (draft, i) => void (draft.note += ` ${i}`),
};
const others = ["undo", "redo", "advance", "advance the other", "read", "read the other", "get", "increment"];

test("whoever reads when, every reader is told what leads there, and each step can be undone", () => {
  const steps = fc.array(fc.constantFrom(...Object.keys(recipes), "all", "counts", "all", ...others), { minLength: 4, maxLength: 24 });
  fc.assert(
    fc.property(steps, fc.boolean(), (steps, isSeen) => {
      const tracker = new StateTracker<State>(initial(), { own: true, counters: ["/total"] });
      const other = tracker.cursor();
      const model = { past: [] as State[], future: [] as State[], now: initial() };
      const bases = { main: initial(), other: initial() };
      const main: Pick<WriteCursor, "patches" | "stepWrites" | "advance"> = {
        patches: () => tracker.getRFC6902Patches(), stepWrites: () => tracker.getStepWrites(), advance: () => tracker.resetTracking(),
      };
      const read = (who: "main" | "other") => {
        const reader = who === "main" ? main : other;
        expect(jsonPatch.applyPatch(structuredClone(bases[who]), reader.patches()).newDocument).toEqual(model.now);
        expect(applyStepWrites(bases[who], reader.stepWrites()).state).toEqual(model.now);
      };
      const change = (work: (state: State) => void) => {
        const before = structuredClone(model.now);
        work(model.now);
        if (JSON.stringify(before) === JSON.stringify(model.now)) return;
        model.past.push(before);
        model.future = [];
      };
      steps.forEach((step, i) => {
        if (Object.hasOwn(recipes, step)) {
          tracker.update((draft) => recipes[step]!(draft as State, i));
          change((state) => recipes[step]!(state, i));
        } else if (step === "increment") {
          tracker.increment("/total");
          change((state) => void state.total++);
        } else if (step === "undo" || step === "redo") {
          const [from, to] = step === "undo" ? [model.past, model.future] : [model.future, model.past];
          expect(tracker[step as "undo"]()).toBe(from.length > 0);
          if (from.length > 0) [model.now] = [from.pop()!, to.push(model.now)];
        } else if (step.startsWith("advance")) {
          const who = step === "advance" ? "main" : "other";
          (who === "main" ? main : other).advance();
          bases[who] = structuredClone(model.now);
        } else if (step.startsWith("read")) {
          read(step === "read" ? "main" : "other");
        } else expect(tracker.getState()).toEqual(model.now);
        if (isSeen) expect(tracker.getState().rows.length).toBe(COUNT);
      });
      expect(tracker.getState()).toEqual(model.now);
      read("main");
      read("other");
      while (model.past.length > 0) {
        expect(tracker.undo()).toBe(true);
        model.now = model.past.pop()!;
      }
      expect(tracker.getState()).toEqual(initial());
      read("other");
    }),
    asked(15),
  );
});
