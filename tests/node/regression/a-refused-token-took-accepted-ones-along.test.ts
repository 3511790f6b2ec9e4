import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// A token that was added to the record of the one before had no record of its own to take back when it was over the
// document's limit: the record went, with all tokens in it, and the core never heard of them.

test.each([1, 3, 4, 7, 50])("tokens of %i characters up to the document's limit", (length) => {
  const tracker = new StateTracker({ text: "" }, { limits: { document: 1_000 } });
  const token = "x".repeat(length);
  expect(() => {
    for (;;) tracker.append("/text", token);
  }).toThrow("LIMIT_EXCEEDED");
  const { text } = tracker.getState();
  expect(text.length).toBeGreaterThan(900);
  expect(tracker.document().toJSON()).toEqual({ text });
  expect(tracker.getRFC6902Patches()).toEqual([{ op: "replace", path: "/text", value: text }]);
});
