import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";

// Additions weren't held against `limits.path`. And what was over a limit in a document that had been read within wider ones could be
// moved and copied: the core refused that when it was asked, and went on refusing.

type Any = any;

const refused = expect.objectContaining({ code: "LIMIT_EXCEEDED" });

function isWell(tracker: StateTracker<Any>, state: Any): void {
  expect(tracker.getState()).toEqual(state);
  expect(tracker.getPatchText()).toBe("[]");
  expect(tracker.getStepWrites().ops).toEqual([]);
  expect(tracker.undo()).toBe(false);
}

test("a pointer of an addition has a limit", () => {
  const state = { a: { b: { n: 1, text: "t" } } };
  const tracker = new StateTracker<Any>(state, { limits: { path: 2 } });
  expect(() => tracker.increment("/a/b/n")).toThrow(refused);
  expect(() => tracker.append("/a/b/text", "more")).toThrow(refused);
  isWell(tracker, state);
  const allowed = new StateTracker<Any>(state, { limits: { path: 3 } });
  allowed.increment("/a/b/n");
  allowed.append("/a/b/text", "more");
  expect(allowed.getPatchText()).toBe('[{"op":"replace","path":"/a/b/n","value":2},{"op":"replace","path":"/a/b/text","value":"tmore"}]');
});

test.each<[string, string, object, (draft: Any) => void]>([
  ["a value that nests too deep is moved", '{"a":{"b":{"c":{}}}}', { depth: 3 }, (draft) => { draft.x = draft.a; delete draft.a; }],
  ["such an item is moved", '{"l":[{"c":{}},1]}', { depth: 2 }, (draft) => { draft.l.push(draft.l.shift()); }],
  ["a long string is copied with its object", `{"l":[{"s":"${"x".repeat(31)}"}]}`, { string: 30 }, (draft) => { draft.l = draft.l.map((item: Any) => ({ ...item, n: 1 })); }],
  ["an object with a long string is spread", `{"a":{"s":"${"x".repeat(31)}"}}`, { string: 30 }, (draft) => { draft.a = { ...draft.a, n: 1 }; }],
])("%s", (_, text, limits, recipe) => {
  const tracker = new StateTracker<Any>(StateDocument.parse(text), { limits });
  try {
    tracker.update(recipe);
  } catch (error) {
    expect(error).toEqual(refused);
    return isWell(tracker, JSON.parse(text));
  }
  const plain = JSON.parse(text);
  recipe(plain);
  expect(tracker.getState()).toEqual(plain);
  expect(tracker.document().toJSON()).toEqual(plain);
  expect(tracker.undo()).toBe(true);
  expect(tracker.getState()).toEqual(JSON.parse(text));
});

test("what is over a limit may shrink, and the rest may change", () => {
  const tracker = new StateTracker<Any>(StateDocument.parse('{"a":{"b":{"c":{}}},"n":1}'), { limits: { depth: 3 } });
  tracker.update((draft) => void draft.n++);
  tracker.update((draft) => void delete draft.a.b.c);
  expect(tracker.document().toJSON()).toEqual({ a: { b: {} }, n: 2 });
});
