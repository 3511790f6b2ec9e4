// What old versions of a large state cost when they are kept.
import { create } from 'mutative';
import { StateDocument } from 'patchwire';
import { initSync } from '../../pkg/dist/wasm/patchwire.js';
import { shapes } from '../shapes.mjs';

const N = 100_000;
const VERSIONS = 100;
/** Wasm memory grows in pages of 64 KB: so many versions that they tell. */
const OURS = 5_000;

function perVersion(count, bytes, next) {
  const kept = [];
  for (let i = 0; i < VERSIONS; i++) kept.push(next(i));
  gc();
  const before = bytes();
  for (let i = 0; i < count; i++) kept.push(next(VERSIONS + i));
  gc();
  return { bytes: (bytes() - before) / count, kept };
}

/** What a state takes that nobody has read yet, beside the plain one. */
const rowsOfNumbers = {
  name: 'memory of 100,000 rows of 16 numbers',
  shape: 'embeddings',
  target: 1,
  unit: 'bytes',
  figures() {
    const text = JSON.stringify(Array.from({ length: N }, (_, i) => shapes.embeddings.make(i).vector));
    const bytes = new TextEncoder().encode(text);
    // It starts the core, which `initSync` then only tells of.
    StateDocument.parse('1').free();
    gc();
    const wasm = initSync();
    const [before, heap] = [wasm.memory.buffer.byteLength, process.memoryUsage().heapUsed];
    const document = StateDocument.parse(bytes);
    const ours = wasm.memory.buffer.byteLength - before;
    document.free();
    const state = JSON.parse(text);
    gc();
    const plain = process.memoryUsage().heapUsed - heap;
    return { ours, peer: 100e6, who: '100 MB', also: `the ${state.length.toLocaleString('en')} rows as plain JavaScript: ${plain.toLocaleString('en')} bytes` };
  },
};

export const memory = [rowsOfNumbers, ...['push', 'nested'].flatMap((row) =>
  ['items', 'matrix'].map((shape) => ({
    name: `memory of 100 versions, n=100k: ${row === 'push' ? 'a push each' : 'an edited item each'}`,
    shape,
    target: 0.02,
    unit: 'bytes',
    figures() {
      const { list, make, initial, [row]: change } = shapes[shape];
      const at = row === 'push' ? '-' : `${N >> 1}/${shape === 'items' ? 'content' : 5}`;
      const op = row === 'push' ? 'add' : 'replace';
      const value = (i) => (row === 'push' ? make(i) : change.value(i));
      let document = StateDocument.parse(JSON.stringify(initial(N)));
      const wasm = initSync();
      const ours = perVersion(OURS, () => wasm.memory.buffer.byteLength + process.memoryUsage().heapUsed, (i) => (document = document.apply([{ op, path: `/${list}/${at}`, value: value(i) }])));
      let state = initial(N);
      const theirs = perVersion(VERSIONS, () => process.memoryUsage().heapUsed, (i) => (state = create(state, (draft) => void change.recipe(draft, i, N))));
      return { ours: ours.bytes * VERSIONS, peer: theirs.bytes * VERSIONS, who: 'Mutative' };
    },
  })),
)];
