import { expect, test } from "vitest";
import { addNote, newSession, within, type Frame, type Stub } from "../session.ts";

// A revision without its session was taken to be of this life of the object: a reader from before a wipe patched what it
// had then with what came after.

const since = async (stub: Stub, query: string): Promise<Frame> => (await stub.fetch(`http://session/?${query}`)).json();
const kinds = ({ frames }: Frame): string[] => frames.map((frame: Frame) => frame.chunk?.type ?? frame.type);

test("since a revision of no session is answered with a snapshot", async () => {
  const stub = newSession();
  for (const text of ["a", "b"]) await addNote(stub, text);
  const { session } = await since(stub, "");
  expect(kinds(await since(stub, `since=1&session=${session}`))).toEqual(["state_patch", "status"]);
  await within(stub, ({ state }) => state.destroy());
  for (const text of ["c", "d"]) await addNote(stub, text);
  for (const query of ["since=1", `since=1&session=${session}`, "since=1&dialect=extended"]) {
    const answer = await since(stub, query);
    expect(kinds(answer)).toEqual(["stream_resync", "state_snapshot", "status"]);
    expect(answer.frames[1].chunk.state.notes).toEqual([{ text: "c" }, { text: "d" }]);
  }
});
