import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { refusal } from "../support/refusal.ts";

// What names an item, and in which order members come.

type Any = any;

test("an index that isn't written as one is no item", () => {
  const tracker = new StateTracker<Any>({ list: ["a", "b"] });
  for (const pointer of ["/list/01", "/list/1.0", "/list/length", "/list/"]) expect(refusal(() => tracker.append(pointer, "x")).code, pointer).toBeDefined();
  expect(tracker.getState()).toEqual({ list: ["a", "b"] });
});

test("a member that is put back after a new one comes after it, in what is told as in the state", () => {
  const tracker = new StateTracker<Any>({ a: 1, b: 2 });
  tracker.update((draft) => { delete draft.a; draft.z = 3; draft.a = 4; });
  expect(Object.keys(tracker.getState())).toEqual(["b", "z", "a"]);
  expect(Object.keys(tracker.document().toJSON() as object)).toEqual(["b", "z", "a"]);
});
