import { expect, test } from "vitest";
import { memoryStorage, SyncedState } from "patchwire/durable-objects";

// A piece that made nothing certain was no commit, so nobody noticed that its transaction was rolled back: the stream kept it, and
// who gave it once more had it twice.
const rollBacks: [string, (storage: ReturnType<typeof memoryStorage>, run: () => void) => unknown][] = [
  ["thrown out of", (storage, run) => expect(() => storage.transactionSync(() => { run(); throw new Error("rolled back"); })).toThrow("rolled back")],
  ["thrown out of, in another one", (storage, run) => storage.transactionSync(() => expect(() => storage.transactionSync(() => { run(); throw new Error("rolled back"); })).toThrow("rolled back"))],
  ["thrown out of around one that ended well", (storage, run) => expect(() => storage.transactionSync(() => { storage.transactionSync(run); throw new Error("rolled back"); })).toThrow("rolled back")],
];

test.each(rollBacks)("a stream is closed that was given a piece in a transaction which was %s", async (_, rollBack) => {
  for (const [before, piece, rest] of [['{"lo', "ng", 'ng":1}'], ['{"n":', "12", "12}"]] as const) {
    const storage = memoryStorage();
    const state = new SyncedState<{ value?: unknown }>({ storage }, { initial: {} });
    await Promise.resolve();
    const stream = state.stream("/value");
    stream.write(before);
    rollBack(storage, () => stream.write(piece));
    expect(() => stream.write(rest)).toThrow("CLOSED");
    expect(state.getState()).toEqual({ value: {} });
    const again = state.stream("/value");
    storage.transactionSync(() => again.write(before));
    again.write(rest);
    again.end();
    expect(state.getState()).toEqual({ value: JSON.parse(before + rest) });
  }
});
