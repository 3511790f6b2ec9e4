import { expect, test, vi } from "vitest";
import { StateTracker } from "patchwire";
import { connect, type SyncedClient } from "patchwire/client";
import { Line, snapshot } from "../support/line.ts";

// A recipe may close the client that it changes, as one may that finds out that it isn't wanted any more. What it was in the middle of
// went on: a promise that was never settled, and a TypeError where the recipe was run again.

interface State {
  n: number;
}

const patch = (n: number): object => ({ type: "chunk", sequence: 2, revision: 2, chunk: { type: "state_patch", patches: [{ op: "replace", path: "/n", value: n }] } });

async function live(): Promise<[SyncedClient<State>, Line]> {
  Line.all = [];
  const client = connect<State>({ url: "ws://there/", WebSocket: Line, StateTracker });
  await vi.waitUntil(() => Line.all[0]?.sent.length === 1, { interval: 1 });
  Line.all[0]!.say(...snapshot({ n: 0 }));
  return [client, Line.all[0]!];
}

const code = (made: Promise<unknown>): Promise<string> => made.then(() => "made", (error) => error.code);

test("a recipe that closes the client when it is first run is refused at once", async () => {
  const [client, line] = await live();
  const before = line.sent.length;
  expect(() => client.update((draft) => {
    draft.n = 7;
    client.close();
  })).toThrow(expect.objectContaining({ code: "CLOSED" }));
  expect([client.status, client.getState(), line.sent.length]).toEqual(["closed", { n: 0 }, before]);
});

test("one that closes it when it is run again ends what waited, and what was sent", async () => {
  const [client, line] = await live();
  let runs = 0;
  const closes = (draft: State): void => {
    if (++runs > 1) client.close();
    draft.n++;
  };
  const outcomes = [client.update((draft) => void draft.n++), client.update(closes), client.update((draft) => void draft.n++)].map(code);
  line.say(patch(5));
  expect(client.getState()).toEqual({ n: 5 });
  expect(await Promise.all(outcomes)).toEqual(["CLOSED", "CLOSED", "CLOSED"]);
  expect([client.status, runs]).toEqual(["closed", 2]);
});

test("so does one that goes in a part, after a message of many was refused", async () => {
  const [client, line] = await live();
  let runs = 0;
  const first = code(client.update((draft) => void draft.n++));
  const closes = (draft: State): void => {
    if (++runs > 2) client.close();
    draft.n++;
  };
  const outcomes = [closes, (draft: State) => void draft.n++, (draft: State) => void draft.n++].map((recipe) => code(client.update(recipe as never)));
  const answer = (type: string, more: object): void => line.say({ type, id: JSON.parse(line.sent.at(-1)!).id, ...more });
  answer("written", { sequence: 1, revision: 2 });
  line.say(patch(1));
  answer("refused", { sequence: 2, revision: 2, error: { code: "FORBIDDEN_PATH", message: "no" } });
  expect([await first, await Promise.all(outcomes)]).toEqual(["made", ["CLOSED", "CLOSED", "CLOSED"]]);
  expect([client.status, client.getState()]).toEqual(["closed", { n: 1 }]);
});
