import { expect, test } from "vitest";
import { classifyError, ensureError, extractErrorMessage } from "patchwire/helix";

// An error that can't become a text, as an object without a prototype, threw a TypeError where it was to be told.

test("what was thrown is told whatever it is", () => {
  const thrown = Object.create(null) as object;
  expect(extractErrorMessage(thrown)).toBe("object");
  expect(ensureError(thrown).cause).toBe(thrown);
  expect(classifyError(thrown)).toMatchObject({ code: "framework_internal_error", cause: thrown });
});
