import { expect, test } from "vitest";
import { applyChangeRequest, filterPatch, mergeWrites, StateTracker } from "patchwire";

// `**` was taken for the name of a member, so that a view with `/**/password` hid nothing, and a counter or a strategy had no effect.

const refused = expect.objectContaining({ code: "INVALID_POINTER", path: "/**/pw" });

test("a pointer with two stars is refused wherever one star stands for any segment", () => {
  expect(() => filterPatch([{ op: "replace", path: "/users/0/pw", value: "SECRET" }], { exclude: ["/**/pw"] })).toThrow(refused);
  expect(() => filterPatch([], { include: ["/**/pw"] })).toThrow(refused);
  expect(() => applyChangeRequest({ users: [{ pw: "s" }] }, { updateElements: {} }, { view: { exclude: ["/**/pw"] } })).toThrow(refused);
  expect(() => new StateTracker({ n: 1 }, { counters: ["/**/pw"] })).toThrow(refused);
  expect(() => new StateTracker({ n: 1 }, { texts: ["/**/pw"] })).toThrow(refused);
  expect(() => mergeWrites({ n: 1 }, [], { strategies: { "/**/pw": "sum" } })).toThrow(refused);
  expect(filterPatch([{ op: "replace", path: "/users/0/pw", value: "SECRET" }], { exclude: ["/*/*/pw"] })).toEqual([]);
});
