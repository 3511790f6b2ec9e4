// One change, its patch and the new state.
import { byHand, immer, mutative, ours, recording } from '../contenders.mjs';

const every = ['items', 'chat', 'wide', 'deep', 'matrix', 'embeddings', 'scripts', 'webhooks', 'numbered', 'huge'];
const isWide = (shape) => ['wide', 'deep', 'numbered', 'huge'].includes(shape);
const long = ['items', 'chat', 'matrix', 'embeddings', 'scripts'];

function update(name, shape, n, row, target, { floor = false, unread = false, peers = [mutative, immer] } = {}) {
  return {
    name,
    shape,
    target,
    contenders: () => ({
      ours: ours(shape, n, row, { unread }),
      peers: peers.map((peer) => peer(shape, n, row)),
      text: { ours: ours(shape, n, row, { unread, form: 'text' }), peer: mutative(shape, n, row, { form: 'text' }) },
      floor: floor ? byHand(shape, n, row) : undefined,
    }),
  };
}

const names = { set: 'set, n=10', push: 'push, n=10', nested: 'nested set, n=10', three: '3 writes, n=10' };

/** What lists of ten are changed by. */
const listed = {
  bounded: 'one in, the first out, n=10',
  between: 'one in or out between others, n=10',
  spread: 'a list made anew with one more or less, n=10',
  capped: 'one in, the last ten kept, n=10',
  series: 'a number in, the last 60 kept, n=10',
  edited: 'all items edited, n=10',
  moved: 'an item moved in its list, n=10',
  counted: 'an item moved, and a number set, n=10',
  swapped: 'two neighbours change places, n=10',
  refilled: 'a list emptied and filled again, n=10',
  exchanged: "an object in another one's place, n=10",
};

export const updates = [
  ...Object.entries(names).flatMap(([row, name]) =>
    every.map((shape) => {
      const floor = row !== 'three' && isWide(shape);
      return update(name, shape, 10, row, shape === 'deep' ? 0.6 : 0.4, { floor });
    }),
  ),
  ...Object.entries(listed).flatMap(([row, name]) => ['items', 'chat'].map((shape) => update(name, shape, 10, row, 1))),
  ...long.map((shape) => update('push, n=10k', shape, 10_000, 'push', 0.3, { floor: true })),
  ...long.map((shape) => update('set in the middle, n=10k', shape, 10_000, 'nested', 0.85, { floor: true })),
  ...long.map((shape) => update('push, n=10k, state unread', shape, 10_000, 'push', 0.05, { unread: true })),
  ...long.map((shape) => update('set in the middle, n=10k, state unread', shape, 10_000, 'nested', 0.05, { unread: true })),
  ...['wide', 'numbered', 'huge'].map((shape) => update('set a member, state unread', shape, 10, 'set', 0.05, { unread: true })),
  ...long.map((shape) => ({
    name: 'push n=100k ÷ n=10, state unread',
    shape,
    target: 3,
    contenders: () => ({
      ours: ours(shape, shape === 'chat' ? 20_000 : 100_000, 'push', { unread: true }),
      peers: [{ ...ours(shape, 10, 'push', { unread: true }), name: 'itself, n=10', state: undefined }],
    }),
    note: shape === 'chat' ? 'n=20k: 21 MB' : undefined,
  })),
  ...['items'].map((shape) => ({
    name: 'push n=100k ÷ n=10, nothing asked',
    shape,
    target: 3,
    contenders: () => ({
      ours: recording(shape, 100_000, 'push'),
      peers: [{ ...recording(shape, 10, 'push'), name: 'itself, n=10', state: undefined }],
    }),
  })),
  {
    ...update('set in the middle, n=100k', 'items', 100_000, 'nested', undefined, { floor: true, peers: [mutative] }),
    note: 'no target: the copy is the floor',
  },
];
