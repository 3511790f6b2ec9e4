import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// An array that has less text than what is told of its items is told as a whole. The shim knows this without the core where it can
// measure both (`Telling` in pkg/src/tracker/telling.ts): at each length of what stays, it says the same as the core does.

type Any = any;

const row = (content: string, i: number): Any => ({ id: i, done: false, content });
const task = (content: string, depth: number): Any => ({ content, done: false, tags: ["a"], children: depth === 0 ? [] : [0, 1, 2].map(() => task(content, depth - 1)) });
const toggle = (task: Any): void => {
  task.done = !task.done;
  task.children.forEach(toggle);
};
const list = (content: string): Any => ({ list: [0, 1, 2].map((i) => row(content, i)), n: 0 });

type Case = [what: string, start: (content: string) => Any, recipe: (draft: Any) => void];

const cases: Case[] = [
  ["each item edited", list, (draft) => draft.list.forEach((one: Any) => { one.done = true; })],
  ["each item edited, and what is outside", list, (draft) => { draft.n++; draft.list.forEach((one: Any) => { one.done = true; }); }],
  ["one item edited twice", list, (draft) => Object.assign(draft.list[1], { done: true, id: 7 })],
  ["one item edited once", list, (draft) => { draft.list[1].done = true; }],
  ["a member removed", list, (draft) => { delete draft.list[2].done; }],
  ["a member added and another removed", list, (draft) => { delete draft.list[0].done; draft.list[1].more = 1.5; }],
  ["an item taken out, another edited", list, (draft) => { draft.list.splice(1, 1); draft.list[0].done = true; }],
  ["items taken out", list, (draft) => { draft.list.splice(0, 2); draft.n++; }],
  ["items that came to the end", list, (draft) => { draft.list.push(1, { id: 9 }); draft.n++; }],
  ["items that came to the beginning", list, (draft) => { draft.list.unshift("first", [{}]); draft.n++; }],
  ["containers that came", list, (draft) => draft.list.forEach((one: Any) => { one.more = { list: [1, "two"], id: null }; })],
  ["texts that came", list, (draft) => draft.list.forEach((one: Any) => { one.done = "a text of é, 字, 😀 and \"quotes\""; })],
  ["long texts that came", list, (draft) => draft.list.forEach((one: Any) => { one.done = "a longer text that might have grown ".repeat(2); })],
  ["long texts that took others' place", list, (draft) => draft.list.forEach((one: Any) => { one.content = "another text that is long enough to be told as growth"; })],
  ["long texts that grew", (content) => ({ list: [0, 1].map((i) => ({ i, text: "r".repeat(300), more: content })) }), (draft) => draft.list.forEach((one: Any) => { one.text += "s"; })],
  ["long texts that grew by much, beside others", (content) => ({ list: [0, 1].map((i) => ({ i, text: "r".repeat(300), more: content })) }), (draft) => draft.list.forEach((one: Any, i: number) => { one.i = 5; one.text = `${one.text.slice(0, 100)}${"s".repeat(400 * i)}${one.text.slice(100)}`; })],
  ["long texts that grew at both ends", (content) => ({ list: [0, 1].map((i) => ({ i, text: "r".repeat(300), more: content })) }), (draft) => draft.list.forEach((one: Any) => { one.text = `a${one.text}z`; })],
  ["items of which one has a text", (content) => ({ list: [{ a: 1 }, { a: 2, content }, { a: 3 }] }), (draft) => draft.list.forEach((one: Any) => { one.a = 4; })],
  ["fractions", list, (draft) => draft.list.forEach((one: Any, i: number) => { one.done = i / 7; })],
  ["zeros", list, (draft) => draft.list.forEach((one: Any) => { one.done = -0; })],
  ["tasks in tasks", (content) => task(content, 3), toggle],
  ["tasks in tasks, of which the last one has another title", (content) => ({ root: task(content, 2) }), (draft) => { toggle(draft.root); draft.root.children[2].content = "other"; }],
  ["one list in a list, both edited", (content) => [[{ id: 1, content }, { id: 2 }], { id: 3, content }], (draft) => { draft[0][0].id = 10; draft[0][1].id = 20; draft[1].id = 30; }],
  ["a list told as a whole in another list", (content) => [{ "~~~~~~~~~~~~": [content, "b", "c"] }], (draft) => { draft[0]["~~~~~~~~~~~~"].splice(1, 1); draft[0]["~~~~~~~~~~~~"].push("d"); }],
  ["an item taken out of a list in another list", (content) => [{ "~~~~~~~~~~~~": ["a", content] }], (draft) => { draft[0]["~~~~~~~~~~~~"].pop(); }],
  ["names with escapes", (content) => ({ "a/b~\"é": [{ "x/y": 1, content }, { "\n": 1 }] }), (draft) => { draft["a/b~\"é"][0]["x/y"] = 2; draft["a/b~\"é"][1]["\n"] = 2; }],
  ["many items, with indexes of several digits", (content) => ({ list: Array.from({ length: 120 }, (_, i) => ({ i, content: content.slice(20) })) }), (draft) => draft.list.forEach((one: Any) => { one.i++; })],
  ["a matrix", (content) => ({ rows: [[1, 2, 3], [4, 5, 6, content]] }), (draft) => draft.rows.forEach((one: Any) => { one[0] = 0.5; one[1] = -1e21; })],
  ["integers as names that came", (content) => ({ list: [{ a: 1, content }, { b: 1 }] }), (draft) => draft.list.forEach((one: Any) => { one[12] = 1; })],
  ["an object that took another one's place, in a list", (content) => ({ list: [{ at: { x: 1, y: 2, z: content } }, { at: null }] }), (draft) => { draft.list[0].at = { ...draft.list[0].at, x: 5 }; draft.list[1].at = 5; }],
];

const texts = ["r", "é", "\"", "\ud83d"];

test.each(cases)("what is told is the shortest, as by the core, at every length of what stays: %s", (_, start, recipe) => {
  for (const extended of [false, true]) {
    const dialect = extended ? "extended" : "rfc6902";
    for (const arrayDeltaMode of ["precise", true] as const) {
      for (let length = 0; length < 160; length++) {
        // Now and then characters that take more bytes than one.
        const content = texts[length % 40 === 0 ? (length / 40) : 0]!.repeat(length);
        const [tracker, twin] = [0, 1].map(() => new StateTracker<Any>(start(content), { arrayDeltaMode })) as [StateTracker<Any>, StateTracker<Any>];
        for (const one of [tracker, twin]) one.update(recipe);
        // A twin whose document was asked for has told the core all.
        twin.document().free();
        expect(tracker.getPatchText({ dialect })).toBe(twin.getPatchText({ dialect }));
      }
    }
  }
});
