import { expect, test } from "vitest";
import { applyPatch, StateDocument, StateTracker, type JSONPatchOperation } from "patchwire";

// In wasm a size is 32 bits: 31 copies of what holds the earlier ones made a document of 4 GB, whose size passed for 0.
// It took minutes. Native documents: tests/copies_doubled_a_document_without_end.rs.

test.each([31, 32, 500])("%i copies, each of all that were made before it", (copies) => {
  const copy = { op: "copy", from: "/a", path: "/a/-" } as const;
  const patch: JSONPatchOperation[] = [{ op: "add", path: "/a", value: ["x".repeat(100)] }, ...new Array(copies).fill(copy)];
  const tracker = new StateTracker<object>({ n: 1 });
  for (const apply of [() => applyPatch({}, patch), () => StateDocument.parse("{}").apply(patch), () => tracker.apply(patch)]) {
    expect(apply).toThrow("LIMIT_EXCEEDED: the document is over the size limit");
  }
  expect(tracker.getState()).toEqual({ n: 1 });
});
