import { expect, test } from "vitest";
import { StateDocument } from "patchwire";

// Pointers crossed as the glue's strings, in which a lone surrogate becomes U+FFFD: no member has such a name.

test("a member whose name has half a pair is found", () => {
  const document = StateDocument.parse(JSON.stringify({ "\ud83d": { "a/\udc00": [1, "\ud83d\ude00"] }, "\ufffd": "another" }));
  expect(document.get("/\ud83d/a~1\udc00/1")).toBe("😀");
  expect(document.get("/\ud83d")).toEqual({ "a/\udc00": [1, "😀"] });
  expect(document.get("/\udc00")).toBeUndefined();
  expect(document.get("/\ufffd")).toBe("another");
});
