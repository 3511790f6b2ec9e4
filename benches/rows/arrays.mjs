// Items that move: every later index shifts, or the order changes, which precise patches say in few operations.
import { applyPatches, enablePatches, produceWithPatches } from 'immer';
import { immutableJSONPatch } from 'immutable-json-patch';
import { apply, create } from 'mutative';
import { StateTracker } from 'patchwire';
import { shapes } from '../shapes.mjs';

enablePatches();

const N = 10_000;
const BATCH = 4;
const MIDDLE = N >> 1;

const changes = {
  splice: {
    recipe: (items) => void items.splice(MIDDLE, 1),
    undo: (items, make, steps) => void items.splice(MIDDLE, 0, ...Array.from({ length: steps }, (_, k) => make(MIDDLE + k))),
  },
  unshift: {
    recipe: (items, make, i) => void items.unshift(make(i)),
    undo: (items, make, steps) => void items.splice(0, steps),
  },
  // These change the whole list, which is put back before each step.
  'sort all': { recipe: (items) => void items.sort((a, b) => b.id - a.id), whole: true },
  'remove every other': {
    recipe(items) {
      for (let i = items.length - 2; i >= 0; i -= 2) items.splice(i, 1);
    },
    whole: true,
    // 5,000 splices of a draft take the peers minutes: only their patches are compared.
    untimed: true,
  },
};

function ours(shape, row) {
  const { list, make, initial } = shapes[shape];
  const { recipe, undo, whole } = changes[row];
  const tracker = new StateTracker(initial(N), { arrayDeltaMode: 'precise', own: true });
  const original = tracker.getState()[list];
  let steps = 0;
  let state;
  return {
    name: 'patchwire',
    batch: whole ? 1 : BATCH,
    begin() {
      if (steps > 0) tracker.update((draft) => (whole ? void (draft[list] = original) : undo(draft[list], make, steps)));
      steps = 0;
      tracker.resetTracking();
      tracker.getState();
    },
    step(i) {
      steps += 1;
      tracker.update((draft) => recipe(draft[list], make, i));
      const patches = tracker.getRFC6902Patches();
      state = tracker.getState();
      tracker.resetTracking();
      return patches;
    },
    state: () => state ?? tracker.getState(),
    replay: (base, produced) => produced.reduce(immutableJSONPatch, base),
  };
}

function peer(name, shape, row, produce, replay) {
  const { list, make, initial } = shapes[shape];
  const base = initial(N);
  let state = base;
  return {
    name,
    batch: changes[row].whole ? 1 : BATCH,
    begin: () => (state = base),
    step(i) {
      const [next, patches] = produce(state, (draft) => changes[row].recipe(draft[list], make, i));
      state = next;
      return patches;
    },
    state: () => state,
    replay: (start, produced) => produced.reduce((at, patches) => replay(at, patches), start),
  };
}

const mutative = (shape, row) => peer('Mutative', shape, row, (state, recipe) => create(state, recipe, { enablePatches: true }), apply);
const immer = (shape, row) => peer('Immer', shape, row, produceWithPatches, applyPatches);

function floor(shape, row) {
  const { list, initial } = shapes[shape];
  const root = initial(N);
  if (changes[row].whole) {
    const step = () => {
      const copy = root[list].slice();
      changes[row].recipe(copy);
      return Object.freeze({ ...root, [list]: Object.freeze(copy) });
    };
    return { name: 'the change by hand', batch: 1, step };
  }
  const twin = [...root[list]];
  return { name: 'the copy by hand', batch: BATCH, step: () => (twin.unshift(twin.pop()), Object.freeze({ ...root, [list]: Object.freeze(twin.slice()) })) };
}


function patchBytes(one) {
  one.begin();
  return Buffer.byteLength(JSON.stringify(one.step(0)));
}

const timed = (shape, row) => ({
  name: `${row}, n=10k, precise`,
  shape,
  target: changes[row].whole ? 1 : 0.05,
  contenders: () => ({ ours: ours(shape, row), peers: [mutative(shape, row), immer(shape, row)], floor: floor(shape, row) }),
});

export const arrays = Object.keys(changes).flatMap((row) =>
  (changes[row].whole ? ['items', 'chat'] : ['items', 'chat', 'matrix']).flatMap((shape) => [
    ...(changes[row].untimed ? [] : [timed(shape, row)]),
    {
      name: `${row}, n=10k, precise: patch`,
      shape,
      target: changes[row].whole ? 1 : 0.01,
      unit: 'bytes',
      figures() {
        const [a, b] = [mutative, immer].map((make) => ({ bytes: patchBytes(make(shape, row)), who: make === mutative ? 'Mutative' : 'Immer' }));
        const best = a.bytes <= b.bytes ? a : b;
        return { ours: patchBytes(ours(shape, row)), peer: best.bytes, who: best.who };
      },
    },
  ]),
);
