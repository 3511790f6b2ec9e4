// Patchwire and its peers doing the same changes. All keep the last eight versions, as a program that shows or
// compares versions does.
import { applyPatches, enablePatches, produceWithPatches } from 'immer';
import { immutableJSONPatch } from 'immutable-json-patch';
import { apply, create } from 'mutative';
import { StateTracker } from 'patchwire';
import { placeOf, shapes } from './shapes.mjs';

enablePatches();

const VERSIONS = 8;
/** There are no files there. */
const isInWorkerd = globalThis.navigator?.userAgent === 'Cloudflare-Workers';

/** A tracker that has worked for a while: the first update copies what it touches. */
function tracker(shape, n, options) {
  return new StateTracker(shapes[shape].initial(n), { arrayDeltaMode: 'precise', own: true, ...options });
}

/** Puts a document that a change made larger back to its size, between batches. */
function shrinker(shape, n, changes, all) {
  if (!changes.grows) return undefined;
  return () => {
    all.update((draft) => shapes[shape].shrink(draft, n));
    all.resetTracking();
    all.getState();
  };
}

/** Ours: update, the patch (`objects` or `text`), the state unless it stays `unread`, reset. */
export function ours(shape, n, row, { form = 'objects', unread = false } = {}) {
  const change = shapes[shape][row];
  const { recipe } = change;
  const all = tracker(shape, n);
  const versions = new Array(VERSIONS);
  const patch = form === 'text' ? () => all.getPatchText() : () => all.getRFC6902Patches();
  const replayed = (state, produced) => immutableJSONPatch(state, typeof produced === 'string' ? JSON.parse(produced) : produced);
  return {
    name: form === 'text' ? 'patchwire, text' : 'patchwire',
    batch: change.grows ? 10 : undefined,
    begin: shrinker(shape, n, change, all),
    step: unread
      ? (i) => {
          all.update((draft) => recipe(draft, i, n));
          const produced = patch();
          all.resetTracking();
          return produced;
        }
      : (i) => {
          all.update((draft) => recipe(draft, i, n));
          const produced = patch();
          versions[i % VERSIONS] = all.getState();
          all.resetTracking();
          return produced;
        },
    state: () => all.getState(),
    replay: (base, produced) => produced.reduce(replayed, base),
  };
}

/** Only the recipe: what recording costs while nobody asks for anything. */
export function recording(shape, n, row) {
  const change = shapes[shape][row];
  const all = tracker(shape, n);
  const versions = new Array(VERSIONS);
  return {
    name: 'patchwire, recording only',
    batch: change.grows ? 10 : undefined,
    begin: () => {
      if (change.grows) all.update((draft) => shapes[shape].shrink(draft, n));
      all.resetTracking();
    },
    step: (i) => all.update((draft) => change.recipe(draft, i, n)),
    state: () => all.getState(),
  };
}

/** `produce` gives the next state and its patches; peers start each batch from the same base, which costs them nothing. */
function producer(name, shape, n, row, produce, replay) {
  const { recipe, grows } = shapes[shape][row];
  const versions = new Array(VERSIONS);
  const base = shapes[shape].initial(n);
  let state = base;
  return {
    name,
    batch: grows ? 10 : undefined,
    begin: grows ? () => (state = base) : undefined,
    step(i) {
      const [next, patches] = produce(state, (draft) => void recipe(draft, i, n));
      versions[i % VERSIONS] = state = next;
      return patches;
    },
    state: () => state,
    replay: (start, produced) => produced.reduce((at, patches) => replay(at, patches), start),
  };
}

/** Mutative as it is fastest: paths as arrays. As text: what RFC 6902 asks for, stringified. */
export function mutative(shape, n, row, { form = 'objects' } = {}) {
  if (form === 'objects') {
    return producer('Mutative', shape, n, row, (state, recipe) => create(state, recipe, { enablePatches: true }), apply);
  }
  const options = { enablePatches: { pathAsArray: false, arrayLengthAssignment: false } };
  const produce = (state, recipe) => {
    const [next, patches] = create(state, recipe, options);
    return [next, JSON.stringify(patches)];
  };
  return producer('Mutative, text', shape, n, row, produce, (at, text) => immutableJSONPatch(at, JSON.parse(text)));
}

export function immer(shape, n, row) {
  return producer('Immer', shape, n, row, produceWithPatches, applyPatches);
}

/**
 * Runs a little of everything, so that the engine has seen many shapes of objects at every place in ours and in the
 * peers, as it has in a program: with one shape only, some copies are a hundred times faster than they will be.
 */
export function mingle() {
  for (const shape of Object.keys(shapes)) {
    if (shape === 'huge' || (shape === 'webhooks' && isInWorkerd)) continue;
    for (const row of ['push', 'nested']) {
      for (const make of [ours, mutative, immer]) {
        const one = make(shape, 10, row);
        const base = structuredClone(one.state());
        one.begin?.(0);
        const produced = Array.from({ length: 30 }, (_, i) => one.step(i));
        one.replay(base, produced);
        if (make !== ours) continue;
        const other = new StateTracker(base);
        for (const patch of produced) other.apply(patch);
        other.getState();
      }
    }
  }
}

/** The fastest copy: of an object with many members, adding one makes the engine keep it as a dictionary. */
function copyOf(twin, isGrowing) {
  if (Array.isArray(twin)) return twin.slice();
  if (!isGrowing) return Object.assign({}, twin);
  const copy = { some: 0 };
  delete copy.some;
  for (const key in twin) copy[key] = twin[key];
  return copy;
}

/**
 * The floor: the same change by hand, publishing frozen copies of exactly the containers on its path, from
 * unfrozen twins (which copy much faster). No patch, no draft.
 */
export function byHand(shape, n, row) {
  const { [row]: change, initial } = shapes[shape];
  const path = placeOf(change, n);
  const root = initial(n);
  const twins = [root];
  for (const key of change.grows ? path : path.slice(0, -1)) twins.push(twins.at(-1)[key]);
  // Twins are apart from what is published: a twin's slot holds the published child.
  for (let depth = 1; depth < twins.length; depth++) twins[depth] = copyOf(twins[depth], false);
  let last = twins.at(-1);
  const [before, size] = [last, last.length];
  const shrink = Array.isArray(last) ? () => (last.length = size) : () => (twins[twins.length - 1] = last = copyOf(before, true));
  const publish = () => {
    for (let depth = twins.length - 1; ; depth--) {
      const copy = Object.freeze(copyOf(twins[depth], change.key !== undefined));
      if (depth === 0) return copy;
      twins[depth - 1][path[depth - 1]] = copy;
    }
  };
  const versions = new Array(VERSIONS);
  let state;
  return {
    name: 'the copy by hand',
    batch: change.grows ? 10 : undefined,
    begin: change.grows ? shrink : undefined,
    step(i) {
      const value = change.value(i);
      if (!change.grows) last[path.at(-1)] = value;
      else if (Array.isArray(last)) last.push(value);
      else last[change.key(i)] = value;
      return (versions[i % VERSIONS] = state = publish());
    },
    state: () => state ?? root,
  };
}
