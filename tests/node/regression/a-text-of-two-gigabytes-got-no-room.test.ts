import { expect, test } from "vitest";
import { StateDocument } from "patchwire";

// The arena grows by powers of two: the next one after 2^31 is none of 32 bits, and room for nothing was reserved.

test.each([2 ** 30 + 1, 2 ** 31 + 1])("%i bytes are refused before anything is reserved", (length) => {
  const bytes = new Uint8Array(length);
  expect(() => StateDocument.parse(bytes, { document: Infinity })).toThrow("LIMIT_EXCEEDED");
  expect(StateDocument.parse("[1]").toJSON()).toEqual([1]);
});
