import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";
import { refusal } from "../support/refusal.ts";

// What comes to be in one place more is counted there, whatever it is told as: otherwise a state outgrows its limits before the core is asked.

type Any = any;

const weightOf = (state: unknown): number => Buffer.byteLength(JSON.stringify(state));
const text = "€".repeat(400);
const rows = (count: number): Any[] => Array.from({ length: count }, (_, id) => ({ id, text: "a text of some length" }));
const nested = (depth: number): Any => (depth === 0 ? 0 : { in: nested(depth - 1) });

const doubled: [what: string, state: Any, recipe: (draft: Any, before: Any) => void][] = [
  ["text of three bytes a letter", { a: { text } }, (draft) => { draft.b = draft.a; }],
  ["names of three bytes a letter", { a: { [text]: 0 } }, (draft) => { draft.b = draft.a; }],
  ["a list whose items stay", { a: [{ text }] }, (draft, before) => { draft.b = draft.a; draft.a = [...before.a, 1]; }],
  ["a list of which one item was read and the others stay", { a: [{ id: 1 }, { text }] }, (draft, before) => { const first = draft.a[0]; draft.b = draft.a; draft.a = [first, before.a[1], 1]; }],
  ["a member that stays", { a: { child: { text } } }, (draft, before) => { draft.b = draft.a; draft.a = { ...before.a, n: 1 }; }],
  ["a new object of long names", { a: text }, (draft) => { draft.b = { [text]: 0 }; }],
];

test.each(doubled)("a limit holds for %s", (_, state, recipe) => {
  const after = structuredClone(state);
  recipe(after, structuredClone(state));
  const most = weightOf(after) - 100;
  const tracker = new StateTracker<Any>(state, { limits: { document: most } });
  const before = tracker.getState();
  expect(refusal(() => tracker.update((draft: Any) => { recipe(draft, before); })).code).toBe("LIMIT_EXCEEDED");
  expect(tracker.getState()).toBe(before);
});

test("a limit holds for a long list that nobody has read", () => {
  const state = { a: rows(3_000) };
  const tracker = new StateTracker<Any>(StateDocument.parse(JSON.stringify(state)), { limits: { document: 1.5 * weightOf(state) } });
  expect(refusal(() => tracker.update((draft) => { draft.b = draft.a; })).code).toBe("LIMIT_EXCEEDED");
});

test("a list that is too long to look at is as deep as what came into it", () => {
  const tracker = new StateTracker<Any>({ a: rows(1_100), b: {} }, { limits: { depth: 8 } });
  expect(refusal(() => tracker.update((draft) => { draft.a.push(nested(5)); draft.b = { in: { it: draft.a } }; })).code).toBe("LIMIT_EXCEEDED");
});
