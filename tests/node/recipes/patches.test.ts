import { describe, expect, test } from "vitest";
import { applyPatch, compact, diff, StateDocument, StateTracker } from "patchwire";
import { expectToLead } from "../support/libraries.ts";
import { refusal } from "../support/refusal.ts";

// What changes are told as. Issue 9, section 9.

type Any = any;

const rows = (): Any => ({ rows: Array.from({ length: 1_000 }, (_, id) => ({ id, text: `row ${id}` })), other: { big: "x".repeat(5_000) } });

describe("never longer in bytes than the replace of the smallest container around it", () => {
  const changes: [name: string, recipe: (d: Any) => void][] = [
    ["length = 0", (d) => { d.rows.length = 0; }], ["splice of all but one", (d) => { d.rows.splice(1); }], ["all but a few, here and there", (d) => { d.rows = d.rows.filter((x: Any) => x.id % 300 === 0); }],
    ["popped one by one", (d) => { while (d.rows.length > 1) d.rows.pop(); }], ["shifted one by one", (d) => { while (d.rows.length > 1) d.rows.shift(); }],
    ["every member of many replaced by little", (d) => { d.rows.forEach((_: Any, i: number) => { d.rows[i] = 1; }); }], ["reversed", (d) => { d.rows = d.rows.map((x: Any) => x.id).reverse(); }],
  ];
  test.each(changes)("%s", (_, recipe) => {
    const tracker = new StateTracker<Any>(rows(), { arrayDeltaMode: "precise" });
    tracker.update((d) => { recipe(d); });
    const state = tracker.getState();
    const replace = JSON.stringify([{ op: "replace", path: "/rows", value: state.rows }]).length;
    expect(tracker.getPatchText().length).toBeLessThanOrEqual(replace);
    expect(JSON.stringify(diff(rows(), state)).length).toBeLessThanOrEqual(replace);
    expect(applyPatch(rows(), tracker.getRFC6902Patches())).toEqual(state);
    expect(applyPatch(rows(), diff(rows(), state))).toEqual(state);
  });
});

// What takes the 1,000 removals back is 1,000 insertions, 66 KB, where one replacement is 33 KB (the core's inverse patch).
test("what takes it back is no longer either", () => {
  const tracker = new StateTracker<Any>(rows(), { arrayDeltaMode: "precise" });
  tracker.update((d) => { d.rows.length = 0; });
  const replace = JSON.stringify([{ op: "replace", path: "/rows", value: rows().rows }]).length;
  expect(JSON.stringify(tracker.getInversePatches()).length).toBeLessThanOrEqual(replace);
});

test("pointers with lone surrogates find their members", () => {
  const name = "a\ud800b";
  const tracker = new StateTracker<Any>({ [name]: { t: "x", n: 1, ["\udc00"]: "y" }, ["a\ufffdb"]: { t: "not this", n: 0 } });
  tracker.append(`/${name}/t`, "z");
  tracker.increment(`/${name}/n`, 4);
  tracker.append(`/${name}/\udc00`, "!");
  const stream = tracker.stream(`/${name}/s`);
  stream.write('"st"');
  stream.end();
  tracker.apply([{ op: "add", path: `/${name}/new`, value: 1 }]);
  const expected = { [name]: { t: "xz", n: 5, ["\udc00"]: "y!", s: "st", new: 1 }, ["a\ufffdb"]: { t: "not this", n: 0 } };
  expect(tracker.getState()).toEqual(expected);
  expect(tracker.document().get(`/${name}/t`)).toBe("xz");
  expect(StateDocument.parse(JSON.stringify(expected)).get(`/${name}/\udc00`)).toBe("y!");
});

describe("standard patches apply in other libraries too", () => {
  test.each<[string, Any, (d: Any) => void]>([
    ["into an item behind it", [0, 1, {}, { n: 1 }], (d) => { const [x] = d.splice(1, 1); d[1].n = x; }],
    ["a container into one behind it", { l: [{ a: [1, 2, 3, 4, 5, 6, 7, 8, 9] }, { b: 1 }, { into: {} }] }, (d) => { const x = d.l.shift(); d.l[1].into.x = x; }],
    ["into a list in an item behind it", { l: [{ a: "long enough to be worth a move" }, { list: [] }] }, (d) => { d.l[1].list.push(d.l.shift()); }],
    ["within the list", { l: [1, 2, 3, { a: "long enough to be worth a move" }] }, (d) => { d.l.unshift(d.l.pop()); }],
    ["out of it", { l: [{ a: "long enough to be worth a move" }, 1] }, (d) => { d.out = d.l.shift(); }],
  ])("a move %s", (_, start, recipe) => {
    for (const options of [{ arrayDeltaMode: "precise" as const }, {}]) {
      const tracker = new StateTracker<Any>(start, options);
      tracker.update((d) => { recipe(d); });
      const state = tracker.getState();
      const patch = tracker.getRFC6902Patches();
      expectToLead(start, patch, state);
      expectToLead(state, tracker.getInversePatches(), start);
      expectToLead(start, diff(start, state), state);
    }
  });
});

test("add then remove of a member compacts to nothing where that is certain", () => {
  // Of the first `add` alone nobody knows whether something was there before: a `test` or the operations before it say so.
  const known = [{ op: "remove" as const, path: "/a" }, { op: "add" as const, path: "/a", value: 1 }, { op: "remove" as const, path: "/a" }];
  expect(compact([known])).toEqual([{ op: "remove", path: "/a" }]);
  const made = [{ op: "add" as const, path: "/o", value: {} }, { op: "add" as const, path: "/o/a", value: 1 }, { op: "remove" as const, path: "/o/a" }];
  expect(compact([made])).toEqual([{ op: "add", path: "/o", value: {} }]);
});

test("INVALID_PATCH names the path where there is one", () => {
  for (const operation of [{ op: "add", path: "/a" }, { op: "spam", path: "/a" }, { op: "move", path: "/a" }, { op: "move", from: 5, path: "/a" }, { op: "str_ins", path: "/a", pos: "x", str: "y" }, { op: "inc", path: "/a" }, { op: "move", from: "/a", path: "/a/b" }]) {
    expect(refusal(() => applyPatch({ a: {} }, [operation] as never))).toMatchObject({ code: "INVALID_PATCH", opIndex: 0, path: operation.path });
  }
});

describe("the default of arrayDeltaMode", () => {
  const items = (options: object): Any => {
    const tracker = new StateTracker<Any>({ list: [1, 2, 3, 4].map((n) => `item number ${n}`) }, options);
    tracker.update((d) => { d.list[1] = "other"; });
    return tracker.getRFC6902Patches();
  };
  test("is 'precise'", () => {
    expect(items({})).toEqual([{ op: "replace", path: "/list/1", value: "other" }]);
  });
  test("is `false` where the seeds' contract is offered", () => {
    expect(items({ granularity: "key" })).toEqual([{ op: "replace", path: "/list", value: ["item number 1", "other", "item number 3", "item number 4"] }]);
  });
});
