import { expect, test } from "vitest";
import { parseNamedSSEEvent } from "patchwire/helix";

// An event's data that is a text or a number was spread into the event: `end` with the data `"x"` was one with a member 0, or none.

test.each(['"x"', "3", "null", "[1]"])("the data %s is refused", (data) => {
  expect(() => parseNamedSSEEvent("end", data)).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
});
