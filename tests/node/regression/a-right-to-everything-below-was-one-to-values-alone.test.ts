import { expect, test } from "vitest";
import { applyChangeRequest, changeRequestSchema } from "patchwire";
import { PayloadManager } from "patchwire/memberjunction";

// `**` at the end of a rule granted each place below by itself, but not a place with what is in it: an object couldn't be deleted
// or replaced, though nothing in it was out of reach.

test.each([["**", "research.**"], ["**:delete", "research.**:delete,add"], ["research.**.*"]])("an object may be deleted by %s", (...rules) => {
  for (const rule of rules) {
    const { result, blocked } = applyChangeRequest({ research: { web: { a: 1 } }, b: 1 }, { removeElements: { research: { web: "__DELETE__" } } }, { allow: [rule] });
    expect([result, blocked]).toEqual([{ research: {}, b: 1 }, []]);
  }
});

test("it covers the place itself and what is below, and nothing beside it", () => {
  const request = { updateElements: { research: 5, budget: 9 } };
  const { result, blockedOperations } = new PayloadManager().applyAgentChangeRequest({ research: { web: [1] }, budget: 1 }, request, { allowedPaths: ["research.**:update"] });
  expect(result).toEqual({ research: 5, budget: 1 });
  expect(blockedOperations.map(({ path }) => path)).toEqual(["budget"]);
  const state = { research: { id: 1, web: { id: 2 } } };
  const one = applyChangeRequest(state, { updateElements: { research: { id: 3, web: { id: { deep: 4 } } } } }, { allow: ["**.id:update"] });
  expect(one.result).toEqual({ research: { id: 3, web: { id: 2 } } });
  expect(changeRequestSchema(undefined, { state, allow: ["**"] })).toEqual(changeRequestSchema(undefined, { state, allow: ["*"] }));
});
