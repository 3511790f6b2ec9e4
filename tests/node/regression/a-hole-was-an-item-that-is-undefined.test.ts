import { expect, test } from "vitest";
import { current, StateDocument, StateTracker } from "patchwire";

// A hole may be in an array while a recipe runs. What looks at items passes it over, as it does in a plain array.

type Rows = { id: number }[];
type State = { list: number[]; rows: Rows; seen?: unknown };

const small: State = { list: [1, 2, 3, 4], rows: [{ id: 1 }, { id: 2 }, { id: 3 }] };
const large: State = { list: Array.from({ length: 300 }, (_, i) => i), rows: Array.from({ length: 300 }, (_, id) => ({ id })) };

const recipes: [string, (draft: State) => void][] = [
  ["filtered", (draft) => { delete draft.list[1]; draft.list = draft.list.filter(() => true); }],
  ["flattened", (draft) => { draft.list[draft.list.length + 2] = 7; draft.list = draft.list.flat(); }],
  ["visited", (draft) => { delete draft.rows[0]; const ids: number[] = []; draft.rows.forEach(({ id }) => ids.push(id)); draft.seen = ids; draft.rows.shift(); }],
  ["mapped", (draft) => { delete draft.rows[1]; draft.seen = draft.rows.map(({ id }) => id).flat(); draft.rows.splice(1, 1); }],
  ["asked about", (draft) => { delete draft.rows[0]; draft.seen = [draft.rows.some(({ id }) => id === 2), draft.rows.every(({ id }) => id > 0), 0 in draft.rows, Object.keys(draft.rows).length]; draft.rows.shift(); }],
  ["added up", (draft) => { delete draft.list[0]; draft.seen = draft.list.reduce((a, b) => a + b); draft.list.shift(); }],
  ["looked for", (draft) => { delete draft.list[2]; draft.seen = [draft.list.indexOf(undefined!), draft.list.findIndex((item) => item === undefined), draft.list.includes(undefined!)]; draft.list[2] = 5; }],
  ["counted after the list grew", (draft) => { const { length } = draft.list; draft.list.length += 3; draft.seen = [draft.list.filter(() => true).length, draft.list.length]; draft.list.length = length; }],
  ["sorted to the end, behind what is undefined", (draft) => { const { length } = draft.list; delete draft.list[0]; draft.list[1] = undefined!; draft.list.sort((a, b) => b - a); draft.seen = [length - 2 in draft.list, length - 1 in draft.list]; draft.list.length -= 2; }],
  ["turned round", (draft) => { delete draft.list[0]; draft.list.reverse(); draft.seen = draft.list.length - 1 in draft.list; draft.list.pop(); }],
  ["copied", (draft) => { delete draft.list[0]; draft.seen = [0 in draft.list.slice(), 0 in draft.list.concat([1]), 0 in [...draft.list]]; draft.list.shift(); }],
  ["filled with what is undefined", (draft) => { delete draft.list[0]; draft.list[0] = undefined!; draft.seen = 0 in draft.list; draft.list.shift(); }],
  ["kept through many edits", (draft) => { delete draft.list[0]; for (let i = 0; i < 40; i++) draft.list[i + 1] = i; draft.seen = 0 in draft.list; draft.list.shift(); }],
];
const starts: [string, State, (state: State) => StateTracker<State>][] = [
  ["small", small, (state) => new StateTracker(state)],
  ["large", large, (state) => new StateTracker(state)],
  ["a document's", large, (state) => new StateTracker<State>(StateDocument.parse(JSON.stringify(state)))],
];

test.each(starts.flatMap(([size, start, made]) => recipes.map(([name, recipe]) => [size, name, start, made, recipe] as const)))("a hole in %s list is %s", (_, __, start, made, recipe) => {
  const plain = structuredClone(start);
  recipe(plain);
  const tracker = made(start);
  tracker.update((draft) => recipe(draft));
  expect(tracker.document().toJSON()).toEqual(plain);
  expect(tracker.getState()).toEqual(plain);
  expect(tracker.undo()).toBe(true);
  expect(tracker.getState()).toEqual(start);
});

test("a copy of a draft has its holes", () => {
  new StateTracker(small).update((draft) => {
    delete draft.list[1];
    expect(Object.keys(current(draft.list))).toEqual(["0", "2", "3"]);
    draft.list[1] = 0;
  });
});
