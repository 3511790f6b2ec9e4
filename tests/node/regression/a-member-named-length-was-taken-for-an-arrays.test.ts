import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";
import { refusal } from "../support/refusal.ts";

// An array's length is no place to write to, and an object's member of that name is one like any other.

const given = { length: 1, text: { length: "a", list: [{ length: { n: 1 } }] } };

test.each([["a value", () => new StateTracker<any>(given)], ["a document", () => new StateTracker<any>(StateDocument.parse(JSON.stringify(given)))]])(
  "what is named length grows, in %s",
  (_, made) => {
    const tracker = made();
    tracker.increment("/length", 2);
    tracker.append("/text/length", "b");
    tracker.increment("/text/list/0/length/n");
    expect(tracker.getState()).toEqual({ length: 3, text: { length: "ab", list: [{ length: { n: 2 } }] } });
    expect(tracker.document().toJSON()).toEqual(tracker.getState());
    expect(refusal(() => tracker.increment("/text/list/length"))).toMatchObject({ code: "PATH_NOT_FOUND" });
  },
);
