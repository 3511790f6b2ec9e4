import { applyPatch, filterPatch, type JSONPatchOperation } from "patchwire";
import { expect, test } from "vitest";

// Operations were filtered one by one, so that a value which a patch copied to a visible place, and took away from there again, was told.
const view = { exclude: ["/secrets"] };
const base = { secrets: { key: "S3CRET" }, shown: [1], n: 1 };

test.each<[string, JSONPatchOperation[], JSONPatchOperation[]]>([
  ["copied and removed", [{ op: "copy", from: "/secrets/key", path: "/tmp" }, { op: "remove", path: "/tmp" }], []],
  ["moved out and back", [{ op: "move", from: "/secrets/key", path: "/tmp" }, { op: "move", from: "/tmp", path: "/secrets/key" }], []],
  ["copied and overwritten", [{ op: "copy", from: "/secrets", path: "/n" }, { op: "replace", path: "/n", value: 2 }], [{ op: "replace", path: "/n", value: 2 }]],
  ["put into a list that goes", [{ op: "copy", from: "/secrets/key", path: "/shown/0" }, { op: "remove", path: "/shown" }], [{ op: "remove", path: "/shown" }]],
  ["copied, and there in the end", [{ op: "copy", from: "/secrets/key", path: "/told" }], [{ op: "add", path: "/told", value: "S3CRET" }]],
])("a hidden value that is %s", (_, patch, visible) => {
  const told = filterPatch(patch, view, { base });
  expect(told).toEqual(visible);
  const { secrets: before, ...shown } = base;
  const { secrets: after, ...then } = applyPatch(base, patch);
  expect([before, after]).toEqual([{ key: "S3CRET" }, { key: "S3CRET" }]);
  expect(applyPatch(shown, told)).toEqual(then);
});
