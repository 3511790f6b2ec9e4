import { expect, test, vi } from "vitest";
import { StateTracker, type Draft } from "patchwire";
import { Headroom } from "../../../pkg/dist/tracker/headroom.js";

// Whatever a recipe moved was counted as large and as deep as the whole state. So the bound of its size doubled with each
// move, and every few updates the whole state was weighed: 17 ms in one of 19 MB, for two tabs that changed places.

interface Node {
  name: string;
  children: Node[];
}
interface State {
  rows: { id: number; meta: { by: string } }[];
  tabs: { id: number; tags: string[] }[];
  byName: Record<string, object>;
  tree: Node;
}

const node = (name: string, ...children: Node[]): Node => ({ name, children });
const initial = (): State => ({
  rows: Array.from({ length: 2_000 }, (_, id) => ({ id, meta: { by: "x".repeat(20) } })),
  tabs: [1, 2, 3].map((id) => ({ id, tags: ["a"] })),
  byName: { a: { x: 1 }, b: { x: 2 } },
  tree: node("root", node("a", node("b")), node("c")),
});

const moves: Record<string, (draft: Draft<State>) => void> = {
  "two items change places": ({ tabs }) => void ([tabs[0], tabs[1]] = [tabs[1]!, tabs[0]!]),
  "two members change places": ({ byName }) => void ([byName.a, byName.b] = [byName.b!, byName.a!]),
  "a list is rotated": ({ tabs }) => void tabs.push(tabs.shift()!),
  "an item goes to the front": ({ rows }) => void rows.unshift(...rows.splice(1_000, 1)),
  "a list is reversed": ({ rows }) => void rows.reverse(),
  "one of many is spread": (draft) => void (draft.rows = draft.rows.map((row) => (row.id === 7 ? { ...row, id: 7 } : row))),
  "all are spread": (draft) => void (draft.tabs = draft.tabs.map((tab) => ({ ...tab, id: tab.id + 1 }))),
  "a branch goes from one node to another": ({ tree }) => {
    const [a, c] = [tree.children[0]!, tree.children[1]!];
    const [from, to] = a.children.length > 0 ? [a, c] : [c, a];
    to.children.push(from.children.pop()!);
  },
  "a list is rotated many times": ({ tabs }) => {
    for (let i = 0; i < 40; i++) tabs.push(tabs.shift()!);
  },
};

test.each(Object.entries(moves))("%s, 400 times, and no limit seems near", (_, move) => {
  const tracker = new StateTracker(initial(), { limits: { document: JSON.stringify(initial()).length * 10 } });
  const isNear = vi.spyOn(Headroom.prototype, "isNear");
  for (let i = 0; i < 400; i++) tracker.update(move);
  expect(isNear.mock.results.filter(({ value }) => value === true)).toEqual([]);
  isNear.mockRestore();
});

test("what is put where it wasn't moved away from counts as often as it is there", () => {
  const over = (grow: (draft: Draft<{ list: unknown[]; other?: unknown }>) => void): void => {
    const tracker = new StateTracker<{ list: unknown[]; other?: unknown }>({ list: [{ text: "x".repeat(900) }, { text: "y" }] }, { limits: { document: 4_000 } });
    expect(() => tracker.update(grow)).toThrow("LIMIT_EXCEEDED");
  };
  over(({ list }) => void list.push(...list, ...list, ...list, ...list));
  over((draft) => void (draft.list = [...draft.list, ...draft.list, ...draft.list, ...draft.list, ...draft.list]));
  over(({ list }) => void list.push([list[0], list[0]], [list[0], [list[0], list[0]]]));
  over((draft) => {
    draft.other = [draft.list, { list: draft.list }, draft.list];
    draft.list.push("z".repeat(300));
  });
  over((draft) => {
    const first = draft.list[0];
    draft.other = draft.list;
    draft.list = [first, first, { first }, first];
  });
});
