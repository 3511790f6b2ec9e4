import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";

// Of a large object over a document, members are asked for by their names, and a lone surrogate in one was asked for as U+FFFD: a draft didn't have
// it, and `append` and `increment`, which took the core's word for what was there, did nothing and said nothing.

const members = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`member${i}`, i]));
const over = () => new StateTracker<Record<string, unknown>>(StateDocument.parse(JSON.stringify({ ...members, "\ud800x": "a", "\udc00": 1, "\ud83d\ude00": 2 })) as never);

test("a draft has it", () => {
  const tracker = over();
  tracker.update((draft) => {
    expect(draft["\ud800x"]).toBe("a");
    expect("\udc00" in draft).toBe(true);
    expect(draft["\ud83d\ude00"]).toBe(2);
    expect("\ufffdx" in draft).toBe(false);
    draft["\ud800x"] = "b";
    delete draft["\udc00"];
  });
  expect(tracker.getRFC6902Patches()).toEqual([{ op: "replace", path: "/\ud800x", value: "b" }, { op: "remove", path: "/\udc00" }]);
});

test("it can be added to", () => {
  const tracker = over();
  tracker.append("/\ud800x", "b");
  tracker.increment("/\udc00");
  expect(tracker.getState()).toMatchObject({ "\ud800x": "ab", "\udc00": 2 });
});
