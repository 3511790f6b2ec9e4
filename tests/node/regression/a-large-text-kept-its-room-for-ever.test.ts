import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";

// Room for three bytes a character, rounded up to a power of two, was kept for as long as the module ran.

type Glue = typeof import("../../../pkg/dist/wasm/patchwire.js");
let glue: Glue;
let memory: WebAssembly.Memory;

beforeAll(async () => {
  const dist = new URL("../../../pkg/dist/wasm/", import.meta.url);
  glue = await import(new URL("patchwire.js", dist).href) as Glue;
  ({ memory } = glue.initSync({ module: new WebAssembly.Module(readFileSync(fileURLToPath(new URL("patchwire.wasm", dist)))) }));
});

const rows = (count: number) => Array.from({ length: count }, (_, id) => `{"id":${id},"text":"row ${id}, with some text of its own, and more","done":false}`);

test("opening 22 MB takes less than three times that, which the next one has again", () => {
  const text = new TextEncoder().encode(`[${rows(300_000).join(",")}]`);
  expect(text.length).toBeGreaterThan(22e6);
  const arena = new glue.Arena();
  const open = () => {
    const address = arena.reserve(text.length) >>> 0;
    new Uint8Array(memory.buffer, address, text.length).set(text);
    const document = glue.DocumentHandle.parse(arena, text.length, new Float64Array(6).fill(NaN));
    arena.reserve(16);
    return document;
  };
  const before = memory.buffer.byteLength;
  open().free();
  const peak = memory.buffer.byteLength - before;
  expect(peak).toBeLessThan(3 * text.length);
  for (let i = 0; i < 3; i++) open().free();
  expect(memory.buffer.byteLength - before).toBeLessThan(1.1 * peak);
});
