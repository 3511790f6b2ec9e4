import { expect, test } from "vitest";
import { StateTracker } from "patchwire";

// What was taken in was remembered until the next recipe, so touching its copy without one (a patch, an addition)
// caught up with what the caller had done to its own object since.

test.each([
  ["a patch", (tracker: StateTracker<any>) => void tracker.apply([{ op: "replace", path: "/mine/text", value: "b" }])],
  ["an addition to a string", (tracker: StateTracker<any>) => tracker.append("/mine/text", "b")],
  ["an addition to a number", (tracker: StateTracker<any>) => tracker.increment("/mine/n")],
])("%s", (_, touch) => {
  const mine: any = { text: "a", n: 1, list: [] };
  const tracker = new StateTracker<any>({});
  tracker.update((draft) => { draft.mine = mine; });
  mine.list.push("later");
  mine.late = true;
  touch(tracker);
  expect(Object.keys(tracker.getState().mine)).toEqual(["text", "n", "list"]);
  expect(tracker.getState().mine.list).toEqual([]);
  expect(tracker.document().toJSON()).toEqual(tracker.getState());
});
