import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// A frozen value is taken over as it is, where nothing in it has to change. Members that are undefined have to go: other
// libraries freeze their states, and leave such members in. Kept in the state they were written to the log, which the
// core then couldn't read, so that the tracker could tell nothing any more; and a frozen initial state with `own` threw
// a TypeError.

const frozen = (): any => Object.freeze({ a: 1, gone: undefined, list: Object.freeze([Object.freeze({ gone: undefined, b: 2 })]) });
const taken = { a: 1, list: [{ b: 2 }] };

test.each<[string, (draft: any) => void, unknown]>([
  ["set", (draft) => { draft.x = frozen(); }, { o: { p: 1 }, l: [0], x: taken }],
  ["put in the place of an object", (draft) => { draft.o = frozen(); }, { o: taken, l: [0] }],
  ["put in the place of what it is without them", (draft) => { draft.o = Object.freeze({ p: 1, gone: undefined }); }, { o: { p: 1 }, l: [0] }],
  ["pushed", (draft) => { draft.l.push(frozen()); }, { o: { p: 1 }, l: [0, taken] }],
  ["in a new list", (draft) => { draft.l = [frozen(), ...draft.l]; }, { o: { p: 1 }, l: [taken, 0] }],
  ["in a new object", (draft) => { draft.x = { in: Object.freeze([frozen()]) }; }, { o: { p: 1 }, l: [0], x: { in: [taken] } }],
  ["changed after it was put in", (draft) => { draft.x = frozen(); draft.y = draft.x; draft.o = { ...draft.x, p: 1 }; }, { o: { ...taken, p: 1 }, l: [0], x: taken, y: taken }],
])("a frozen value loses what is undefined in it: %s", (_, recipe, expected) => {
  const tracker = new StateTracker<any>({ o: { p: 1 }, l: [0] });
  tracker.update(recipe);
  expect(tracker.getState()).toStrictEqual(expected);
  const other = new StateTracker<any>({ o: { p: 1 }, l: [0] });
  other.apply(tracker.getPatchText());
  expect(other.getState()).toStrictEqual(expected);
  expect(tracker.document().toJSON()).toStrictEqual(expected);
});

test.each<[string, () => any, unknown]>([
  ["at the top", frozen, taken],
  ["in an object that isn't frozen", () => ({ in: frozen(), gone: undefined }), { in: taken }],
  ["in a frozen list", () => Object.freeze([1, frozen()]), [1, taken]],
  ["in an object to which nothing can be added", () => ({ in: Object.seal({ b: 2, gone: undefined }) }), { in: { b: 2 } }],
])("a tracker owns a frozen value with members that are undefined: %s", (_, start, expected) => {
  const tracker = new StateTracker<any>(start(), { own: true });
  expect(tracker.getState()).toStrictEqual(expected);
  expect(tracker.document().toJSON()).toStrictEqual(expected);
});

test("what is JSON is still taken as it is", () => {
  const [value, start] = [Object.freeze({ list: Object.freeze([1]) }), { x: 1, in: Object.freeze({ y: 2 }) }];
  const inside = start.in;
  const tracker = new StateTracker<any>(start, { own: true });
  tracker.update((draft) => { draft.value = value; });
  expect(tracker.getState().value).toBe(value);
  expect(tracker.getState().in).toBe(inside);
});
