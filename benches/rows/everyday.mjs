// What people write every day: lists rewritten with filter and map, items edited one after the other, rows swapped and
// sorted. "first" is the first update of a tracker, whose core knows nothing of the state yet; "warm" is one of a tracker
// that has worked for a while, and whose state is put back before each step.
import jsonPatch from 'fast-json-patch';
import { applyPatches, current as currentOfImmer, enablePatches, produce, produceWithPatches } from 'immer';
import { apply, create, current as currentOfMutative } from 'mutative';
import { StateTracker, current } from 'patchwire';
import { shapes } from '../shapes.mjs';

enablePatches();

const N = 10_000;
const SWAPS = 1_000;

/** Rows as the members of an object, and a small object beside them. */
const members = {
  list: 'rows',
  initial: (n) => ({
    settings: { theme: 'dark', size: 1, open: false },
    rows: Object.fromEntries(Array.from({ length: n }, (_, i) => [`row${i}`, shapes.items.make(i)])),
  }),
};

const numbers = (from) => ({ list: Array.from({ length: 3_000 }, (_, i) => from + i) });

/** A board beside many rows: tabs, lanes of 4,000 cards, columns with their cards, and two long lists under names. */
const board = {
  list: 'rows',
  initial: (n) => ({
    tabs: [1, 2, 3].map((id) => ({ id, label: `tab ${id}` })),
    lanes: ['a', 'b', 'c'].map((id) => ({ id, cards: Array.from({ length: 4_000 }, (_, i) => ({ id: `${id}${i}`, title: `card ${i}` })) })),
    columns: Object.fromEntries(['todo', 'doing', 'done'].map((name) => [name, { title: name, cards: Array.from({ length: 10 }, (_, i) => shapes.items.make(i)) }])),
    series: { a: numbers(0), b: numbers(100) },
    rows: Array.from({ length: n }, (_, i) => shapes.items.make(i)),
  }),
};

const own = { members, board };
const shapeOf = (shape) => own[shape] ?? shapes[shape];
const toggled = (row) => ({ ...row, done: !row.done });
const isChosen = (row) => row.id === N >> 1;

const frozen = Object.freeze;
const swapped = ([first, second, ...others]) => frozen([second, first, ...others]);

/**
 * What is done to the rows of a draft; `outside` is the step's number, the state before it, and how to make a row and a snapshot.
 * `byHand` makes the next state without a draft, in frozen copies of just what the recipe changes.
 */
const changes = {
  'filter keeping all': { shapes: ['items', 'chat'], recipe: (draft, list) => void (draft[list] = draft[list].filter((row) => row.id >= 0)) },
  'filter keeping half': { shapes: ['items', 'chat'], recipe: (draft, list) => void (draft[list] = draft[list].filter((row) => row.id % 2 === 0)) },
  'filter keeping none': { shapes: ['items'], recipe: (draft, list) => void (draft[list] = draft[list].filter((row) => row.id < 0)) },
  'map with one row spread': {
    shapes: ['items', 'chat'],
    recipe: (draft, list) => void (draft[list] = draft[list].map((row) => (isChosen(row) ? toggled(row) : row))),
  },
  'Array.from with one row replaced': {
    shapes: ['items'],
    recipe(draft, list) {
      const rows = Array.from(draft[list]);
      rows[N >> 1] = toggled(rows[N >> 1]);
      draft[list] = rows;
    },
  },
  'with, one row replaced': {
    shapes: ['items'],
    recipe: (draft, list) => void (draft[list] = draft[list].with(N >> 1, toggled(draft[list][N >> 1]))),
  },
  'forEach editing all': {
    shapes: ['items', 'chat'],
    recipe: (draft, list) => draft[list].forEach((row) => void (row.done = !row.done)),
    byHand: (state, list) => frozen({ ...state, [list]: frozen(state[list].map((row) => frozen(toggled(row)))) }),
  },
  '1,000 swaps': {
    shapes: ['items'],
    recipe(draft, list) {
      const rows = draft[list];
      for (let i = 0, j = N - 1; i < SWAPS; i++, j--) [rows[i], rows[j]] = [rows[j], rows[i]];
    },
  },
  'remove every other by index': {
    shapes: ['items'],
    recipe(draft, list) {
      const rows = draft[list];
      let kept = 0;
      for (let i = 0; i < rows.length; i += 2) rows[kept++] = rows[i];
      rows.length = kept;
    },
  },
  // 10,000 rows take the peers minutes.
  'remove every other by splice': {
    shapes: ['items'],
    n: 1_000,
    recipe(draft, list) {
      const rows = draft[list];
      for (let i = rows.length - 2; i >= 0; i -= 2) rows.splice(i, 1);
    },
  },
  'sort of drafts': { shapes: ['items', 'chat'], recipe: (draft, list) => void draft[list].sort((a, b) => (a.id % 100) - (b.id % 100) || b.id - a.id) },
  'editing all members': {
    shapes: ['members'],
    recipe(draft, list) {
      for (const key of Object.keys(draft[list])) draft[list][key].done = !draft[list][key].done;
    },
    byHand(state, list) {
      const rows = { ...state[list] };
      for (const key of Object.keys(rows)) rows[key] = frozen(toggled(rows[key]));
      return frozen({ ...state, [list]: frozen(rows) });
    },
  },
  'a row edited by its name': {
    shapes: ['members'],
    n: 300,
    recipe: (draft, list, { i }) => void (draft[list].row7.id = -i),
    byHand: (state, list, { i }) => frozen({ ...state, [list]: frozen({ ...state[list], row7: frozen({ ...state[list].row7, id: -i }) }) }),
  },
  'a row added, another deleted': {
    shapes: ['members'],
    n: 300,
    recipe(draft, list, { i }) {
      draft[list][`added${i}`] = { id: i, content: 'new', tags: [] };
      delete draft[list][`row${i % 300}`];
    },
    byHand(state, list, { i }) {
      const rows = { ...state[list], [`added${i}`]: frozen({ id: i, content: 'new', tags: frozen([]) }) };
      delete rows[`row${i % 300}`];
      return frozen({ ...state, [list]: frozen(rows) });
    },
  },
  'the redux way': {
    shapes: ['items', 'chat'],
    recipe: (draft, list, { state }) => void (draft[list] = state()[list].map((row) => (isChosen(row) ? toggled(row) : row))),
    byHand: (state, list) => frozen({ ...state, [list]: frozen(state[list].map((row) => (isChosen(row) ? frozen(toggled(row)) : row))) }),
  },
  'Object.assign into a large object': {
    shapes: ['members'],
    recipe: (draft, list, { i }) => void Object.assign(draft[list], { row3: { id: 3, content: 'another', tags: [] }, row4: i, added: i }),
    byHand(state, list, { i }) {
      const rows = { ...state[list], row3: frozen({ id: 3, content: 'another', tags: frozen([]) }), row4: i, added: i };
      return frozen({ ...state, [list]: frozen(rows) });
    },
  },
  'Object.assign into a small object': {
    shapes: ['members'],
    recipe: (draft, _, { i }) => void Object.assign(draft.settings, { size: i + 2, theme: 'light' }),
    byHand: (state, _, { i }) => frozen({ ...state, settings: frozen({ ...state.settings, size: i + 2, theme: 'light' }) }),
  },
  'two tabs change places': {
    shapes: ['board'],
    recipe: ({ tabs }) => void ([tabs[0], tabs[1]] = [tabs[1], tabs[0]]),
    byHand: (state) => frozen({ ...state, tabs: swapped(state.tabs) }),
  },
  'two lanes of 4,000 cards change places': {
    shapes: ['board'],
    recipe: ({ lanes }) => void ([lanes[0], lanes[1]] = [lanes[1], lanes[0]]),
    byHand: (state) => frozen({ ...state, lanes: swapped(state.lanes) }),
  },
  'two lists of 3,000 numbers change places': {
    shapes: ['board'],
    recipe: ({ series }) => void ([series.a, series.b] = [series.b, series.a]),
    byHand: (state) => frozen({ ...state, series: frozen({ a: state.series.b, b: state.series.a }) }),
  },
  'columns made anew from their entries': {
    shapes: ['board'],
    recipe: (draft, _, { i }) => void (draft.columns = Object.fromEntries(Object.entries(draft.columns).map(([name, column]) => [name, { ...column, title: `${name} ${i}` }]))),
    byHand(state, _, { i }) {
      const columns = Object.entries(state.columns).map(([name, column]) => [name, frozen({ ...column, title: `${name} ${i}` })]);
      return frozen({ ...state, columns: frozen(Object.fromEntries(columns)) });
    },
  },
  'current after a push': {
    shapes: ['items', 'chat'],
    recipe(draft, list, { i, make, snapshot }) {
      draft[list].push(make(i));
      snapshot(draft[list]);
    },
  },
};

/** The draft's snapshots of the steps: kept, so that no work can be left out as unused. */
let kept;

function ours(row, shape, isFirst, hasPatches) {
  const { recipe, n = N } = changes[row];
  const { list, make, initial } = shapeOf(shape);
  const fresh = () => new StateTracker(initial(n), { arrayDeltaMode: 'precise', own: true });
  let tracker = fresh();
  const base = tracker.getState();
  const outside = { i: 0, make, state: () => tracker.getState(), snapshot: (draft) => (kept = current(draft)) };
  function restore() {
    tracker.update((draft) => void Object.assign(draft, base));
    tracker.getState();
    if (hasPatches) tracker.resetTracking();
    // The core is told of it now, not in the step.
    tracker.document().free();
  }
  return {
    name: 'patchwire',
    batch: 1,
    begin: isFirst ? () => (tracker = fresh()) : restore,
    step(i) {
      outside.i = i;
      tracker.update((draft) => recipe(draft, list, outside));
      if (!hasPatches) return tracker.getState();
      const patches = tracker.getRFC6902Patches();
      kept = tracker.getState();
      tracker.resetTracking();
      return patches;
    },
    state: () => tracker.getState(),
    // In place: 10,000 operations would copy an object of 10,000 members each time.
    replay: hasPatches ? (start, produced) => jsonPatch.applyPatch(structuredClone(start), structuredClone(produced.flat())).newDocument : undefined,
  };
}

/** `change` gives the next state, and its patches where it is to. */
function peer(name, { change, replay, snapshot }) {
  return (row, shape, isFirst, hasPatches) => {
    const { recipe, n = N } = changes[row];
    const { list, make, initial } = shapeOf(shape);
    const base = initial(n);
    let state = base;
    const outside = { i: 0, make, state: () => state, snapshot: (draft) => (kept = snapshot(draft)) };
    return {
      name,
      batch: 1,
      begin: () => (state = isFirst ? initial(n) : base),
      step(i) {
        outside.i = i;
        const [next, patches] = change(state, (draft) => recipe(draft, list, outside), hasPatches);
        state = next;
        return hasPatches ? patches : next;
      },
      state: () => state,
      replay: hasPatches ? (start, produced) => produced.reduce(replay, start) : undefined,
    };
  };
}

const immer = peer('Immer', {
  change: (state, recipe, hasPatches) => (hasPatches ? produceWithPatches(state, recipe) : [produce(state, recipe)]),
  replay: applyPatches,
  snapshot: currentOfImmer,
});
const mutative = peer('Mutative', {
  change: (state, recipe, hasPatches) => (hasPatches ? create(state, recipe, { enablePatches: true }) : [create(state, recipe)]),
  replay: (state, patches) => apply(state, patches),
  snapshot: currentOfMutative,
});

/** The plain frozen copy by hand, without a patch. */
function floor(row, shape, isFirst) {
  const { byHand, n = N } = changes[row];
  if (byHand === undefined) return undefined;
  const { list, make, initial } = shapeOf(shape);
  const base = initial(n);
  let state = base;
  const outside = { i: 0, make };
  return {
    name: 'the copy by hand',
    batch: 1,
    begin: () => (state = isFirst ? initial(n) : base),
    step(i) {
      outside.i = i;
      return (state = byHand(state, list, outside));
    },
    state: () => state,
  };
}

export const everyday = Object.entries(changes).flatMap(([row, { shapes, n }]) =>
  shapes.flatMap((shape) =>
    [false, true].flatMap((hasPatches) =>
      [true, false].map((isFirst) => ({
        name: `everyday: ${row}, ${isFirst ? 'first' : 'warm'}${hasPatches ? ', patches' : ''}`,
        shape,
        target: 1,
        note: n && `n=${n.toLocaleString('en')}`,
        contenders: () => ({
          ours: ours(row, shape, isFirst, hasPatches),
          peers: [mutative, immer].map((make) => make(row, shape, isFirst, hasPatches)),
          floor: floor(row, shape, isFirst),
        }),
      })),
    ),
  ),
);
