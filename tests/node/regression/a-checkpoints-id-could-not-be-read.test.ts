import { expect, test } from "vitest";
import { generateCheckpointId, parseCheckpointId } from "patchwire/helix";

// A time with fractions, as `performance.now()` has, or none at all made an id that `parseCheckpointId` took for none.
test("an id is made of what it can say", () => {
  for (const time of [1.5, NaN, -1, Infinity, 2 ** 60]) {
    expect(() => generateCheckpointId("session", 1, time)).toThrow(expect.objectContaining({ code: "VALIDATION_FAILED" }));
  }
  for (const time of [0, 1_703_123_456_789]) expect(parseCheckpointId(generateCheckpointId("session-s1-t2-a1b2c3", 5, time))).toMatchObject({ timestamp: time });
});
