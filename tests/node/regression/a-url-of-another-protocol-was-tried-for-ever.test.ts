import { expect, test } from "vitest";
import { connect } from "patchwire/client";

// The platform refused it each time, which passed for a network that was down.

test.each(["ftp://example.com/session", "file:///session", "example.com:8787/session"])("%s is refused", (url) => {
  expect(() => connect({ url })).toThrow(TypeError);
});
