import { afterEach, expect, test, vi } from "vitest";
import { StateTracker } from "patchwire";
import { connect, type SyncedClient } from "patchwire/client";
import { Line, snapshot } from "../support/line.ts";

// A lazy client rests when nobody listens. One that a change or `reconnect` had woken stayed connected for good.

afterEach(() => void vi.useRealTimers());

async function rested(): Promise<SyncedClient<{ n: number }>> {
  vi.useFakeTimers();
  Line.all = [];
  const client = connect<{ n: number }>({ url: "ws://there/", WebSocket: Line, StateTracker, lazy: true });
  const end = client.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(10);
  Line.all[0]!.say(...snapshot({ n: 1 }));
  expect(client.status).toBe("live");
  end();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(client.status).toBe("reconnecting");
  return client;
}

/** What the server says to a client that has what there is. */
const live = (line: Line): void => line.say({ type: "status", sequence: 1, revision: 1, session: "s", status: "active" });

test("a change that nobody watches connects the client until it is made", async () => {
  const client = await rested();
  const made = client.update((draft) => void draft.n++);
  await vi.advanceTimersByTimeAsync(5_000);
  const line = Line.all[1]!;
  live(line);
  await vi.advanceTimersByTimeAsync(5_000);
  // It waits for its answer.
  expect([client.status, Line.all.length]).toEqual(["live", 2]);
  const { id } = JSON.parse(line.sent.at(-1)!);
  line.say({ type: "written", sequence: 1, revision: 2, id }, { type: "chunk", sequence: 2, revision: 2, chunk: { type: "state_patch", patches: [{ op: "replace", path: "/n", value: 2 }] } });
  expect(await made).toBe(2);
  await vi.advanceTimersByTimeAsync(5_000);
  expect([client.status, client.getState(), Line.all.length]).toEqual(["reconnecting", { n: 2 }, 2]);
  client.close();
});

test("so does reconnect, and who listens meanwhile keeps it", async () => {
  const client = await rested();
  client.reconnect();
  await vi.advanceTimersByTimeAsync(10);
  live(Line.all[1]!);
  const end = client.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(5_000);
  expect(client.status).toBe("live");
  end();
  await vi.advanceTimersByTimeAsync(5_000);
  expect([client.status, Line.all.length]).toEqual(["reconnecting", 2]);
  client.close();
});
