import { expect, test, vi } from "vitest";
import { StateTracker } from "patchwire";
import { connect } from "patchwire/client";
import { Line, snapshot } from "../support/line.ts";

// `onPatch` was called in the middle of what a frame brings: the client's own change was in the state that had come, and was carried out
// on it once more, because the client didn't know yet that it was made. A list showed one item too many while its patch was told.

interface State {
  items: string[];
}

/** What a server commits. */
const patch = (revision: number, value: string): object => ({ type: "chunk", sequence: revision, revision, chunk: { type: "state_patch", patches: [{ op: "add", path: "/items/-", value }] } });

test("who is told of a patch sees the change that it made once", async () => {
  Line.all = [];
  const seen: unknown[] = [];
  const client = connect<State>({
    url: "ws://there/",
    WebSocket: Line,
    StateTracker,
    onPatch: ({ revision }) => seen.push([revision, [...client.getState()!.items]]),
  });
  await vi.waitUntil(() => Line.all[0]?.sent.length === 1, { interval: 1 });
  const [line] = Line.all as [Line];
  line.say(...snapshot({ items: ["theirs"] }));
  const made = client.update((draft) => void draft.items.push("mine"));
  const { id } = JSON.parse(line.sent.at(-1)!);
  line.say(patch(2, "another"), { type: "written", sequence: 2, revision: 3, id }, patch(3, "mine"));
  expect([await made, client.getState()]).toEqual([3, { items: ["theirs", "another", "mine"] }]);
  expect(seen).toEqual([
    [2, ["theirs", "another", "mine"]],
    [3, ["theirs", "another", "mine"]],
  ]);
  client.close();
});
