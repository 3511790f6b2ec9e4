import { expect, test } from "vitest";
import { StateTracker } from "patchwire";
import { OpenStreams } from "../../../pkg/dist/tracker/open-streams.js";
import { PatchwireError } from "../../../pkg/dist/errors.js";

// A stream that ended because another change took its place away was one of those that write for ever: patches went through the core from
// then on, which takes twice as long.

const gone = expect.objectContaining({ code: "PATH_NOT_FOUND" });
const closed = expect.objectContaining({ code: "CLOSED" });

test.each(["write", "end"] as const)("%s says once that the place is gone, and then that the stream is closed", (way) => {
  const tracker = new StateTracker<Record<string, unknown>>({ a: {} });
  const stream = tracker.stream("/a/text");
  stream.write('"x');
  tracker.update((draft) => void delete draft["a"]);
  const again = (): void => (way === "write" ? stream.write("y") : stream.end());
  expect(again).toThrow(gone);
  expect(again).toThrow(closed);
  tracker.apply([{ op: "add", path: "/b", value: 1 }]);
  expect(tracker.getState()).toEqual({ b: 1 });
});

test("it doesn't count as open", () => {
  const streams = new OpenStreams();
  const stream = streams.add(1);
  const refuse = (code: "INVALID_JSON" | "PATH_NOT_FOUND") => (): void =>
    streams.ask(stream, () => {
      throw new PatchwireError(code, "");
    });
  expect(refuse("INVALID_JSON")).toThrow();
  expect(streams.areNone).toBe(false);
  expect(refuse("PATH_NOT_FOUND")).toThrow(gone);
  expect(streams.areNone).toBe(true);
});
