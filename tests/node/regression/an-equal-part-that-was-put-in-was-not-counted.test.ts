import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Where a state holds one part twice, a published one that a recipe put in was taken for the part that was there, and not counted: the
// state went over `limits.document` without a word, and was refused by whatever asked the core from then on.

const part = { text: "x".repeat(1_000) };

const recipes: [name: string, recipe: (draft: any, before: readonly unknown[]) => void][] = [
  ["put in with drafts of the others", (draft, before) => void draft.splice(0, draft.length, before[1], ...draft.slice(0, 2))],
  [
    "and moved",
    (draft, before) => {
      draft.splice(0, draft.length, before[1], ...draft.slice(0, 2));
      expect(draft[0].text).toBe(part.text);
      const [out] = draft.splice(0, 1);
      draft.splice(2, 0, out);
    },
  ],
];

test.each(recipes)("%s", (_, recipe) => {
  const tracker = new StateTracker<any>([part], { limits: { document: 2_500 } });
  tracker.update((draft) => void draft.push(draft[0]));
  const before = tracker.getState();
  expect(() => tracker.update((draft) => recipe(draft, before))).toThrow("LIMIT_EXCEEDED");
  expect(tracker.getState()).toEqual([part, part]);
  expect(tracker.document().toJSON()).toEqual([part, part]);
});
