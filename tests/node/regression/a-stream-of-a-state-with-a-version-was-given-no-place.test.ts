import { expect, test } from "vitest";
import { memoryStorage, SyncedState } from "patchwire/durable-objects";

// A state with a version is read in a transaction, where nobody is given a place. If somebody asked for an event stream when it
// had to be read again, because a transaction had been rolled back, the stream never got anything; nor was a socket's frame answered.
const context = () => ({
  storage: memoryStorage(),
  acceptWebSocket: () => {},
  getWebSockets: () => [],
  getWebSocketAutoResponse: () => ({}),
  setWebSocketAutoResponse: () => {},
});

const listen = (state: SyncedState<{ n: number }>) => state.fetch(new Request("https://state/", { headers: { Accept: "text/event-stream" } }));

async function read(response: { body: unknown }): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = "";
  for (;;) {
    const piece = await Promise.race([reader.read(), new Promise<null>((resolve) => setTimeout(() => resolve(null), 50))]);
    if (piece === null || piece.done) return text;
    text += new TextDecoder().decode(piece.value);
  }
}

const cases: [string, (ctx: ReturnType<typeof context>, state: SyncedState<{ n: number }>) => ReturnType<typeof listen>][] = [
  ["asked for in a transaction that is rolled back", ({ storage }, state) => {
    let response: ReturnType<typeof listen>;
    expect(() => storage.transactionSync(() => {
      state.update((draft) => void (draft.n = 5));
      response = listen(state);
      throw new Error("rolled back");
    })).toThrow("rolled back");
    return response!;
  }],
  ["of a state that is given back at once", (_, state) => {
    const response = listen(state);
    state.unload();
    return response;
  }],
];

test.each(cases)("a stream %s is told of what comes", async (_, ask) => {
  for (const options of [{}, { version: 1 }]) {
    const ctx = context();
    const state = new SyncedState(ctx, { initial: { n: 0 }, ...options });
    state.getState();
    await new Promise((resolve) => setTimeout(resolve));
    const response = ask(ctx, state);
    for (let i = 0; i < 2; i++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      state.update((draft) => void draft.n++);
    }
    const text = await read(response);
    expect(text).toContain('"state":{"n":0}');
    expect(text).toContain('"value":2');
  }
});
