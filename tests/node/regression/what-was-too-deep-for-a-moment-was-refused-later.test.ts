import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// A recipe was accepted by what it left, but its records were carried out with the limits held after each one: what was moved and
// trimmed afterwards was over the limit of depth, or of the document, in between. Then every question about patches threw for ever.

const cases: [name: string, initial: any, limits: object, recipe: (draft: any) => void][] = [
  [
    "moved to where it is too deep, then trimmed",
    { a: { b: { c: { d: 1 } } }, x: { y: {} } },
    { depth: 5 },
    (draft) => {
      const { a } = draft;
      draft.x.y.z = a;
      delete draft.a;
      delete a.b;
    },
  ],
  [
    "in three places, then short",
    { rows: [{ t: "x".repeat(60) }], o: {} },
    { document: 120 },
    (draft) => {
      const [row] = draft.rows;
      draft.o.a = [row];
      draft.o.b = [row];
      draft.o.c = [row];
      row.t = "s";
      draft.rows.length = 0;
    },
  ],
];

test.each(cases)("%s", (_, initial, limits, recipe) => {
  const plain = structuredClone(initial);
  recipe(plain);
  const tracker = new StateTracker<any>(initial, { limits });
  const cursor = tracker.cursor();
  tracker.update(recipe);
  expect(tracker.getState()).toEqual(JSON.parse(JSON.stringify(plain)));
  tracker.update((draft) => void (draft.n = 1));
  // The patch may lead over a limit on its way, too.
  const follower = new StateTracker<any>(initial);
  follower.apply(cursor.patches());
  expect(follower.getState()).toEqual(tracker.getState());
  expect(tracker.undo()).toBe(true);
  expect(tracker.getState()).toEqual(JSON.parse(JSON.stringify(plain)));
});

test("what a recipe leaves is refused as before", () => {
  const tracker = new StateTracker<any>({ a: { b: { c: { d: 1 } } }, x: { y: {} } }, { limits: { depth: 5 } });
  expect(() => tracker.update((draft) => void (draft.x.y.z = draft.a))).toThrow("LIMIT_EXCEEDED");
  expect(tracker.getPatchText()).toBe("[]");
});
