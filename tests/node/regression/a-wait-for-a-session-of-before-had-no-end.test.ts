import { expect, test, vi } from "vitest";
import { connect } from "patchwire/client";
import { Line, snapshot } from "../support/line.ts";

// The answer to an action may be read after the state went on as another session. The session of the answer was taken for one that
// is yet to come, and the page waited for good.

test("a session that the state had before is over", async () => {
  Line.all = [];
  const client = connect({ url: "ws://there/", WebSocket: Line });
  await vi.waitUntil(() => Line.all[0]?.sent.length === 1);
  Line.all[0]!.say(...snapshot({ n: 1 }, 100, "one"));
  Line.all[0]!.say(...snapshot({ n: 1 }, 1, "another"));
  await client.whenRevision(101, { session: "one" });
  expect([client.session, client.revision]).toEqual(["another", 1]);
  // One that it never had may be to come.
  const later = client.whenRevision(5, { session: "a third" });
  const first = await Promise.race([later.then(() => "it is there"), new Promise((resolve) => setTimeout(resolve, 10, "it waits"))]);
  expect(first).toBe("it waits");
  Line.all[0]!.say(...snapshot({ n: 1 }, 5, "a third"));
  await later;
  client.close();
});
