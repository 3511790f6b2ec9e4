import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { onTracker, type WayIn } from "../support/ways-in.ts";
import type { Json } from "../support/program.ts";

// The core knows by their places in memory which values changed places, and doesn't compare those with what was there before. A value that stays
// in JavaScript had another place once somebody had looked into it. So the list that had changed places was compared after all, where the
// comparison before had opened it, and a move was told of an item whose old and new list are both told as a whole.

const start = (): Json => ({ list: [[false], "x".repeat(90), "y".repeat(90), [null, "", {}]] });
const patch = [{ op: "replace", path: "/list/0", value: [null, "", {}, false] }, { op: "replace", path: "/list/3", value: [false] }];

test.each<WayIn>([{ kind: "value" }, { kind: "document", small: 0 }, { kind: "document", small: 4096 }])("%o", (way) => {
  onTracker(way, start(), { arrayDeltaMode: "precise" }, (tracker: StateTracker<any>) => {
    tracker.update(({ list }) => {
      list[3].push(false);
      [list[0], list[3]] = [list[3], list[0]];
    });
    expect(tracker.getRFC6902Patches()).toEqual(patch);
  });
});
