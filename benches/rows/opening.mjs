// A saved state comes back as bytes, changes a little, and is saved.
import { create } from 'mutative';
import { StateDocument, StateTracker } from 'patchwire';
import { entriesFor, shapes } from '../shapes.mjs';

const SIZE = 5e6;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What each step saved, as the state that the rows compare. */
const saved = (one) => ({ ...one, batch: 1, step: (i) => (one.last = one.run(i)), state: () => (one.last ? JSON.parse(decoder.decode(one.last)) : null) });

function opening(shape) {
  const { list, make, initial } = shapes[shape];
  const bytes = encoder.encode(JSON.stringify(initial(entriesFor(shape, SIZE))));
  const pushed = (i) => JSON.stringify([{ op: 'add', path: `/${list}/-`, value: make(i) }]);
  const keep = {};
  const document = saved({
    name: 'patchwire, StateDocument',
    run(i) {
      const before = StateDocument.parse(bytes);
      keep.patch = pushed(i);
      const after = before.apply(keep.patch);
      const out = after.toBytes();
      before.free();
      after.free();
      return out;
    },
  });
  const tracked = saved({
    name: 'patchwire, StateTracker',
    run(i) {
      const before = StateDocument.parse(bytes);
      const tracker = new StateTracker(before, { arrayDeltaMode: 'precise' });
      tracker.update((draft) => draft[list].push(make(i)));
      keep.patch = tracker.getPatchText();
      const after = tracker.document();
      const out = after.toBytes();
      before.free();
      after.free();
      return out;
    },
  });
  const peer = saved({
    name: 'JSON.parse + Mutative + stringify',
    run(i) {
      const [next, patches] = create(JSON.parse(decoder.decode(bytes)), (draft) => void draft[list].push(make(i)), { enablePatches: true });
      keep.patch = JSON.stringify(patches);
      return encoder.encode(JSON.stringify(next));
    },
  });
  const floor = { name: 'the bytes in and out', batch: 1, step: () => bytes.slice().slice() };
  return { document, tracked, peer, floor };
}

function walk(value) {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const key in value) count += walk(value[key]);
  return count;
}

export const openings = ['items', 'chat', 'matrix'].flatMap((shape) => [
  {
    name: 'open 5 MB + push + patch + save: document',
    shape,
    target: 0.4,
    contenders() {
      const { document, peer, floor } = opening(shape);
      return { ours: document, peers: [peer], floor };
    },
  },
  {
    name: 'open 5 MB + push + patch + save: tracker',
    shape,
    target: 0.4,
    contenders() {
      const { tracked, peer, floor } = opening(shape);
      return { ours: tracked, peers: [peer], floor };
    },
  },
  ...(shape === 'items'
    ? [
        {
          name: 'open 5 MB, read every node',
          shape,
          note: 'no target: whoever reads all of it needs all of it',
          contenders() {
            const bytes = encoder.encode(JSON.stringify(shapes[shape].initial(entriesFor(shape, SIZE))));
            const read = (name, open) => ({ name, batch: 1, step: () => walk(open()) });
            const ours = () => {
              const document = StateDocument.parse(bytes);
              const value = document.toJSON();
              document.free();
              return value;
            };
            return { ours: read('patchwire', ours), peers: [read('JSON.parse', () => JSON.parse(decoder.decode(bytes)))] };
          },
        },
      ]
    : []),
]);
