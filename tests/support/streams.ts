// What every storage of a DurableStreamManager has to do: the same cases in workerd, in memory, and in node:sqlite.
import { expect } from "vitest";
import { DurableStreamManager, type ResumableStreamReader, type StoreStorage, type StreamChunk, type StreamWriter } from "patchwire/durable-objects";
import { createResumableStreamHandler } from "patchwire/helix";
import { backend } from "./store/backends.ts";
import type { Tabled } from "./store/tables.ts";

export const delta = (text: string, step?: number): StreamChunk => ({ type: "text_delta", agentId: "run", delta: text, ...(step !== undefined && { step }) });
export const textOf = (chunk: StreamChunk): string => (chunk as { delta: string }).delta;

/** A manager as a process has it that knows nothing. */
export const opened = (storage: StoreStorage): DurableStreamManager => new DurableStreamManager(backend(storage).reopened());

type Reader = ResumableStreamReader & AsyncIterator<StreamChunk>;

/** All chunks that there are behind a sequence, whether the stream goes on or not. */
export async function stored(streams: DurableStreamManager, id = "s", fromSequence = 0): Promise<[sequence: number, text: string][]> {
  const reader = (await streams.createResumableReader(id, { fromSequence })) as Reader;
  const found: [number, string][] = [];
  const { chunkCount, latestSequence } = (await streams.getStreamInfo(id))!;
  const last = fromSequence === 0 ? chunkCount : Infinity;
  for (; found.length < last && reader.currentSequence < latestSequence; ) {
    const next = await Promise.race([reader.next(), new Promise<undefined>((resolve) => setTimeout(resolve, 50))]);
    if (next === undefined || next.done) break;
    found.push([reader.currentSequence, textOf(next.value)]);
  }
  await reader.close();
  return found;
}

const reading = async (streams: DurableStreamManager, fromSequence = 0): Promise<Reader> =>
  (await streams.createResumableReader("s", { fromSequence })) as Reader;

async function begun(storage: StoreStorage): Promise<{ streams: DurableStreamManager; writer: StreamWriter }> {
  const streams = new DurableStreamManager(storage);
  return { streams, writer: await streams.createWriter("s", "run", "writer") };
}

const code = (code: string) => expect.objectContaining({ code });

export const cases: Record<string, (storage: StoreStorage) => Promise<void>> = {
  async "what was written is there for a process that knows nothing, and its numbers go on"(storage) {
    const { writer } = await begun(storage);
    const texts = Array.from({ length: 300 }, (_, i) => `${i} é😀\ud83d "\\`);
    for (const text of texts) await writer.write(delta(text));
    const streams = opened(storage);
    expect(await stored(streams)).toEqual(texts.map((text, i) => [i + 1, text]));
    expect(await stored(streams, "s", 298)).toEqual([[299, texts[298]], [300, texts[299]]]);
    await (await streams.createWriter("s", "run 2", "writer")).write(delta("more"));
    expect(await streams.getStreamInfo("s")).toEqual({ status: "active", latestSequence: 301, chunkCount: 301 });
  },

  async "a chunk may be longer than a row"(storage) {
    const { streams, writer } = await begun(storage);
    const long = "é😀".repeat(300_000);
    for (const text of ["a", long, "b"]) await writer.write(delta(text));
    expect(await stored(streams)).toEqual([[1, "a"], [2, long], [3, "b"]]);
    expect(await streams.getStreamInfo("s")).toMatchObject({ latestSequence: 3, chunkCount: 3 });
    await streams.cleanupToStep("s", 0);
    expect(await stored(opened(storage))).toHaveLength(3);
  },

  async "a reader waits for what comes, and ends with the stream"(storage) {
    const { streams, writer } = await begun(storage);
    const texts: string[] = [];
    const read = (async () => {
      for await (const chunk of (await streams.createReader("s"))!) texts.push(textOf(chunk));
    })();
    for (const text of ["a", "b", "c"]) {
      await writer.write(delta(text));
      await new Promise((resolve) => setTimeout(resolve));
    }
    // Another manager is the same one.
    await new DurableStreamManager(storage).endStream("s", { words: 3 });
    await read;
    expect(texts).toEqual(["a", "b", "c"]);
    expect(await opened(storage).getStreamInfo("s")).toEqual({ status: "ended", latestSequence: 3, chunkCount: 3, output: { words: 3 } });
    await expect(writer.write(delta("d"))).rejects.toEqual(code("CLOSED"));
    await streams.failStream("s", "late");
    expect(await streams.getStreamInfo("s")).toMatchObject({ status: "ended" });
  },

  async "a stream that failed gives all that it has before it says so, and goes on with another writer"(storage) {
    const { streams, writer } = await begun(storage);
    await writer.write(delta("a"));
    await streams.failStream("s", "overloaded");
    const reader = await reading(streams);
    expect(await reader.next()).toMatchObject({ done: false, value: { delta: "a" } });
    await expect(reader.next()).rejects.toEqual(code("CLOSED"));
    expect(await reader.next()).toEqual({ done: true, value: undefined });
    await (await streams.createWriter("s", "run", "writer")).write(delta("b"));
    expect(await streams.getStreamInfo("s")).toEqual({ status: "active", latestSequence: 2, chunkCount: 2 });
  },

  async "several answers that are asked for at once come in their order, and closing gives none"(storage) {
    const { streams, writer } = await begun(storage);
    const reader = await reading(streams);
    const asked = [reader.next(), reader.next(), reader.next()];
    await writer.write(delta("a"));
    await writer.write(delta("b"));
    expect((await Promise.all(asked.slice(0, 2))).map(({ value }) => textOf(value!))).toEqual(["a", "b"]);
    await reader.close();
    expect(await asked[2]).toEqual({ done: true, value: undefined });
  },

  async "who hadn't read what is removed fails once"(storage) {
    const { streams, writer } = await begun(storage);
    for (const step of [1, 2, 2]) await writer.write(delta(`${step}`, step));
    const [early, late] = [await reading(streams), await reading(streams, 3)];
    await early.next();
    await streams.cleanupToStep("s", 1);
    await expect(early.next()).rejects.toEqual(expect.objectContaining({ name: "StreamTruncatedError", streamId: "s", lastValidSequence: 1, truncatedAtStep: 1 }));
    expect(await early.next()).toEqual({ done: true, value: undefined });
    await writer.write(delta("again", 2));
    expect([await late.next(), late.currentSequence]).toMatchObject([{ value: { delta: "again" } }, 4]);
    expect([late.latestSequence, late.totalChunks]).toEqual([4, 2]);
    expect(await stored(opened(storage))).toEqual([[1, "1"], [4, "again"]]);
  },

  async "what is removed in the middle leaves the rest, and the numbers"(storage) {
    const { streams, writer } = await begun(storage);
    const steps = Array.from({ length: 400 }, (_, i) => (i < 100 ? 1 : i < 300 ? 3 : i % 2));
    for (const [i, step] of steps.entries()) await writer.write(delta(`${i}`.padStart(60, "x"), step || undefined));
    const left = steps.flatMap((step, i) => (step > 1 ? [] : [[i + 1, `${i}`.padStart(60, "x")]]));
    await streams.cleanupToStep("s", 1);
    expect(await stored(opened(storage))).toEqual(left);
    expect(await streams.getStreamInfo("s")).toMatchObject({ latestSequence: 400, chunkCount: left.length });
    await streams.resetStream("s");
    expect(await streams.getStreamInfo("s")).toEqual({ status: "active", latestSequence: 400, chunkCount: 0 });
    await writer.write(delta("new"));
    expect(await stored(opened(storage))).toEqual([[401, "new"]]);
  },

  async "a row of chunks that is removed as a whole leaves those around it"(storage) {
    const { streams, writer } = await begun(storage);
    const long = "x".repeat(5_000);
    for (const step of [3, 1, 3, 3, 1]) await writer.write(delta(long, step));
    await streams.cleanupToStep("s", 1);
    expect(await stored(opened(storage))).toEqual([[2, long], [5, long]]);
    await writer.write(delta("more"));
    expect(await stored(opened(storage), "s", 2)).toEqual([[5, long], [6, "more"]]);
  },

  async "who reads the life before of a stream that began anew is told"(storage) {
    const { streams, writer } = await begun(storage);
    await writer.write(delta("a"));
    const reader = await reading(streams);
    await streams.deleteStream("s");
    await (await streams.createWriter("s", "run", "writer")).write(delta("b"));
    await expect(reader.next()).rejects.toEqual(code("NOT_FOUND"));
  },

  async "a stream that is deleted is gone, and its id begins anew"(storage) {
    const { streams, writer } = await begun(storage);
    for (const text of ["a", "b"]) await writer.write(delta(text));
    const reader = await reading(streams, 2);
    const next = expect(reader.next()).rejects.toEqual(code("NOT_FOUND"));
    await streams.deleteStream("s");
    await next;
    await streams.deleteStream("s");
    expect([await streams.createReader("s"), await streams.getStreamInfo("s")]).toEqual([null, null]);
    await expect(writer.write(delta("c"))).rejects.toEqual(code("CLOSED"));
    await (await streams.createWriter("s", "run", "writer")).write(delta("c"));
    expect(await stored(opened(storage))).toEqual([[1, "c"]]);
    // Who comes back with a number of the life before would miss what this one has.
    await expect(streams.createResumableReader("s", { fromSequence: 2 })).rejects.toEqual(code("STREAM_TRUNCATED"));
  },

  async "what a transaction rolls back was never written, and nobody was shown it"(storage) {
    const { streams, writer } = await begun(storage);
    await writer.write(delta("a"));
    const reader = await reading(streams);
    await reader.next();
    const next = reader.next();
    const written: Promise<void>[] = [];
    expect(() =>
      storage.transactionSync(() => {
        written.push(writer.write(delta("lost")), streams.endStream("s"), streams.resetStream("other"));
        throw new Error("rolled back");
      }),
    ).toThrow("rolled back");
    await Promise.all(written);
    await writer.write(delta("b"));
    expect(await next).toMatchObject({ value: { delta: "b" } });
    expect(await stored(opened(storage))).toEqual([[1, "a"], [2, "b"]]);
  },

  async "tables that were made in a transaction that is rolled back are made again"(storage) {
    const streams = new DurableStreamManager(storage);
    let made: Promise<unknown> | undefined;
    expect(() =>
      storage.transactionSync(() => {
        made = streams.createWriter("s", "run", "writer");
        throw new Error("rolled back");
      }),
    ).toThrow("rolled back");
    await made;
    expect(await streams.getStreamInfo("s")).toBeNull();
    await (await streams.createWriter("s", "run", "writer")).write(delta("a"));
    expect(await stored(opened(storage))).toEqual([[1, "a"]]);
  },

  async "a stream that waits for somebody goes on with another writer"(storage) {
    const { streams, writer } = await begun(storage);
    await writer.write(delta("a"));
    await streams.pauseStream("s");
    expect(await streams.getStreamInfo("s")).toMatchObject({ status: "paused" });
    const reader = await reading(streams, 1);
    const next = reader.next();
    await (await streams.createWriter("s", "run", "writer")).write(delta("b"));
    expect(await next).toMatchObject({ value: { delta: "b" } });
    expect(await streams.getStreamInfo("s")).toMatchObject({ status: "active" });
    await expect(streams.pauseStream("none")).rejects.toEqual(code("NOT_FOUND"));
  },

  async "streams have ids of any characters, and managers of other names have others"(storage) {
    const ids = ['a"b', "a'; DROP TABLE x; --", "nul\0", "nul", "\ud83d", "é/~", "A", "a", " ", "%", "constructor"];
    const [streams, others] = [new DurableStreamManager(storage), new DurableStreamManager(storage, { name: "other" })];
    for (const [i, id] of ids.entries()) {
      expect(await streams.getStreamInfo(id)).toBeNull();
      await (await streams.createWriter(id, "run", "writer")).write(delta(`${i}`));
    }
    for (const [i, id] of ids.entries()) expect(await stored(streams, id)).toEqual([[1, `${i}`]]);
    expect(await others.getStreamInfo("a")).toBeNull();
  },

  async "what isn't a chunk, a step or an id is refused, and nothing has changed"(storage) {
    const { streams, writer } = await begun(storage);
    await writer.write(delta("a"));
    const before = await streams.getStreamInfo("s");
    for (const chunk of [undefined, null, "text", [], {}, { type: 1 }, { ...delta("a"), step: -1 }, { ...delta("a"), step: 1.5 }]) {
      await expect(writer.write(chunk as never)).rejects.toEqual(code("VALIDATION_FAILED"));
    }
    await expect(writer.write({ ...delta("a"), at: new Date() } as never)).rejects.toEqual(expect.objectContaining({ code: "NOT_JSON", path: "/chunk/at" }));
    await expect(streams.endStream("s", { at: () => {} })).rejects.toEqual(expect.objectContaining({ code: "NOT_JSON", path: "/output/at" }));
    await expect(streams.failStream("s", new Error("no text") as never)).rejects.toEqual(code("VALIDATION_FAILED"));
    await expect(streams.cleanupToStep("s", -1)).rejects.toEqual(code("VALIDATION_FAILED"));
    await expect(streams.createWriter("", "run", "writer")).rejects.toEqual(code("VALIDATION_FAILED"));
    await expect(streams.createResumableReader("s", { from: 1 } as never)).rejects.toEqual(code("VALIDATION_FAILED"));
    await writer.close();
    await expect(writer.write(delta("b"))).rejects.toEqual(code("CLOSED"));
    expect(await streams.getStreamInfo("s")).toEqual(before);
  },

  async "a stream is answered as server-sent events, from where the client is"(storage) {
    const { streams, writer } = await begun(storage);
    for (const step of [1, 2]) await writer.write(delta(`${step}`, step));
    const handler = createResumableStreamHandler({ streamManager: streams });
    const live = await handler.handle({ streamId: "s", resumeAt: 1 });
    expect(live.headers.get("Content-Type")).toBe("text/event-stream");
    const cut = await handler.handle({ streamId: "s" });
    const body = live.text();
    await writer.write(delta("3", 3));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await streams.endStream("s", { ok: true });
    const chunk = (sequence: number) => `id: ${sequence}\nevent: chunk\ndata: ${JSON.stringify({ type: "chunk", chunk: delta(`${sequence}`, sequence), sequence })}\n\n`;
    expect(await body).toBe(`${chunk(2)}${chunk(3)}event: end\ndata: {"type":"end","output":{"ok":true}}\n\n`);
    await streams.cleanupToStep("s", 1);
    expect(await cut.text()).toBe('event: truncated\ndata: {"type":"truncated","truncatedAtStep":1,"atSequence":3}\n\n');
    await streams.createWriter("s", "run", "writer");
    await streams.failStream("s", "overloaded");
    expect(await (await handler.handle({ streamId: "s" })).text()).toBe(`${chunk(1)}event: fail\ndata: {"type":"fail","error":"overloaded"}\n\n`);
    expect([(await handler.handle({ streamId: "none" })).status, (await handler.handle({ streamId: "s", resumeAt: 9 })).status]).toEqual([404, 410]);
  },
};

/** Each row of each table damaged or missing: who reads is told, or reads what there was; and a writer gives no number twice. */
export async function tryDamage(damageable: Tabled): Promise<void> {
  const { storage } = damageable;
  const streams = new DurableStreamManager(storage);
  const writer = await streams.createWriter("s", "run", "writer");
  for (let i = 0; i < 120; i++) await writer.write(delta(`${i}`.padStart(60, "x"), i));
  await streams.cleanupToStep("s", 100);
  await streams.endStream("other", { text: "x".repeat(300_001) });
  const read = async (): Promise<unknown> => {
    const fresh = opened(storage);
    return [await stored(fresh), await fresh.getStreamInfo("s"), await fresh.getStreamInfo("other")];
  };
  const before = await read();
  let tried = 0;
  for (const table of damageable.tables()) {
    const rows = table.read();
    for (const [at, row] of rows.entries()) {
      const columns = Object.keys(row).filter((column) => !table.key.includes(column));
      const damaged = columns.map((column) => ({ ...row, [column]: typeof row[column] === "number" ? Number(row[column]) + 1 : `${row[column]} ` }));
      for (const instead of [[], ...damaged.map((row) => [row])]) {
        const changed = rows.toSpliced(at, 1, ...instead);
        table.replace(rows, changed);
        tried++;
        const found = await read().catch((error: unknown) => error);
        if (!(found instanceof Error)) expect([table.name, at, instead, found]).toEqual([table.name, at, instead, before]);
        else expect(found).toMatchObject({ code: expect.stringMatching(/^(VALIDATION_FAILED|STREAM_TRUNCATED)$/), message: expect.stringContaining(`of ${table.name}`) });
        table.replace(table.read(), rows);
      }
    }
  }
  expect(tried).toBeGreaterThan(40);
  expect(await read()).toEqual(before);
}
