// Functions on plain states, and trackers made of them: what isn't touched should cost nothing.
import fastJsonPatch from 'fast-json-patch';
import { immutableJSONPatch } from 'immutable-json-patch';
import { applyPatches, enablePatches } from 'immer';
import { create } from 'mutative';
import { applyPatch, diff, mergeWrites, StateTracker } from 'patchwire';
import { initSync } from '../../pkg/dist/wasm/patchwire.js';
import { entriesFor, placeOf, shapes } from '../shapes.mjs';

enablePatches();

const pointer = (path) => path.map((key) => `/${key}`).join('');
const found = (one) => ({ ...one, step: (i) => (one.last = one.run(i)), state: () => one.last ?? null });

function patchOf({ push, nested }, n, row) {
  if (row === 'replace') return [{ op: 'replace', path: pointer(placeOf(nested, n)), value: nested.value(1) }];
  const path = push.key ? [...push.place, push.key(1)] : [...push.place, '-'];
  return [{ op: 'add', path: pointer(path), value: push.value(1) }];
}

/** As Immer has patches: paths are lists, and the end of an array is its length. */
function immers(state, patch) {
  const patches = patch.map(({ op, path, value }) => {
    const keys = path.split('/').slice(1).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    if (keys.at(-1) === '-') keys[keys.length - 1] = keys.slice(0, -1).reduce((at, key) => at[key], state).length;
    return { op, path: keys, value };
  });
  return () => applyPatches(state, patches);
}

const applying = (shape, n, row, target) => ({
  name: `applyPatch on a plain state: 1 ${row}, n=${n}`,
  shape,
  target,
  contenders() {
    const state = shapes[shape].initial(n);
    const patch = patchOf(shapes[shape], n, row);
    const batch = n > 100 ? 10 : 100;
    return {
      ours: found({ name: 'patchwire', batch, run: () => applyPatch(state, patch) }),
      peers: [
        found({ name: 'immutable-json-patch', batch, run: () => immutableJSONPatch(state, patch) }),
        found({ name: 'Immer', batch, run: immers(state, patch) }),
      ],
    };
  },
});

const comparing = (name, shape, target, other) => ({
  name: `diff of plain states, n=10k: ${name}`,
  shape,
  target,
  contenders() {
    const n = 10_000;
    const state = shapes[shape].initial(n);
    const after = other(state, shapes[shape], n);
    return {
      ours: found({ name: 'patchwire', batch: 4, run: () => diff(state, after) }),
      peers: [found({ name: 'fast-json-patch compare', batch: 4, run: () => fastJsonPatch.compare(state, after) })],
    };
  },
});

/** What others compared: documents of editors, nests, rows without ids, lists that were fetched again. */
const editor = (levels, text) => (levels === 0 ? { type: 'text', text } : { type: 'node', attrs: { levels, align: null }, content: [editor(levels - 1, text)] });
const nest = (levels, value) => (levels === 0 ? [value] : [nest(levels - 1, value)]);
const rows = (n, more) => Array.from({ length: n }, (_, i) => ({ name: `row ${i}`, value: i, ...more }));
const members = (n, changed) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`key ${i}`, { value: i === changed ? -1 : i }]));
/** As a service answers, and what it answers later. */
const issues = (change) => Array.from({ length: 1_000 }, (_, id) => ({
  id,
  title: `Issue number ${id} of the tracker`,
  state: 'open',
  comments: id % 7,
  updated_at: `2026-11-${10 + (id % 7)}T10:00:00Z`,
  user: { login: `octo${id % 17}`, id: id % 17 },
  labels: ['bug', `p${id % 3}`],
  ...change?.(id),
}));
const fetched = (id) => ({ comments: (id % 7) + 1, updated_at: `2026-11-${11 + (id % 7)}T10:00:00Z` });
const pairs = {
  'a few members, one changed': () => [{ count: 1, status: 'open', list: [1, 2, 3] }, { count: 2, status: 'open', list: [1, 2, 3] }],
  'an editor\'s document of 3 levels, a text changed': () => [editor(3, 'abc'), editor(3, 'abd')],
  'an editor\'s document of 30 levels, a text changed': () => [editor(30, 'abc'), editor(30, 'abd')],
  'arrays of 20 levels, a number changed': () => [nest(20, 1), nest(20, 2)],
  'arrays of 100 levels, a number changed': () => [nest(100, 1), nest(100, 2)],
  '10 rows without ids, each gets a member': () => [rows(10), rows(10, { done: false })],
  '1,000 rows without ids, each gets a member': () => [rows(1_000), rows(1_000, { done: false })],
  '1,000 rows of a service, all changed': () => [issues(), issues(fetched)],
  '1,000 rows of a service, every tenth changed': () => [issues(), issues((id) => (id % 10 === 0 ? fetched(id) : {}))],
  '1,000 rows of a service, sorted otherwise': () => [issues(), issues().sort((a, b) => a.comments - b.comments)],
  '1,000 members, one changed': () => [members(1_000), members(1_000, 500)],
};

const comparingPair = (name) => ({
  name: `diff of plain values: ${name}`,
  contenders() {
    const [before, after] = pairs[name]();
    const batch = JSON.stringify(before).length > 5_000 ? 2 : 50;
    // Patches that differ may lead to the same.
    const leading = (one) => ({ ...one, step: () => (one.last = one.run()), state: () => fastJsonPatch.applyPatch(structuredClone(before), structuredClone(one.last ?? [])).newDocument });
    return {
      ours: leading({ name: 'patchwire', batch, run: () => diff(before, after) }),
      peers: [leading({ name: 'fast-json-patch compare', batch, run: () => fastJsonPatch.compare(before, after) })],
    };
  },
});

const push = (shape, n) => (draft) => void shapes[shape].push.recipe(draft, 1, n);

/** A tracker, one change, its patch and the state. */
function tracked(state, options, recipe) {
  const tracker = new StateTracker(state, options);
  tracker.update(recipe);
  tracker.getRFC6902Patches();
  return tracker.getState();
}

const fresh = (name, shape, target, contenders) => ({
  name: `a fresh tracker, 1 push, its patch, the state, n=10k: ${name}`,
  shape,
  target,
  contenders: () => contenders(shapes[shape].initial(10_000), push(shape, 10_000)),
});

const published = (state, recipe) => {
  const frozen = new StateTracker(state).getState();
  return {
    ours: found({ name: 'patchwire', batch: 10, run: () => tracked(frozen, {}, recipe) }),
    peers: [found({ name: 'Mutative', batch: 10, run: () => create(frozen, recipe, { enablePatches: true })[0] })],
  };
};

const callers = (state, recipe) => ({
  ours: found({ name: 'patchwire', batch: 2, run: () => tracked(state, {}, recipe) }),
  peers: [found({ name: 'structuredClone + Mutative', batch: 2, run: () => create(structuredClone(state), recipe, { enablePatches: true })[0] })],
});

const every = ['items', 'chat', 'wide', 'deep', 'matrix'];
const long = ['items', 'chat', 'matrix'];

/** Three tools that push to one state of 5 MB. */
const merging = (shape) => ({
  name: 'mergeWrites of three tools, 5 MB: µs',
  shape,
  target: 1000,
  unit: 'µs',
  figures() {
    const n = entriesFor(shape, 5e6);
    const state = shapes[shape].initial(n);
    const writes = { ops: [{ kind: 'append', path: `/${shapes[shape].list}`, items: [shapes[shape].push.value(1)] }] };
    const times = Array.from({ length: 30 }, () => {
      const before = performance.now();
      mergeWrites(state, [writes, writes, writes]);
      return performance.now() - before;
    });
    return { ours: times.sort((a, b) => a - b)[15] * 1000, peer: 1, who: 'a microsecond' };
  },
});

const N = 100;
const heap = () => (gc(), process.memoryUsage().heapUsed + initSync().memory.buffer.byteLength);

/** What a state takes, and then 100 trackers over it, each with a change and its patch; `theirs` are a peer's states after the same. */
function trackers(recipe, theirs) {
  // What starting the core leaves behind isn't the state's.
  diff(null, null);
  const empty = heap();
  const state = new StateTracker(shapes.items.initial(50_000), { own: true }).getState();
  const one = heap() - empty;
  const kept = (make) => {
    const before = heap();
    const all = Array.from({ length: N }, make);
    // Whoever keeps the list keeps what is in it.
    const bytes = heap() - before;
    return all.length === N ? bytes : NaN;
  };
  const ours = kept(() => {
    const tracker = new StateTracker(state);
    tracker.update(recipe);
    tracker.getRFC6902Patches();
    return tracker;
  });
  return { ours: one + ours, peer: one + (theirs ? kept(() => create(state, recipe, { enablePatches: true })) : 0) };
}

const memory = [
  {
    name: `memory of ${N} trackers on one frozen state, n=50k, each with a changed number`,
    shape: 'items',
    target: 1.2,
    unit: 'bytes',
    figures: () => ({ ...trackers((draft) => void (draft.count += 1), false), who: 'one' }),
  },
  {
    // The list that holds the item is copied for each: 400 KB, whoever does it.
    name: `memory of ${N} trackers on one frozen state, n=50k, each with an edited item`,
    shape: 'items',
    target: 1.2,
    unit: 'bytes',
    figures: () => ({ ...trackers((draft) => void (draft.items[7].content = 'changed'), true), who: `${N} states of Mutative` }),
  },
];

export const plain = [
  ...every.flatMap((shape) => ['replace', 'push'].map((row) => applying(shape, 10, row, 1.5))),
  ...long.flatMap((shape) => ['replace', 'push'].map((row) => applying(shape, 10_000, row, 1.2))),
  ...long.map((shape) => comparing('all but one entry shared', shape, 0.2, (state, of, n) => immutableJSONPatch(state, patchOf(of, n, 'replace')))),
  ...long.map((shape) => comparing('equal, nothing shared', shape, 1, structuredClone)),
  ...Object.keys(pairs).map(comparingPair),
  ...long.map((shape) => fresh('of a state that was published', shape, 1.2, published)),
  ...long.map((shape) => fresh("of the caller's own", shape, 1, callers)),
  ...['items', 'chat'].map(merging),
  ...memory,
];
