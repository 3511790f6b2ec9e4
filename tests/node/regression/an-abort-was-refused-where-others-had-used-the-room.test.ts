import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// A stream that is aborted puts back what was there. Where that made the state larger than its limit, the stream was gone and half a value stayed.

test("what was there is put back, and the state may shrink from there", () => {
  const tracker = new StateTracker({ a: "0123456789", b: [] as string[] }, { limits: { document: 60 } });
  const stream = tracker.stream("/a");
  stream.write('"q');
  tracker.update((draft) => void draft.b.push("x".repeat(38)));
  stream.abort();
  expect(tracker.getState()).toEqual({ a: "0123456789", b: ["x".repeat(38)] });
  const refused = expect.objectContaining({ code: "LIMIT_EXCEEDED" });
  expect(() => tracker.update((draft) => void draft.b.push("y"))).toThrow(refused);
  tracker.update((draft) => void (draft.b[0] = "x".repeat(37)));
  tracker.update((draft) => void (draft.b = []));
  expect(tracker.getState()).toEqual({ a: "0123456789", b: [] });
  expect(() => tracker.update((draft) => void draft.b.push("x".repeat(38)))).toThrow(refused);
});
