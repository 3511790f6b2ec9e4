// Two versions, and the patch from one to the other is wanted.
import fastJsonPatch from 'fast-json-patch';
import { StateDocument } from 'patchwire';
import { entriesFor, shapes } from '../shapes.mjs';

const SIZE = 5e5;

/** A version, and another in which one leaf differs, as texts. */
function versions(shape) {
  const { initial, nested } = shapes[shape];
  const n = entriesFor(shape, SIZE);
  const state = initial(n);
  const before = JSON.stringify(state);
  nested.recipe(state, 1, n);
  return [before, JSON.stringify(state)];
}

const found = (one) => ({ ...one, step: (i) => (one.last = one.run(i)), state: () => one.last ?? null });

function peer([before, after]) {
  return found({ name: 'JSON.parse + fast-json-patch compare', batch: 4, run: () => fastJsonPatch.compare(JSON.parse(before), JSON.parse(after)) });
}

function parsed(texts) {
  const run = () => {
    const [before, after] = texts.map((text) => StateDocument.parse(text));
    const patch = before.diff(after);
    before.free();
    after.free();
    return patch;
  };
  return found({ name: 'patchwire', batch: 4, run });
}

function shared(texts) {
  const [before, other] = texts.map((text) => StateDocument.parse(text));
  const after = before.apply(before.diff(other));
  return found({ name: 'patchwire', batch: 200, run: () => before.diff(after) });
}

function diff(name, shape, target, make) {
  return {
    name: `diff: ${name}`,
    shape,
    target,
    contenders() {
      const texts = versions(shape);
      return { ours: make(texts), peers: [peer(texts)] };
    },
  };
}

export const diffs = ['items', 'chat'].flatMap((shape) => [
  diff('two 500 KB texts, one leaf changed', shape, 0.1, parsed),
  diff('versions that share the rest', shape, 0.001, shared),
]);
