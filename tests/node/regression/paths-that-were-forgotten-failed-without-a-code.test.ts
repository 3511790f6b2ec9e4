import { expect, test } from "vitest";
import { PayloadManager } from "patchwire/memberjunction";

// `mergeUpstreamPayload` counted a sub-agent's paths before it looked what they are.
test("paths that are missing are asked for", () => {
  const merge = () => new PayloadManager().mergeUpstreamPayload("Sub", { a: 1 }, { a: 2 }, undefined as never);
  expect(merge).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
});
