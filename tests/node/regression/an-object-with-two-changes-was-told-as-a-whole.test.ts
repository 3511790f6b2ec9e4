import { expect, test } from "vitest";
import { StateTracker, type Draft } from "patchwire";

// An object that took another one's place, with two changed members or more, was told as a whole unless those members were short
// altogether: they were counted as long as they are, and not as what is told of them.

interface Column {
  title: string;
  cards: { id: string; text: string }[];
}
interface State {
  columns: Record<string, Column>;
}

const initial = (): State => ({
  columns: Object.fromEntries(["a", "b", "c"].map((name) => [name, { title: name, cards: Array.from({ length: 9 }, (_, i) => ({ id: name + i, text: "y".repeat(80) })) }])),
});
const told = (recipe: (draft: Draft<State>) => void): unknown => {
  const tracker = new StateTracker<State>(initial(), { arrayDeltaMode: "precise" });
  tracker.update(recipe);
  return tracker.getRFC6902Patches();
};
const titles = (...names: string[]): unknown[] => names.map((name) => ({ op: "replace", path: `/columns/${name}/title`, value: "new" }));

test("members that are spread", () => {
  const spread = ({ columns }: Draft<State>): object => ({ a: { ...columns.a, title: "new" }, b: { ...columns.b, title: "new" }, c: columns.c });
  expect(told((draft) => void (draft.columns = spread(draft) as State["columns"]))).toEqual(titles("a", "b"));
});

test("all members, made anew from their entries", () => {
  const renamed = ({ columns }: Draft<State>): State["columns"] => Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, { ...column, title: "new" }]));
  expect(told((draft) => void (draft.columns = renamed(draft)))).toEqual(titles("a", "b", "c"));
});

test("changes of other kinds, deep inside", () => {
  const rebuilt = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rebuilt);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, name === "id" && item === "b3" ? "other" : rebuilt(item)]));
  };
  expect(
    told((draft) => {
      const columns = rebuilt(JSON.parse(JSON.stringify(draft.columns))) as State["columns"];
      columns.c!.cards.splice(2, 1);
      draft.columns = columns;
    }),
  ).toEqual([{ op: "replace", path: "/columns/b/cards/3/id", value: "other" }, { op: "remove", path: "/columns/c/cards/2" }]);
});

test("what is shorter as a whole is told so", () => {
  const tracker = new StateTracker({ at: { x: 1, y: 2 } });
  tracker.update((draft) => void (draft.at = { x: 3, y: 4 }));
  expect(tracker.getRFC6902Patches()).toEqual([{ op: "replace", path: "/at", value: { x: 3, y: 4 } }]);
});
