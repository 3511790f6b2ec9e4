// Structured output: 100 KB of JSON in chunks of 4 characters, a frame of patches per 16 chunks.
import jsonPatch from 'fast-json-patch';
import { parse } from 'partial-json';
import { StateTracker } from 'patchwire';
import { shapes } from '../shapes.mjs';

const CHUNK = 4;
const FRAME = 16;
/** The peer reads the whole prefix again with every chunk: so many chunks, all along the text, stand for all. */
const SAMPLES = 40;

/** µs a chunk and bytes on the wire of one whole stream, its result checked. */
function streamed(text) {
  const tracker = new StateTracker({ answer: null }, { arrayDeltaMode: 'precise' });
  const wire = tracker.cursor();
  const stream = tracker.stream('/answer');
  const chunks = Array.from({ length: Math.ceil(text.length / CHUNK) }, (_, i) => text.slice(i * CHUNK, (i + 1) * CHUNK));
  const frames = [];
  const started = performance.now();
  chunks.forEach((chunk, i) => {
    stream.write(chunk);
    if (i % FRAME !== FRAME - 1) return;
    frames.push(wire.patchText({ dialect: 'extended' }));
    wire.advance();
  });
  stream.end();
  const micros = ((performance.now() - started) * 1000) / chunks.length;
  if (JSON.stringify(tracker.getState().answer) !== text) throw new Error('another value was streamed');
  return { micros, bytes: frames.reduce((sum, frame) => sum + Buffer.byteLength(frame), 0) };
}

/** µs a chunk of parsing what has come with partial-json, and comparing with what had come before. */
function parsedAgain(text) {
  let micros = 0;
  for (let i = 0; i < SAMPLES; i++) {
    const end = Math.floor((text.length * (i + 0.5)) / SAMPLES);
    const before = parse(text.slice(0, end - CHUNK));
    const started = performance.now();
    JSON.stringify(jsonPatch.compare(before, parse(text.slice(0, end))));
    micros += (performance.now() - started) * 1000;
  }
  return micros / SAMPLES;
}

const least = (times, run) => Math.min(...Array.from({ length: times }, run));

function structured(shape, n) {
  const text = JSON.stringify(shapes[shape].initial(n));
  const who = 'partial-json, fast-json-patch';
  return [
    { name: '100 KB of JSON: per chunk', shape, target: 0.05, figures: () => ({ ours: least(5, () => streamed(text).micros), peer: least(2, () => parsedAgain(text)), who }) },
    { name: '100 KB of JSON: wire ÷ text', shape, target: 4, unit: 'bytes', figures: () => ({ ours: streamed(text).bytes, peer: Buffer.byteLength(text), who: 'the text' }) },
  ];
}

export const structures = [...structured('items', 1300), ...structured('chat', 95)];
