import { expect, test } from "vitest";
import { applyPatch, diff, mergeBranches, mergeWrites, StateDocument, StateTracker } from "patchwire";
import { refusal } from "../support/refusal.ts";

// It was copied before anything was looked at, and there is no memory for that. What holds another value many times over wasn't
// measured on its way in, unless a recipe brought it.

type Any = any;

const begun = (length: number): unknown[] => Object.assign([1], { length });

test.each<[name: string, recipe: (draft: Any) => void, code: string, path: string]>([
  ["set", (draft) => void (draft.v = new Array(4_294_967_295)), "NOT_JSON", "/v/0"],
  ["pushed", (draft) => draft.list.push(new Array(1e9)), "NOT_JSON", "/list/0/0"],
  ["in a value", (draft) => void (draft.v = { rows: [new Array(1e9)] }), "NOT_JSON", "/v/rows/0/0"],
  ["with an item", (draft) => void (draft.v = begun(1e9)), "LIMIT_EXCEEDED", "/v"],
])("such an array is refused: %s", (_, recipe, code, path) => {
  const tracker = new StateTracker<Any>({ list: [] });
  const before = tracker.getState();
  const error = refusal(() => tracker.update(recipe));
  expect([error.code, error.path, tracker.getState()]).toEqual([code, path, before]);
});

test.each([false, true])("a state that holds a value many times over is refused, own: %s", (own) => {
  let value: unknown = [1];
  for (let i = 0; i < 40; i++) value = [value, value];
  const error = refusal(() => new StateTracker({ value }, { own, limits: { document: 100_000 } }));
  expect([error.code, error.path]).toEqual(["LIMIT_EXCEEDED", "/value"]);
});

test("members that are undefined don't count", () => {
  const state = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`member ${i}`, i === 500 ? 1 : undefined]));
  expect(new StateTracker(state, { limits: { document: 100 } }).getState()).toEqual({ "member 500": 1 });
});

test.each<[path: string, make: () => Any]>([
  ["/q/a/b/0/c", () => { const o: Any = { a: { b: [{}] } }; o.a.b[0].c = o.a; return o; }],
  ["/q/y/z", () => { const two: Any = { x: 1 }; two.y = { z: two }; return two; }],
  ["/q/a/b/c/d", () => { const three: Any = { a: { b: { c: {} } } }; three.a.b.c.d = three.a; return three; }],
  ["/q/me", () => { const it: Any = {}; it.me = it; return it; }],
])("a cycle is refused where what is around it is met again: %s", (path, make) => {
  const error = refusal(() => new StateTracker<Any>({}).update((draft) => void (draft.q = make())));
  expect([error.code, error.path]).toEqual(["NOT_JSON", path]);
});

// Functions on plain values counted its items one by one, of a billion for minutes.
const long = (): Any => ({ a: new Array(4_294_967_295) });

test.each<[name: string, call: () => void]>([
  ["a branch that is merged", () => mergeBranches<Any>({ a: 1 }, [long()])],
  ["what is compared with a list", () => diff({ a: [1] }, long())],
  ["a list that is compared", () => diff(long(), { a: [1] })],
  ["the value of an operation", () => applyPatch<Any>({ b: 1 }, [{ op: "add", path: "/c", value: long() }])],
  ["a state that is patched", () => applyPatch(long(), [{ op: "add", path: "/a/0", value: 1 }])],
  ["the value of a write", () => mergeWrites<Any>({ a: 1 }, [{ ops: [{ kind: "replace", key: "a", path: "/a", value: long() }], warnings: [] }])],
  ["a new tracker's state", () => new StateTracker(long())],
  ["a patch that comes in", () => new StateTracker<Any>({}).apply([{ op: "add", path: "/c", value: long() }])],
  ["a document's patch", () => StateDocument.parse("{}").apply([{ op: "add", path: "/c", value: long() }])],
])("%s is refused at once", (_, call) => {
  expect(refusal(call).code).toBe("NOT_JSON");
});
