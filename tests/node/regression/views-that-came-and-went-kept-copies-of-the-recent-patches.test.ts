import { memoryStorage, SyncedState } from "patchwire/durable-objects";
import { expect, test } from "vitest";

// Each view had the recent patches once more, filtered for it: two thirds of a megabyte. It kept them until the next commit when nobody had it any
// more, so that some 170 visitors with views of their own were all of an object's memory; and 300 who stayed took 200 MB, which a waking
// object needed again.

const MOST = 16 << 20;

function stateWithLog(): SyncedState<{ text: string; by: Record<string, number> }> {
  const view = (request: { url: string }): { exclude: string[] } => ({ exclude: [`/by/${new URL(request.url).searchParams.get("who")}`] });
  const state = new SyncedState({ storage: memoryStorage() }, { initial: { text: "", by: {} }, view });
  for (let i = 0; i < 1_500; i++) state.append("/text", `a token of some length, of which there are many, such as this one, number ${i}`);
  return state;
}

const listen = (state: SyncedState<any>, who: number): Response =>
  state.fetch(new Request(`https://session/?who=${who}&dialect=extended`, { headers: { Accept: "text/event-stream" } })) as unknown as Response;

test("visitors who are gone keep nothing", async () => {
  const state = stateWithLog();
  await listen(state, 0).body!.cancel();
  const before = process.memoryUsage().external;
  for (let i = 1; i <= 150; i++) await listen(state, i).body!.cancel();
  expect(process.memoryUsage().external - before).toBeLessThan(MOST);
});

test("visitors who stay share what came before", async () => {
  const state = stateWithLog();
  const streams = [listen(state, 0)];
  await Promise.resolve();
  const before = process.memoryUsage().external;
  for (let i = 1; i <= 40; i++) {
    // Whatever each was sent has been read.
    const stream = listen(state, i);
    const reader = stream.body!.getReader();
    await reader.read();
    streams.push(stream);
  }
  for (let i = 0; i < 1_500; i++) state.append("/text", `a token of some length, of which there are many, such as this one, number ${i}`);
  expect(process.memoryUsage().external - before).toBeLessThan(MOST * 2);
}, 30_000);

test("who comes back with a view is sent what it missed, as the view shows it", async () => {
  const state = stateWithLog();
  const { session, revision } = (await (state.fetch(new Request("https://session/?who=me")) as unknown as Response).json()) as { session: string; revision: number };
  state.update((draft) => void ((draft.by["me"] = 1), (draft.by["you"] = 2)));
  state.update((draft) => void (draft.by["me"] = 3));
  const { frames } = (await (state.fetch(new Request(`https://session/?who=me&since=${revision}&session=${encodeURIComponent(session)}`)) as unknown as Response).json()) as { frames: { chunk?: { patches: unknown } }[] };
  expect(frames.map(({ chunk }) => chunk?.patches)).toEqual([[{ op: "add", path: "/by/you", value: 2 }], [], undefined]);
});
