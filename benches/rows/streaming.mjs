// A text that grows token by token, a frame of patches per 16 tokens.
import { enablePatches, produceWithPatches } from 'immer';
import { create } from 'mutative';
import { StateTracker } from 'patchwire';
import { shapes, texts, tokens } from '../shapes.mjs';

enablePatches();

const COUNT = 2000;
const FRAME = 16;
const all = tokens(COUNT);
const textBytes = Buffer.byteLength(all.join(''));

function appending(shape, n, at) {
  const { list } = shapes[shape];
  const initial = shapes[shape].initial(n);
  initial[list][at].content = '';
  const tracker = new StateTracker(initial, { arrayDeltaMode: 'precise', own: true });
  const wire = tracker.cursor();
  const pointer = `/${list}/${at}/content`;
  const dialect = { dialect: 'extended' };
  return {
    name: 'patchwire',
    exact: 5 * FRAME,
    begin(first) {
      if (first % COUNT !== 0) return;
      tracker.update((draft) => void (draft[list][at].content = ''));
      tracker.resetTracking();
      wire.advance();
    },
    step(i) {
      tracker.append(pointer, all[i % COUNT]);
      if (i % FRAME !== FRAME - 1) return undefined;
      const frame = wire.patchText(dialect);
      wire.advance();
      return frame;
    },
    state: () => tracker.getState()[list][at].content,
    frameBytes: (frame) => (frame === undefined ? 0 : Buffer.byteLength(frame)),
  };
}

function peer(name, shape, n, at, produce) {
  const { list } = shapes[shape];
  const base = shapes[shape].initial(n);
  base[list][at].content = '';
  let state = base;
  return {
    name,
    exact: 5 * FRAME,
    begin(first) {
      if (first % COUNT === 0) state = base;
    },
    step(i) {
      const [next, patches] = produce(state, (draft) => void (draft[list][at].content += all[i % COUNT]));
      state = next;
      return patches;
    },
    state: () => state[list][at].content,
    frameBytes: (patches) => Buffer.byteLength(JSON.stringify(patches)),
  };
}

/** Bytes on the wire of one whole stream, its result checked. */
function wireBytes(one) {
  one.begin(0);
  let bytes = 0;
  for (let i = 0; i < COUNT; i++) bytes += one.frameBytes(one.step(i));
  if (one.state() !== all.join('')) throw new Error(`${one.name} streamed a different text`);
  return bytes;
}

function streaming(shape, n, name) {
  const ours = () => appending(shape, n, n - 1);
  const peers = () => [
    peer('Mutative', shape, n, n - 1, (state, recipe) => create(state, recipe, { enablePatches: true })),
    peer('Immer', shape, n, n - 1, produceWithPatches),
  ];
  return [
    { name: `2,000 tokens${name}: per token`, shape, target: 0.1, contenders: () => ({ ours: ours(), peers: peers() }) },
    {
      name: `2,000 tokens${name}: wire ÷ text`,
      shape,
      target: 2,
      unit: 'bytes',
      figures: () => ({ ours: wireBytes(ours()), peer: textBytes, who: 'the text', also: `Mutative's patches, one a token: ${wireBytes(peers()[0]).toLocaleString('en')} bytes` }),
    },
  ];
}

/** A message of so many characters that grows by a token, with a patch for each: by `+=` in a recipe, or by `append`. */
function growing(script, length, way) {
  const start = texts[script](length);
  const token = texts[script](6);
  const initial = () => ({ id: 1, message: start });
  const tracker = new StateTracker(initial(), { own: true });
  const grown = (state) => state.message.length > start.length * 1.1 + 600;
  const ours = {
    name: 'patchwire',
    batch: 100,
    begin() {
      if (!grown(tracker.getState())) return;
      tracker.update((draft) => void (draft.message = start));
      tracker.resetTracking();
    },
    step() {
      if (way === 'append') tracker.append('/message', token);
      else tracker.update((draft) => void (draft.message += token));
      const patch = way === 'append' ? tracker.getRFC6902Patches({ dialect: 'extended' }) : tracker.getRFC6902Patches();
      tracker.resetTracking();
      return patch;
    },
    state: () => tracker.getState(),
  };
  let state = initial();
  const peer = {
    name: 'Mutative',
    batch: 100,
    begin() {
      if (grown(state)) state = initial();
    },
    step() {
      const [next, patches] = create(state, (draft) => void (draft.message += token), { enablePatches: true });
      state = next;
      return patches;
    },
    state: () => state,
  };
  return { ours, peers: [peer] };
}

const growths = Object.keys(texts).flatMap((script) =>
  [1_000, 10_000, 100_000].flatMap((length) => [
    { name: `message += token of a text of ${length / 1000}k, with its patch`, shape: script, target: 0.5, contenders: () => growing(script, length, 'recipe') },
    { name: `append of a token to a text of ${length / 1000}k, with its patch`, shape: script, target: 0.1, contenders: () => growing(script, length, 'append') },
  ]),
);

/** Tokens that cut characters in two, each in a frame of its own: bytes sent for a byte of text. */
const halves = {
  name: 'tokens that split pairs: wire ÷ text',
  shape: 'emoji',
  target: 12,
  unit: 'bytes',
  figures() {
    const text = texts.emoji(4000);
    const tracker = new StateTracker({ message: '' }, { own: true });
    let bytes = 0;
    for (let i = 0; i < text.length; i += 5) {
      tracker.append('/message', text.slice(i, i + 5));
      bytes += Buffer.byteLength(tracker.getPatchText({ dialect: 'extended' }));
      tracker.resetTracking();
    }
    if (tracker.getState().message !== text) throw new Error('another text was streamed');
    return { ours: bytes, peer: Buffer.byteLength(text), who: 'the text' };
  },
};

export const streams = [...streaming('chat', 10, ', n=10'), ...streaming('items', 10_000, ', n=10k'), ...growths, halves];
