import { expect, test } from "vitest";
import { StateTracker, type JSONPatchOperation } from "patchwire";

// A patch or increment that left everything as it was counted as a step to undo, and what had been undone couldn't be done again.

const idle: [string, (tracker: StateTracker<any>) => void][] = (
  [
    ["an equal value", [{ op: "replace", path: "/a", value: 1 }]],
    ["an equal container", [{ op: "replace", path: "/list", value: [1, { b: 2 }] }]],
    ["an addition and its removal", [{ op: "add", path: "/new", value: 1 }, { op: "remove", path: "/new" }]],
    ["a move there and back", [{ op: "move", from: "/list/0", path: "/x" }, { op: "move", from: "/x", path: "/list/0" }]],
    ["no text", [{ op: "str_ins", path: "/text", pos: 0, str: "" }]],
    ["a test", [{ op: "test", path: "/a", value: 1 }]],
  ] as [string, JSONPatchOperation[]][]
).map(([name, patch]) => [name, (tracker) => tracker.apply(patch)]);

const initial = { a: 1, list: [1, { b: 2 }], text: "t" };

test.each([...idle, ["an increment by nothing", (tracker) => tracker.increment("/a", 0)] as (typeof idle)[0]])("%s is no step", (_, run) => {
  const tracker = new StateTracker<any>(initial);
  run(tracker);
  expect(tracker.undo()).toBe(false);
  tracker.update((draft) => void (draft.a = 2));
  tracker.undo();
  run(tracker);
  expect(tracker.redo()).toBe(true);
  expect(tracker.getState()).toEqual({ ...initial, a: 2 });
  expect(tracker.undo()).toBe(true);
  expect(tracker.getState()).toEqual(initial);
  expect(tracker.undo()).toBe(false);
});
