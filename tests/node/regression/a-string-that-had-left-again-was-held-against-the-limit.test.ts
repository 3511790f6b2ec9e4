import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// What a recipe put into an array and took out again went into the log as it was, and nobody had measured it: the update was accepted,
// and then every question was refused for good.

type State = { log: string[]; other: number };
const long = "x".repeat(31);

const recipes: [string, (draft: State) => void][] = [
  ["set, and cut off", (draft) => { draft.log[0] = long; draft.log[0] = draft.log[0]!.slice(0, 10); }],
  ["set, and taken out", (draft) => { draft.log[1] = long; draft.log.pop(); }],
  ["set, and spliced out", (draft) => { draft.log[1] = long; draft.log.splice(1, 1); }],
  ["set, and shifted out", (draft) => { draft.log[0] = long; draft.log.shift(); }],
  ["set, and cut off by the length", (draft) => { draft.log[1] = long; draft.log.length = 1; }],
  ["set, sorted and taken out", (draft) => { draft.log[0] = long; draft.log.sort(); draft.log.pop(); }],
  ["pushed, and set", (draft) => { draft.log.push(long); draft.log[2] = "c"; }],
  ["grown, and set", (draft) => { draft.log[0] += long; draft.log[0] = "c"; }],
  ["filled in, and set", (draft) => { draft.log.fill(long); draft.log.fill("c"); }],
];

test.each(recipes)("%s", (_, recipe) => {
  const start: State = { log: ["a", "b"], other: 0 };
  const tracker = new StateTracker(start, { limits: { string: 30 } });
  const plain = structuredClone(start);
  tracker.update(recipe);
  recipe(plain);
  expect(tracker.getState()).toEqual(plain);
  expect(tracker.getPatchText().length).toBeGreaterThan(2);
  expect(tracker.undo()).toBe(true);
  expect(tracker.getState()).toEqual(start);
  expect(() => tracker.update((draft) => void (draft.log[0] = long))).toThrow(expect.objectContaining({ code: "LIMIT_EXCEEDED" }));
  tracker.update((draft) => void draft.other++);
  expect(tracker.document().toJSON()).toEqual({ ...start, other: 1 });
});

test("a text that is cut off again and again is never refused", () => {
  const tracker = new StateTracker({ log: [""] }, { limits: { string: 4_096 } });
  for (let i = 0; i < 50; i++) {
    tracker.update((draft) => {
      draft.log[0] += "y".repeat(500);
      draft.log[0] = draft.log[0]!.slice(-4_000);
    });
  }
  expect(tracker.document().toJSON()).toEqual({ log: ["y".repeat(4_000)] });
});
