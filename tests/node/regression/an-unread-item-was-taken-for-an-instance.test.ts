import { expect, test } from "vitest";
import { applyPatch, StateDocument, StateTracker } from "patchwire";

// More edits than are told one by one leave an array of a document with items that nobody has read: they are the items that
// they were, wherever they are now, and however much was read of the array before.

const rows = Array.from({ length: 300 }, (_, id) => ({ id, text: "of some length, so that the list isn't small" }));
const more = Array.from({ length: 20 }, (_, i) => i);

const recipes: [string, (list: any[]) => void][] = [
  ["a range is filled", (list) => { list.fill(1, 10, 60); }],
  ["items are set after one that was rotated", (list) => { list.push(list.shift()); for (const i of more) list[i] = i; }],
  ["filled and turned round", (list) => { list.fill(1, 10, 60); list.reverse(); }],
  ["items are put where others were, and unread ones follow", (list) => { for (const i of more) list[2 * i] = list[2 * i + 5]; }],
  ["both ends change places", (list) => { for (const i of more) [list[i], list[299 - i]] = [list[299 - i], list[i]]; }],
  ["both ends move on", (list) => { for (const i of more) { list.unshift({ id: i }); list.pop(); } }],
];
const before: [string, (list: any[]) => void][] = [
  ["nothing was", () => {}],
  ["some was", (list) => { list.shift(); list[3].id = 0; list.push(list[60]); }],
  ["as much was", (list) => { for (const i of more) list[i + 1] = list[i + 70]; }],
];

test.each(before.flatMap(([first, prepare]) => recipes.map(([name, recipe]) => [name, first, prepare, recipe] as const)))("%s, where %s done before", (_, __, prepare, recipe) => {
  const tracker = new StateTracker<any>(StateDocument.parse(JSON.stringify({ rows })));
  const plain: any = structuredClone({ rows });
  tracker.update((draft) => prepare(draft.rows));
  prepare(plain.rows);
  tracker.resetTracking();
  const [given, copy] = [JSON.parse(JSON.stringify(plain)), JSON.parse(JSON.stringify(plain))];
  tracker.update((draft) => recipe(draft.rows));
  recipe(copy.rows);
  expect(applyPatch(given, tracker.getRFC6902Patches())).toEqual(copy);
  expect(tracker.document().toJSON()).toEqual(copy);
  expect(tracker.getState()).toEqual(copy);
  tracker.undo();
  expect(tracker.getState()).toEqual(given);
});
