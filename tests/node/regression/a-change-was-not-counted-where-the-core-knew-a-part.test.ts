import { beforeEach, expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";
import { failAt, failNow } from "../../support/faults.ts";

// What a change adds to a state's size was not counted where the core was asked about another limit: the core says how large what it has
// looked into is, and of a state that stays in JavaScript that may be little. After some of those a state went past its limit unnoticed.
// A piece of a stream was counted by its characters, not by its bytes.

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

test("pieces of a stream are counted by their bytes", () => {
  const tracker = new StateTracker<any>(StateDocument.parse('{"list":[],"text":"","streamed":[]}', limits), { limits });
  tracker.update((draft) => void (draft.a = { in: [{ in: "x".repeat(26) }] }));
  failNow();
  tracker.append("/text", "é".repeat(684));
  tracker.update((draft) => void (draft.b = [{ in: [{ in: [{ in: [{ in: "x".repeat(247) }] }] }] }]));
  const stream = tracker.stream("/streamed");
  expect(() => {
    for (const piece of `["${"€".repeat(419)}"]`.match(/.{1,200}/gu)!) stream.write(piece);
  }).toThrow(refused);
  expect(sizeOf(tracker)).toBeLessThanOrEqual(limits.document);
});
