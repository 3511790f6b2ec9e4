// A saved state comes back as bytes, changes a little, and is saved.
import { create } from 'mutative';
import { StateDocument, StateTracker } from 'patchwire';
import { entriesFor, lists, shapes } from '../shapes.mjs';

const SIZE = 5e6;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What each step saved, as the state that the rows compare. */
const saved = (one) => ({ ...one, batch: 1, step: (i) => (one.last = one.run(i)), state: () => (one.last ? JSON.parse(decoder.decode(one.last)) : null) });

function opening(shape) {
  const { initial, added, push: append, nested } = shapes[shape];
  const entries = entriesFor(shape, SIZE);
  const bytes = encoder.encode(JSON.stringify(initial(entries)));
  const pushed = (i) => JSON.stringify([added(i)]);
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
  const tracked = (recipe) => saved({
    name: 'patchwire, StateTracker',
    run(i) {
      const before = StateDocument.parse(bytes);
      const tracker = new StateTracker(before, { arrayDeltaMode: 'precise' });
      tracker.update((draft) => recipe(draft, i));
      keep.patch = tracker.getPatchText();
      const after = tracker.document();
      const out = after.toBytes();
      before.free();
      after.free();
      return out;
    },
  });
  const peer = (recipe) => saved({
    name: 'JSON.parse + Mutative + stringify',
    run(i) {
      const [next, patches] = create(JSON.parse(decoder.decode(bytes)), (draft) => void recipe(draft, i), { enablePatches: true });
      keep.patch = JSON.stringify(patches);
      return encoder.encode(JSON.stringify(next));
    },
  });
  const floor = { name: 'the bytes in and out', batch: 1, step: () => bytes.slice().slice() };
  const push = (draft, i) => void append.recipe(draft, i);
  const leaf = (draft, i) => nested.recipe(draft, i, entries);
  return { document, tracked, peer, floor, push, leaf };
}

function walk(value) {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const key in value) count += walk(value[key]);
  return count;
}

const opened = [...lists, 'huge'];
/** Numbers of 16 and 17 digits are looked at digit by digit. */
const targets = { embeddings: { save: 0.6, read: 1.5 } };

export const openings = opened.flatMap((shape) => [
  {
    name: 'open 5 MB + push + patch + save: document',
    shape,
    target: targets[shape]?.save ?? 0.4,
    contenders() {
      const { document, peer, floor, push } = opening(shape);
      return { ours: document, peers: [peer(push)], floor };
    },
  },
  ...['push', 'leaf'].map((change) => ({
    name: `open 5 MB + ${change} + patch + save: tracker`,
    shape,
    target: targets[shape]?.save ?? 0.4,
    contenders() {
      const { tracked, peer, floor, [change]: recipe } = opening(shape);
      return { ours: tracked(recipe), peers: [peer(recipe)], floor };
    },
  })),
  {
    name: 'open 5 MB, read every node',
    shape,
    target: targets[shape]?.read ?? 1.2,
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
]);
