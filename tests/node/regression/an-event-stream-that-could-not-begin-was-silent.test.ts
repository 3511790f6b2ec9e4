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

test("it begins with another core, whichever call fails", async () => {
  const reported: unknown[] = [];
  vi.stubGlobal("reportError", (error: unknown) => reported.push(error));
  for (let call = 1; ; call++) {
    const storage = memoryStorage();
    const state = new SyncedState({ storage }, { initial: { n: 1 } });
    await later();
    state.getState();
    const body = storage.transactionSync(() => {
      const response = state.fetch(new Request("https://session/", { headers: { accept: "text/event-stream" } }));
      failAt(call);
      return response.body!;
    });
    const isOver = !hasFailed();
    failAt(Infinity);
    const first = await Promise.race([body.getReader().read(), silence()]);
    expect(first, `call ${call}`).toMatchObject({ done: false });
    if (isOver) break;
  }
  expect(reported).toEqual([]);
});

test("it ends where it can't begin", async () => {
  vi.stubGlobal("reportError", () => {});
  const storage = memoryStorage();
  const state = new SyncedState({ storage }, { initial: { n: 1 } });
  await later();
  state.getState();
  const body = storage.transactionSync(() => {
    const response = state.fetch(new Request("https://session/", { headers: { accept: "text/event-stream" } }));
    state.unload();
    for (const row of storage.table(ROOTS).rows({})) storage.table(ROOTS).put({ ...row, text: "damaged" });
    return response.body!;
  });
  expect(await Promise.race([body.getReader().read(), silence()])).toMatchObject({ done: true });
});
