import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// Libraries tell by their constructors whether two values are of one kind (fast-deep-equal, dequal, lodash's isEqual), and
// make copies of lists with them (lodash's clone and cloneDeep). Drafts answered undefined, so that an equal value wasn't equal.

type Any = any;

function equal(a: Any, b: Any): boolean {
  if (typeof a !== "object" || typeof b !== "object") return Object.is(a, b);
  if (a.constructor !== b.constructor) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]));
}

function copy(value: Any): Any {
  if (typeof value !== "object") return value;
  const made = Array.isArray(value) ? new (value as Any).constructor(value.length) : new value.constructor();
  for (const key of Object.keys(value)) made[key] = copy(value[key]);
  return made;
}

const start = { filters: { tags: ["a"], from: { year: 2020 } }, rows: [{ id: 1 }, { id: 2 }] };

test("a draft equals a value like it, either way round, and another draft", () => {
  const tracker = new StateTracker<Any>(start);
  tracker.update((draft) => {
    expect(equal(draft, start)).toBe(true);
    expect(equal(start, draft)).toBe(true);
    expect(draft.rows.findIndex((row: Any) => equal(row, { id: 2 }))).toBe(1);
    draft.rows[1].id = 1;
    expect(equal(draft.rows[0], draft.rows[1])).toBe(true);
  });
});

test("a copy of a draft is the caller's", () => {
  const tracker = new StateTracker<Any>(start);
  tracker.update((draft) => {
    const rows = copy(draft.rows);
    rows[0].id = 7;
    draft.copy = copy({ rows, filters: draft.filters });
  });
  expect(tracker.getState()).toEqual({ ...start, copy: { rows: [{ id: 7 }, { id: 2 }], filters: start.filters } });
});

test("a member of that name is the state's", () => {
  const tracker = new StateTracker<Any>({ word: { constructor: 1 }, list: [] });
  tracker.update((draft) => {
    draft.word.constructor++;
    draft.seen = [draft.word.constructor, "constructor" in draft.list, Object.hasOwn(draft.list, "constructor")];
  });
  expect(tracker.getState()).toEqual({ word: { constructor: 2 }, list: [], seen: [2, true, false] });
});
