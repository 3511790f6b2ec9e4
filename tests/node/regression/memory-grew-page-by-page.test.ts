import { expect, test } from "vitest";
import { ready, StateDocument } from "patchwire";
import { initSync } from "../../../pkg/dist/wasm/patchwire.js";

// Each time wasm memory grows V8 takes all of it for new, and past 64 MB it begins a collection of all garbage. The allocator let it
// grow by one page at a time: documents beyond the first 64 MB took four to six times as long to read.

test("memory that is needed bit by bit grows in few steps", async () => {
  await ready();
  const { memory } = (initSync as () => { memory: WebAssembly.Memory })();
  const text = JSON.stringify({ rows: Array.from({ length: 100 }, (_, id) => ({ id, text: `${id}`.repeat(100) })) }, null, 1);
  const held: StateDocument[] = [];
  let { buffer } = memory;
  let steps = 0;
  while (buffer.byteLength < 48 << 20) {
    held.push(StateDocument.parse(text));
    if (memory.buffer === buffer) continue;
    buffer = memory.buffer;
    if (buffer.byteLength > 16 << 20) steps++;
  }
  for (const document of held) document.free();
  expect(steps).toBeLessThan(50);
});
