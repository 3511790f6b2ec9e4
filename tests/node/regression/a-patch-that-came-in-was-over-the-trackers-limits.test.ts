import { expect, test } from "vitest";
import { StateTracker, type JSONPatchOperation } from "patchwire";
import { refusal } from "../support/refusal.ts";

// What is carried out without the core was held to bounds of its own, 64 operations and 200 segments: a tracker with a lower
// `limits.operations` or `limits.path` took patches that it refuses when the core is asked.

const deep = { a: { b: { c: 1 } } };

test.each<[limit: "operations" | "path", most: number, patch: JSONPatchOperation[]]>([
  ["operations", 1, [{ op: "replace", path: "/a", value: 1 }, { op: "add", path: "/x", value: 1 }]],
  ["path", 2, [{ op: "replace", path: "/a/b/c", value: 2 }]],
  ["path", 2, [{ op: "remove", path: "/a/b/c" }]],
  ["path", 2, [{ op: "test", path: "/a/b/c", value: 1 }]],
  ["path", 2, [{ op: "inc", path: "/a/b/c", inc: 1 }]],
])("limits.%s of %i", (limit, most, patch) => {
  for (const given of [patch, JSON.stringify(patch)]) {
    const tracker = new StateTracker<object>(deep, { limits: { [limit]: most } });
    expect(refusal(() => tracker.apply(given)).code).toBe("LIMIT_EXCEEDED");
    expect(tracker.getState()).toEqual(deep);
    // As many as it may have it takes.
    const roomy = new StateTracker<object>(deep, { limits: { [limit]: most + 1 } });
    roomy.apply(given);
  }
});
