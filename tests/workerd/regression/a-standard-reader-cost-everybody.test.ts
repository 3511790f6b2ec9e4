import { expect, test } from "vitest";
import { memory } from "../../support/faults.ts";
import { hello, newSession, Wire, within } from "../session.ts";

// A reader of the standard dialect is sent a growing string as a whole with every token. Those frames were kept without
// a bound (179 MB after 2,000 tokens), and where they were over the limit, everybody was sent snapshots.

test("while a string grows, a standard reader costs itself alone", async () => {
  const stub = newSession();
  const [extended, standard] = [await Wire.live(stub), await Wire.open(stub, hello(null, null, "rfc6902"))];
  await standard.until(({ type }) => type === "status");
  const token = "x".repeat(100);
  const before = memory().buffer.byteLength;
  for (let round = 0; round < 20; round++) {
    await within(stub, ({ state }) => {
      for (let i = 0; i < 100; i++) state.append("/answer", token);
    });
    await standard.revision((round + 1) * 100);
    standard.frames.length = 0;
  }
  await extended.revision(2_000);
  expect(memory().buffer.byteLength - before).toBeLessThan(16 << 20);
  expect(extended.chunks("state_snapshot")).toHaveLength(1);
  expect(extended.chunks("state_patch").map(({ chunk }) => chunk.patches[0].str)).toEqual(Array.from({ length: 2_000 }, () => token));
});

test("a standard frame over the limit is a snapshot for who asked for it, and for nobody else", async () => {
  const stub = newSession();
  const long = "x".repeat(5 << 20);
  await within(stub, ({ state }) => state.append("/answer", long));
  const [extended, standard] = [await Wire.live(stub), await Wire.open(stub, hello(null, null, "rfc6902"))];
  await standard.until(({ type }) => type === "status");
  for (const token of ["a", "b", "c"]) await within(stub, ({ state }) => state.append("/answer", token));
  await Promise.all([extended.revision(4), standard.revision(4)]);
  expect(extended.chunks("state_patch").map(({ chunk }) => chunk.patches[0].str)).toEqual(["a", "b", "c"]);
  expect(extended.chunks("stream_resync")).toEqual([]);
  expect(standard.chunks("stream_resync").map(({ chunk }) => chunk.reason)).toEqual(["size", "size", "size"]);
  // Who was connected to the extended dialect can resume, too.
  const session = extended.chunks("state_snapshot")[0]!.chunk.session;
  const back = await Wire.open(stub, hello(session, 1));
  await back.until(({ type }) => type === "status");
  expect(back.chunks("state_patch").map(({ revision }) => revision)).toEqual([2, 3, 4]);
});
