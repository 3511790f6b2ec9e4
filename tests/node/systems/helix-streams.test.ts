import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DurableStreamManager, memoryStorage, type StreamChunk } from "patchwire/durable-objects";
import { createResumableStreamHandler } from "patchwire/helix";

// What Helix's pages say of streams whose chunks are removed (tests/cases/helix-functions.json).

interface Case {
  name: string;
  call: string;
  input: { chunks: { sequence: number; step: number }[]; reader?: { lastYieldedSequence: number }; stepCount: number; attachAfter?: boolean };
  expected: { remaining?: number[]; replay?: number[]; event?: object; reader?: "no error" | object[] };
}

const { cases } = JSON.parse(readFileSync(new URL("../../cases/helix-functions.json", import.meta.url), "utf8")) as { cases: Case[] };
const of = cases.filter(({ call }) => call === "cleanupToStep");

test("there are three of them", () => expect(of).toHaveLength(3));

test.each(of)("$name", async ({ input: { chunks, reader, stepCount, attachAfter = false }, expected }) => {
  const streamManager = new DurableStreamManager(memoryStorage());
  const writer = await streamManager.createWriter("s", "run", "writer");
  for (const { step } of chunks) await writer.write({ type: "text_delta", agentId: "run", delta: "", step });
  const attach = async (fromSequence: number) => (await streamManager.createResumableReader("s", { fromSequence })) as unknown as AsyncIterator<StreamChunk>;
  const attached = attachAfter ? undefined : await attach(reader!.lastYieldedSequence);
  const sent = await createResumableStreamHandler({ streamManager }).handle({ streamId: "s", resumeAt: attachAfter ? chunks.length : 0 });
  await streamManager.cleanupToStep("s", stepCount);
  const next = async () => attached!.next().catch(({ name, lastValidSequence, truncatedAtStep }) => ({ throws: name, lastValidSequence, truncatedAtStep }));
  if (typeof expected.reader === "object") expect([await next(), await next()]).toMatchObject(expected.reader);
  await streamManager.endStream("s");
  if (expected.reader === "no error") expect(await next()).toMatchObject({ done: true });
  const late: number[] = [];
  const lateReader = (await streamManager.createResumableReader("s"))!;
  for await (const _ of lateReader) late.push(lateReader.currentSequence);
  expect(late).toEqual(expected.remaining ?? expected.replay);
  // A client that had read nothing is told; one that came afterwards isn't.
  const event = /data: (.*)\n\n$/.exec(await sent.text())![1]!;
  expect(JSON.parse(event)).toEqual(expected.event ?? { type: "end" });
});
