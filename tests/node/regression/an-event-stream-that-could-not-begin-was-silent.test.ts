import { afterEach, expect, test, vi } from "vitest";
import { memoryStorage, SyncedState } from "patchwire/durable-objects";
import { failAt, hasFailed } from "../../support/faults.ts";

// A reader that came while a transaction was open was answered at once, and its stream was begun when that had ended. Where the core failed
// then, the stream stayed open and said nothing: no reader comes back of itself from that. And the failure was an uncaught error.

const ROOTS = { name: "state::roots", key: { id: "INTEGER" }, columns: { hash: "INTEGER", text: "TEXT" } } as const;

const later = (): Promise<void> => new Promise((done) => setTimeout(done, 1));
const silence = (): Promise<string> => new Promise((done) => setTimeout(done, 100, "silence"));

afterEach(() => {
  failAt(Infinity);
  vi.unstubAllGlobals();
});

type Storage = ReturnType<typeof memoryStorage>;

/** What is first read of a stream that is asked for in a transaction, where `then` is done in that; and whether a call of the core's has failed. */
async function first(then: (storage: Storage, state: SyncedState<{ n: number }>) => void): Promise<{ read: unknown; hasFailed: boolean }> {
  const storage = memoryStorage();
  const state = new SyncedState({ storage }, { initial: { n: 1 } });
  await later();
  state.getState();
  const body = storage.transactionSync(() => {
    const response = state.fetch(new Request("https://session/", { headers: { accept: "text/event-stream" } }));
    then(storage, state);
    return response.body!;
  });
  const failed = hasFailed();
  failAt(Infinity);
  return { read: await Promise.race([body.getReader().read(), silence()]), hasFailed: failed };
}

test("it begins with another core, whichever call fails", async () => {
  const reported: unknown[] = [];
  vi.stubGlobal("reportError", (error: unknown) => reported.push(error));
  for (let call = 1, isOver = false; !isOver; call++) {
    const { read, hasFailed } = await first(() => failAt(call));
    expect(read, `call ${call}`).toMatchObject({ done: false });
    isOver = !hasFailed;
  }
  expect(reported).toEqual([]);
});

test("it ends where it can't begin", async () => {
  vi.stubGlobal("reportError", () => {});
  const { read } = await first((storage, state) => {
    state.unload();
    for (const row of storage.table(ROOTS).rows({})) storage.table(ROOTS).put({ ...row, text: "damaged" });
  });
  expect(read).toMatchObject({ done: true });
});
