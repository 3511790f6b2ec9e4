import { expect, test } from "vitest";
import { StateDocument, StateTracker } from "patchwire";

// The glue copied it as if it were a string, and failed: that passed for the core's failure, whose replacement cost
// everybody else the documents they held.

test.each([[5], [undefined], [null], [{}], [["/n"]], [5n], [Symbol("s")]])("%o is no pointer", (pointer) => {
  const others = StateDocument.parse('{"n":1}');
  const tracker = new StateTracker({ text: "a", n: 1 });
  const never = pointer as never;
  for (const use of [() => tracker.append(never, "b"), () => tracker.increment(never), () => tracker.stream(never), () => others.get(never)]) {
    expect(use).toThrow(expect.objectContaining({ code: "INVALID_POINTER" }));
  }
  expect([tracker.getPatchText(), others.get("/n")]).toEqual(["[]", 1]);
});
