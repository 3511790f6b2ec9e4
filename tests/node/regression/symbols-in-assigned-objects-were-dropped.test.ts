import { expect, test } from "vitest";
import { applyPatch, diff, StateTracker } from "patchwire";

// Members named by symbols are no JSON. The constructor refused them; in values that a recipe assigned they were left out, and a
// frozen array was in the state with them.
const marked = Object.assign([5], { [Symbol("mark")]: 1 });

test.each([{ [Symbol("mark")]: 1 }, { list: [{ a: 1, [Symbol("mark")]: 1 }] }, Object.assign([6], { [Symbol("mark")]: 1 }), { list: Object.freeze(marked) }])("a recipe that assigns %o changes nothing", (value) => {
  const tracker = new StateTracker<{ a: unknown }>({ a: 1 });
  expect(() => tracker.update((draft) => void (draft.a = value))).toThrow("NOT_JSON");
  expect(tracker.getState()).toEqual({ a: 1 });
  expect(tracker.getPatchText()).toBe("[]");
});

test("what is gone when the recipe ends doesn't matter", () => {
  const tracker = new StateTracker<{ a: unknown }>({ a: 1 });
  tracker.update((draft) => {
    draft.a = { [Symbol("mark")]: 1 };
    draft.a = 2;
  });
  expect(tracker.getState()).toEqual({ a: 2 });
});

test("those that no copy would have don't matter, as in JSON: libraries mark their objects so", () => {
  const marked = (): object => Object.defineProperty({ b: 1 }, Symbol("mark"), { value: 1 });
  const tracker = new StateTracker<{ a: unknown }>({ a: marked() });
  expect(tracker.getState()).toEqual({ a: { b: 1 } });
  tracker.update((draft) => void (draft.a = [marked(), Object.defineProperty([2], Symbol("mark"), { value: 1 })]));
  expect(tracker.getPatchText()).toBe('[{"op":"replace","path":"/a","value":[{"b":1},[2]]}]');
  expect(applyPatch({ a: 1 }, [{ op: "add", path: "/b", value: marked() }])).toEqual({ a: 1, b: { b: 1 } });
  expect(JSON.stringify(diff({ a: 1, c: marked() }, { a: marked(), c: marked() }))).toBe('[{"op":"replace","path":"/a","value":{"b":1}}]');
});
