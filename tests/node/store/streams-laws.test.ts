import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DurableStreamManager, memoryStorage, nodeStorage, type ResumableStreamReader, type StoreStorage, type StreamChunk } from "patchwire/durable-objects";
import { asked } from "../support/runs.ts";
import { delta, opened, textOf } from "../../support/streams.ts";

// Whatever is done to streams, rolled back or not: they have what a list of chunks has to which the same was done, for a process that
// knows nothing, too; and each reader is given each chunk that it lacks once and in order, or an error.

const runs = asked(150);

type Entry = [sequence: number, text: string, step: number | undefined];

/** A stream as a list. */
interface Model {
  entries: Entry[];
  latest: number;
  status: string;
  /** The highest number when chunks were removed the last time. */
  cutAt: number;
}

interface Reading {
  reader: ResumableStreamReader & AsyncIterator<StreamChunk>;
  last: number;
  from: number;
  pending?: Promise<IteratorResult<StreamChunk> | Error> | undefined;
  hasEnded: boolean;
}

const length = fc.constantFrom(1, 1, 60, 1_500, 4_100);
const step = fc.option(fc.nat(4), { nil: undefined });
type Command =
  | { kind: "write"; count: number; length: number; step: number | undefined }
  | { kind: "cleanup"; step: number }
  | { kind: "reset" | "end" | "fail" | "pause" | "writer" | "reopen" | "other" }
  | { kind: "read"; from: number }
  | { kind: "next"; which: number; count: number };

const write = fc.record({ kind: fc.constant("write" as const), count: fc.constantFrom(1, 1, 3, 30), length, step });
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: write },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("cleanup" as const), step: fc.nat(4) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("reset" as const, "end" as const, "fail" as const, "pause" as const, "writer" as const, "reopen" as const, "other" as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("read" as const), from: fc.nat(40) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("next" as const), which: fc.nat(3), count: fc.constantFrom(1, 2, 20) }) },
);

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function run(storage: StoreStorage, commands: readonly (readonly [command: Command, isTakenBack: boolean])[]): Promise<void> {
  let streams = new DurableStreamManager(storage);
  let writer = await streams.createWriter("s", "run", "writer");
  let model: Model = { entries: [], latest: 0, status: "active", cutAt: 0 };
  const readings: Reading[] = [];
  let made = 0;

  /** What is there for a reader, as the list has it. */
  const expected = (reading: Reading, answer: IteratorResult<StreamChunk> | Error): void => {
    if (reading.hasEnded) return expect(answer).toEqual({ done: true, value: undefined });
    if (reading.from < model.cutAt && model.cutAt > reading.last) {
      reading.hasEnded = true;
      return expect(answer).toMatchObject({ name: "StreamTruncatedError", lastValidSequence: reading.last });
    }
    const next = model.entries.find(([sequence]) => sequence > reading.last);
    if (next !== undefined) {
      expect([reading.reader.currentSequence, answer]).toEqual([next[0], { done: false, value: delta(next[1], next[2]) }]);
      reading.last = next[0];
    } else if (model.status === "failed") {
      reading.hasEnded = true;
      expect(answer).toMatchObject({ code: "CLOSED" });
    } else {
      expect([model.status, answer]).toEqual(["ended", { done: true, value: undefined }]);
      reading.hasEnded = true;
    }
  };

  const ask = async (reading: Reading): Promise<boolean> => {
    reading.pending ??= reading.reader.next().catch((error: Error) => error);
    let answer: IteratorResult<StreamChunk> | Error | undefined;
    void reading.pending.then((found) => (answer = found));
    await settle();
    if (answer === undefined) return false;
    reading.pending = undefined;
    expected(reading, answer);
    return true;
  };

  const perform = async (given: Command): Promise<Model> => {
    const next = structuredClone(model);
    const cut = (kept: (entry: Entry) => boolean): void => {
      const entries = next.entries.filter(kept);
      if (entries.length < next.entries.length) next.cutAt = next.latest;
      next.entries = entries;
    };
    const hasEnded = model.status === "ended" || model.status === "failed";
    switch (given.kind) {
      case "write":
        for (let i = 0; i < given.count; i++) {
          const text = `${made++}`.padEnd(given.length, "é");
          const written = writer.write(delta(text, given.step));
          if (hasEnded) await expect(written).rejects.toMatchObject({ code: "CLOSED" });
          else next.entries.push([++next.latest, text, given.step]), await written;
        }
        break;
      case "cleanup": cut(([, , step]) => step === undefined || step <= given.step); await streams.cleanupToStep("s", given.step); break;
      case "reset": cut(() => false); next.status = "active"; await streams.resetStream("s"); break;
      case "end": if (!hasEnded) next.status = "ended"; await streams.endStream("s"); break;
      case "fail": if (!hasEnded) next.status = "failed"; await streams.failStream("s", "why"); break;
      case "pause": if (!hasEnded) next.status = "paused"; await streams.pauseStream("s"); break;
      case "writer": next.status = "active"; writer = await streams.createWriter("s", "run", "writer"); break;
      case "other": await (await streams.createWriter("other", "run", "writer")).write(delta("other")); break;
    }
    return next;
  };

  for (const [given, isTakenBack] of commands) {
    if (given.kind === "reopen") {
      for (const { reader } of readings.splice(0)) await reader.close();
      streams = opened(storage);
      writer = await streams.createWriter("s", "run", "writer");
      model.status = "active";
    } else if (given.kind === "read") {
      const from = Math.min(given.from, model.latest);
      const reader = (await streams.createResumableReader("s", { fromSequence: from })) as Reading["reader"];
      // What was removed before it came is nothing to it.
      readings.push({ reader, last: from, from: Math.max(from, model.cutAt), hasEnded: false });
    } else if (given.kind === "next") {
      const reading = readings[given.which];
      for (let i = 0; reading !== undefined && i < given.count; i++) if (!(await ask(reading))) break;
    } else if (isTakenBack) {
      let done: Promise<unknown> | undefined;
      expect(() => storage.transactionSync(() => { done = perform(given).catch(() => {}); throw new Error("rolled back"); })).toThrow("rolled back");
      // Only what was called before anything was waited for is in the transaction.
      await done;
      if (given.kind === "write" && given.count > 1) model = await resync(model);
    } else {
      model = await perform(given);
    }
    for (const reading of readings) if (reading.pending !== undefined) await ask(reading);
    expect(await streams.getStreamInfo("s")).toMatchObject({ status: model.status, latestSequence: model.latest, chunkCount: model.entries.length });
  }

  /** The first of several writes was taken back; the others came after it. */
  async function resync(before: Model): Promise<Model> {
    const next = structuredClone(before);
    const reader = (await streams.createResumableReader("s", { fromSequence: before.latest })) as Reading["reader"];
    const { latestSequence } = (await streams.getStreamInfo("s"))!;
    while (next.latest < latestSequence) {
      const { value } = await reader.next();
      next.entries.push([++next.latest, textOf(value as StreamChunk), (value as StreamChunk).step]);
    }
    await reader.close();
    return next;
  }

  const reader = (await opened(storage).createResumableReader("s", { fromSequence: 0 })) as Reading["reader"];
  for (const [sequence, text, step] of model.entries) expect([(await reader.next()).value, reader.currentSequence]).toEqual([delta(text, step), sequence]);
  await reader.close();
  for (const { reader } of readings) await reader.close();
}

const commands = fc.array(fc.tuple(command, fc.integer({ min: 0, max: 5 }).map((n) => n === 0)), { maxLength: 40 });

test("streams are lists of chunks, in memory", { timeout: 120_000 }, async () => {
  await fc.assert(fc.asyncProperty(commands, (commands) => run(memoryStorage(), commands)), runs);
});

test("streams are lists of chunks, in SQLite", { timeout: 120_000 }, async () => {
  await fc.assert(fc.asyncProperty(commands, (commands) => run(nodeStorage(new DatabaseSync(":memory:")), commands)), runs);
});
