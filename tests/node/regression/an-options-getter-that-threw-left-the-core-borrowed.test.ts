import { expect, test } from "vitest";
import { applyPatch, StateDocument, StateTracker, type Limits } from "patchwire";

// Options were read by the core itself: an exception from a getter passed through its frames, and what these had
// borrowed stayed borrowed. From then on every call of everybody failed.

const limits = {
  get depth(): number {
    throw new Error("mine");
  },
} as Limits;

const entered = {
  get depth(): number {
    return StateDocument.parse("[[8]]").get("/0/0") as number;
  },
} as Limits;

test.each([
  ["a document's", (limits: Limits) => StateDocument.parse("{}", limits).toJSON()],
  ["a tracker's", (limits: Limits) => new StateTracker({}, { limits, texts: [] }).document().toJSON()],
  ["a function's", (limits: Limits) => applyPatch({}, [], { limits })],
])("%s options may run anything", (_, use) => {
  expect(() => use(limits)).toThrow("mine");
  expect(use(entered)).toEqual({});
  expect(StateDocument.parse("[1]").toJSON()).toEqual([1]);
});
