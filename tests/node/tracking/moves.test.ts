import { describe, expect, test } from "vitest";
import { applyPatch, StateTracker, type JSONPatchOperation } from "patchwire";

// What recipes do to places in arrays and objects, and the operations that say so in `'precise'` mode.

const row = (id: number) => ({ id, text: `row ${id}, in words enough that moving it is shorter`, done: false, about: { weight: id } });
const rows = (n: number, first = 0) => Array.from({ length: n }, (_, i) => row(first + i));
const initial = () => ({
  todo: rows(8),
  done: rows(2, 100),
  notes: ["first", "second", "a note that is too long to be kept inline"],
  numbers: [1, 2, 3, 4, 5, 6],
  words: ["the first", "the second", "the third", "the fourth", "the fifth", "the sixth"].map((word) => `${word} of several words, none of them short`),
  box: { held: row(50), count: 5 } as Record<string, unknown>,
  shelf: {} as Record<string, unknown>,
});
type State = ReturnType<typeof initial>;

function told(recipe: (draft: State) => void, state = initial()): JSONPatchOperation[] {
  const tracker = new StateTracker<State>(state, { arrayDeltaMode: "precise" });
  tracker.update(recipe as never);
  const patch = tracker.getRFC6902Patches();
  expect(applyPatch(state, patch)).toEqual(tracker.getState());
  return patch;
}

const brief = (patch: JSONPatchOperation[]) => patch.map((operation) => `${operation.op} ${"from" in operation ? `${operation.from} ` : ""}${operation.path}`);

const recipes: [name: string, recipe: (draft: any) => void, operations: string[]][] = [
  ["an item to another array", (d) => { d.done.push(d.todo.shift()); }, ["move /todo/0 /done/2"]],
  ["rotation", (d) => { d.todo.push(d.todo.shift()); }, ["move /todo/0 /todo/7"]],
  ["rotation the other way", (d) => { d.todo.unshift(d.todo.pop()); }, ["move /todo/7 /todo/0"]],
  ["rotation of numbers", (d) => { d.numbers.push(d.numbers.shift()); }, ["move /numbers/0 /numbers/5"]],
  ["rotation, item by item", (d) => { const first = d.todo[0]; for (let i = 0; i < 7; i++) d.todo[i] = d.todo[i + 1]; d.todo[7] = first; }, ["move /todo/0 /todo/7"]],
  ["out and in again", (d) => { const [item] = d.todo.splice(2, 1); d.todo.splice(5, 0, item); }, ["move /todo/2 /todo/5"]],
  ["neighbours that swap", (d) => { [d.todo[0], d.todo[1]] = [d.todo[1], d.todo[0]]; }, ["move /todo/1 /todo/0"]],
  ["a swap", (d) => { [d.todo[0], d.todo[5]] = [d.todo[5], d.todo[0]]; }, ["move /todo/5 /todo/0", "move /todo/1 /todo/5"]],
  // Shorter than one of its items after the other.
  ["a swap of numbers", (d) => { [d.numbers[0], d.numbers[5]] = [d.numbers[5], d.numbers[0]]; }, ["replace /numbers"]],
  ["a swap of words", (d) => { [d.words[0], d.words[5]] = [d.words[5], d.words[0]]; }, ["replace /words/0", "replace /words/5"]],
  ["a swap between arrays", (d) => { [d.todo[0], d.done[0]] = [d.done[0], d.todo[0]]; }, ["move /done/0 /todo/0", "move /todo/1 /done/0"]],
  ["a member to another object", (d) => { d.shelf.held = d.box.held; delete d.box.held; }, ["move /box/held /shelf/held"]],
  ["a number to another object", (d) => { d.shelf.count = d.box.count; delete d.box.count; }, ["move /box/count /shelf/count"]],
  ["a member's name", (d) => { d.shelf.now = d.box.held; d.crate = d.box; delete d.box; }, ["add /shelf/now", "move /box /crate"]],
  ["a member to an array", (d) => { d.done.push(d.box.held); delete d.box.held; }, ["move /box/held /done/2"]],
  ["an item into an item", (d) => { d.todo[3].about.child = d.todo.shift(); }, ["copy /todo/0 /todo/3/about/child", "remove /todo/0"]],
  ["strings", (d) => { d.todo.push(d.notes.pop(), d.notes.shift()); }, ["move /notes/2 /todo/8", "move /notes/0 /todo/9"]],
  ["everything", (d) => { d.done.unshift(...d.todo.splice(0)); }, [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `move /todo/0 /done/${i}`)],
  ["moved, then edited", (d) => { d.done.push(d.todo.shift()); d.done[2].done = true; }, ["move /todo/0 /done/2", "replace /done/2/done"]],
  ["edited, then moved", (d) => { d.todo[1].about.weight = 9; d.done.push(...d.todo.splice(1, 1)); }, ["move /todo/1 /done/2", "replace /done/2/about/weight"]],
  ["edited on the way", (d) => { const [item] = d.todo.splice(1, 1); item.done = true; d.done.push(item); }, ["move /todo/1 /done/2", "replace /done/2/done"]],
  // What is assigned carries by reference what it keeps.
  ["another array", (d) => { d.todo = [...d.todo.slice(1), d.todo[0]]; }, ["move /todo/0 /todo/7"]],
  ["an array without some", (d) => { d.todo = d.todo.filter(({ id }: { id: number }) => id !== 2 && id !== 5); }, ["remove /todo/2", "remove /todo/4"]],
  ["an array with another row", (d) => { d.todo = d.todo.map((it: { id: number }) => it.id === 6 ? { ...it, done: true } : it); }, ["replace /todo/6/done"]],
  ["nothing that it kept", (d) => { d.todo = [row(70)]; }, ["replace /todo"]],
  ["members that swap", (d) => { [d.box, d.shelf] = [d.shelf, d.box]; }, ["replace /box", "replace /shelf"]],
  ["another row", (d) => { d.todo[3] = { ...d.todo[3], done: true }; }, ["replace /todo/3/done"]],
  // The item after it has its place then, so that no move may say it: RFC 6902 §4.4 goes by the text of the paths.
  ["an item into the one after it", (d) => { d.todo[1].about.child = d.todo.shift(); }, ["copy /todo/0 /todo/1/about/child", "remove /todo/0"]],
  ["fill", (d) => { d.words.fill("-", 1, 3); }, ["replace /words/1", "replace /words/2"]],
  ["copyWithin", (d) => { d.words.copyWithin(0, 3, 5); }, ["replace /words/0", "replace /words/1"]],
  ["a length", (d) => { d.words.length = 4; }, ["remove /words/4", "remove /words/4"]],
  ["no length", (d) => { d.words.length = 0; }, ["replace /words"]],
  ["an index", (d) => { d.words[6] = "seventh"; d.words[0] = "none"; }, ["replace /words/0", "add /words/-"]],
];

test.each(recipes)("%s", (_, recipe, operations) => {
  expect(brief(told(recipe)).sort()).toEqual([...operations].sort());
});

describe("of many items, no more than moved", () => {
  const many = (n: number) => ({ ...initial(), todo: rows(n) });

  test("one in front of 10,000", () => {
    expect(told((d) => { d.todo.unshift(row(-1)); }, many(10_000))).toHaveLength(1);
  });

  test("every other one of 1,000", () => {
    expect(told((d) => { for (let i = 998; i >= 0; i -= 2) d.todo.splice(i, 1); }, many(1_000))).toHaveLength(500);
  });

  test("sorted, all but the longest run that was in order", () => {
    const state = many(1_000);
    for (let i = 0; i < 1_000; i += 10) state.todo[i]!.id = 5_000 + i;
    const patch = told((d) => { d.todo.sort((a, b) => a.id - b.id); }, state);
    expect(patch.length).toBeLessThanOrEqual(100);
    expect(patch.every(({ op }) => op === "move")).toBe(true);
  });

  test("reversed", () => {
    expect(told((d) => { d.todo.reverse(); }, many(100))).toHaveLength(99);
  });

  test("from one array to another, more than are told one by one", () => {
    const state = many(3_000);
    const patch = told((d) => { d.done.push(...d.todo.splice(0)); }, state);
    expect(patch.filter(({ op }) => op === "move").length).toBe(1_000);
    // The rest is gone from the first, which is empty then, and is new in the second.
    expect(patch.length).toBe(1_000 + 1 + 2_000);
  });
});

test("never more operations, nor more text, than without moves", () => {
  // A chain that no move closes: each move would be one operation more.
  expect(brief(told((d) => { d.todo[0] = d.todo[2]!; d.todo[2] = row(77); }))).toEqual(["replace /todo/0", "replace /todo/2"]);
});
