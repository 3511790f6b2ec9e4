import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { refusal } from "../support/refusal.ts";

// The shim held changes against the limits as they were given: one that was `undefined` was no limit there, and the core, for which it was the
// default, refused what had been taken, at every read.

const nested = (levels: number): unknown => Array.from({ length: levels }).reduce((value) => [value], 1);

test("a limit that is undefined is the default", () => {
  const limits = { document: undefined, depth: undefined, string: undefined, path: undefined, operations: undefined } as never;
  const tracker = new StateTracker<any>({ list: [] }, { limits });
  tracker.resetTracking();
  const said = refusal(() => tracker.update((draft) => void (draft.deep = nested(600))));
  expect([said.code, said.message]).toEqual(["LIMIT_EXCEEDED", expect.stringContaining("limits.depth")]);
  expect(refusal(() => tracker.update((draft) => void (draft.long = "x".repeat(17 << 20)))).code).toBe("LIMIT_EXCEEDED");
  tracker.update((draft) => void draft.list.push(1));
  expect(tracker.getRFC6902Patches()).toEqual([{ op: "add", path: "/list/-", value: 1 }]);
});
