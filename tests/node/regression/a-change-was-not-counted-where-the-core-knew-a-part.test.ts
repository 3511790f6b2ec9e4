import { beforeEach, expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { failAt, failNow } from "../../support/faults.ts";

// What a change adds to a state's size was not counted where the core was asked about another limit: the core says how large what it has
// looked into is, and of a state that stays in JavaScript that may be little. After some of those a state went past its limit unnoticed.
// A piece of a stream was counted by its characters, not by its bytes, and without what it opens.

const limits = { document: 3_000, string: 1_500 };

beforeEach(() => failAt(Infinity));

const refused = expect.objectContaining({ code: "LIMIT_EXCEEDED" });
const sizeOf = (tracker: StateTracker<any>): number => Buffer.byteLength(JSON.stringify(tracker.getState()));

test.each([true, false])("long strings are counted by a tracker whose core was lost: %s", (isLost) => {
  const tracker = new StateTracker<any>({ list: [], text: "" }, { limits });
  tracker.update((draft) => void draft.list.push("x".repeat(501)));
  if (isLost) failNow();
  tracker.append("/text", "é".repeat(607));
  expect(() => tracker.update((draft) => void (draft.b = "€".repeat(440)))).toThrow(refused);
  expect(sizeOf(tracker)).toBeLessThanOrEqual(limits.document);
});

test.each([
  ["their bytes", `["${"€".repeat(180)}`, 2_500],
  ["what they open", "[".repeat(150), 2_750],
])("pieces of a stream are counted by %s", (_, piece, length) => {
  const tracker = new StateTracker<any>({ streamed: [] }, { limits });
  for (const one of ["x".repeat(1_400), "x".repeat(length - 1_450)]) tracker.update((draft) => void (draft[one.length] = one));
  failNow();
  const stream = tracker.stream("/streamed");
  expect(() => stream.write(piece)).toThrow(refused);
  expect(sizeOf(tracker)).toBeLessThanOrEqual(limits.document);
});
