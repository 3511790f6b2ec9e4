import { expect, test } from "vitest";
import { EventReader } from "../event-reader.ts";
import { newSession, update } from "../session.ts";

// An event stream was cut off where a snapshot was longer than what may wait to be read, before anybody could read: for ever again.

test("a state of 20 MB arrives as an event stream, and what follows it", async () => {
  const stub = newSession();
  for (let piece = 0; piece < 20; piece++) {
    await update(stub, (draft) => void draft.notes.push(...Array.from({ length: 1_000 }, (_, i) => ({ text: `${piece} ${i} `.padEnd(1_000, "x") }))));
  }
  const stream = await EventReader.open(stub.fetch("http://session/", { headers: { Accept: "text/event-stream" } }));
  await stream.until(({ data }) => data?.type === "status");
  await update(stub, (draft) => void (draft.answer = "more"));
  const last = await stream.until(({ data }) => data?.type === "chunk" && data.revision === 21);
  // Its id comes behind it, and nothing after that.
  await stream.until((event) => event.id !== undefined && stream.events.indexOf(event) > stream.events.indexOf(last));
  await stream.cancel();
}, 60_000);
