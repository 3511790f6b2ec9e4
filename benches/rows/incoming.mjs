// A patch comes in as text, and the new plain state is wanted.
import fastJsonPatch from 'fast-json-patch';
import { immutableJSONPatch } from 'immutable-json-patch';
import { StateTracker } from 'patchwire';
import { entriesFor, placeOf, shapes } from '../shapes.mjs';

const VERSIONS = 8;
const pointer = (path) => path.map((key) => `/${key}`).join('');

const makers = {
  replace: ({ nested }, n, i) => [{ op: 'replace', path: pointer(placeOf(nested, n)), value: nested.value(i) }],
  push({ push }, n, i) {
    const path = push.key ? [...push.place, push.key(i)] : [...push.place, '-'];
    return [{ op: 'add', path: pointer(path), value: push.value(i) }];
  },
  twenty({ list, nested }, n, i) {
    const [, , ...rest] = placeOf(nested, n);
    return Array.from({ length: 20 }, (_, k) => {
      const at = Math.floor((n * (k + 0.5)) / 20);
      return { op: 'replace', path: pointer([list, at, ...rest]), value: nested.value(i + k) };
    });
  },
};

/** Twice as many texts as a batch has steps: a value never replaces itself. */
const textsOf = (shape, n, row) => Array.from({ length: 128 }, (_, i) => JSON.stringify(makers[row](shapes[shape], n, i)));

function following(texts, shape, n, row) {
  const grows = row === 'push';
  const all = new StateTracker(shapes[shape].initial(n), { arrayDeltaMode: 'precise', own: true });
  const versions = new Array(VERSIONS);
  return {
    name: 'patchwire',
    batch: grows ? 10 : 120,
    begin: () => {
      if (grows) all.update((draft) => shapes[shape].shrink(draft, n));
      all.resetTracking();
      all.getState();
    },
    step(i) {
      all.apply(texts[i % 128]);
      return (versions[i % VERSIONS] = all.getState());
    },
    state: () => all.getState(),
  };
}

function peer(name, texts, shape, n, row, applied) {
  const grows = row === 'push';
  const base = shapes[shape].initial(n);
  const versions = new Array(VERSIONS);
  let state = base;
  return {
    name,
    batch: grows ? 10 : 120,
    begin: grows ? () => (state = base) : undefined,
    step: (i) => (versions[i % VERSIONS] = state = applied(state, JSON.parse(texts[i % 128]))),
    state: () => state,
  };
}

const immutable = (...args) => peer('immutable-json-patch', ...args, immutableJSONPatch);
/** As AG-UI's client calls it: validated, into a deep copy. */
const cloning = (...args) => peer('fast-json-patch, cloning', ...args, (state, patch) => fastJsonPatch.applyPatch(state, patch, true, false).newDocument);
const inPlace = (...args) => peer('fast-json-patch, in place', ...args, (state, patch) => fastJsonPatch.applyPatch(state, patch).newDocument);

function incoming(name, shape, n, row, target, against = immutable, note = undefined) {
  return {
    name: `incoming: ${name}`,
    shape,
    target,
    note,
    contenders() {
      const texts = textsOf(shape, n, row);
      return { ours: following(texts, shape, n, row), peers: [against(texts, shape, n, row)] };
    },
  };
}

const every = ['items', 'chat', 'wide', 'deep', 'matrix', 'embeddings', 'scripts', 'webhooks', 'numbered', 'huge'];
const long = ['items', 'chat', 'matrix', 'embeddings', 'scripts'];

export const incomings = [
  ...every.map((shape) => incoming('1 replace, n=10', shape, 10, 'replace', 1)),
  ...every.map((shape) => incoming('1 push, n=10', shape, 10, 'push', 1)),
  ...long.map((shape) => incoming('1 replace, n=10k', shape, 10_000, 'replace', 1)),
  ...long.map((shape) => incoming('1 push, n=10k', shape, 10_000, 'push', 0.35)),
  ...long.map((shape) => incoming('20 replaces, n=10k', shape, 10_000, 'twenty', 0.25)),
  ...long.map((shape) => incoming('1 replace, 1 MB', shape, entriesFor(shape, 1e6), 'replace', 0.02, cloning)),
  incoming('1 replace, n=10k', 'items', 10_000, 'replace', undefined, inPlace, 'no target: the peer keeps no old version'),
];
