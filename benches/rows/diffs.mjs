// Two versions, and the patch from one to the other is wanted.
import fastJsonPatch from 'fast-json-patch';
import { diffTexts, StateDocument } from 'patchwire';
import { entriesFor, shapes } from '../shapes.mjs';

const SIZE = 5e5;

/** A version, and another in which so many leaves differ, from end to end, as texts. */
function versions(shape, leaves = 1) {
  const { initial, list, nested } = shapes[shape];
  const n = entriesFor(shape, SIZE);
  const state = initial(n);
  const before = JSON.stringify(state);
  if (leaves === 1) nested.recipe(state, 1, n);
  else for (let i = 0; i < leaves; i++) nested.recipe({ [list]: [state[list][Math.floor((i * (n - 1)) / (leaves - 1))]] }, i, 1);
  return [before, JSON.stringify(state)];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const inUtf8 = (texts) => texts.map((text) => encoder.encode(text));
const parsed = (text) => JSON.parse(typeof text === 'string' ? text : decoder.decode(text));

/** A vector that was replaced may be told as a whole, or number by number: what counts is where a patch leads. */
const found = ([before], one) => ({
  ...one,
  step: (i) => (one.last = one.run(i)),
  state: () => fastJsonPatch.applyPatch(parsed(before), structuredClone(one.last ?? [])).newDocument,
});

function peer(texts) {
  const [before, after] = texts;
  return found(texts, { name: 'JSON.parse + fast-json-patch compare', batch: 4, run: () => fastJsonPatch.compare(parsed(before), parsed(after)) });
}

function inText(texts) {
  const [before, after] = texts;
  return found(texts, { name: 'patchwire', batch: 4, run: () => diffTexts(before, after) });
}

function shared(texts) {
  const [before, other] = texts.map((text) => StateDocument.parse(text));
  const after = before.apply(before.diff(other));
  return found(texts, { name: 'patchwire', batch: 200, run: () => before.diff(after) });
}

function diff(name, shape, target, make, form = (texts) => texts, leaves = 1) {
  return {
    name: `diff: ${name}`,
    shape,
    target,
    contenders() {
      const texts = form(versions(shape, leaves));
      return { ours: make(texts), peers: [peer(texts)] };
    },
  };
}

// Long texts are compared as fast as they are parsed.
const targets = { items: 0.1, chat: 0.3, matrix: 0.3, embeddings: 0.5, scripts: 0.3, webhooks: 0.3, wide: 0.3, numbered: 0.3, huge: 0.3 };

export const diffs = Object.entries(targets).flatMap(([shape, target]) => [
  diff('two 500 KB texts, one leaf changed', shape, target, inText),
  // As storage and networks have them: strings with characters beyond Latin-1 take longer to encode than to compare.
  diff('two 500 KB texts in UTF-8, one leaf changed', shape, target, inText, inUtf8),
  diff('versions that share the rest', shape, 0.001, shared),
  ...(shapes[shape].list
    ? [
        diff('two 500 KB texts, a leaf at each end changed', shape, 0.3, inText, undefined, 2),
        diff('two 500 KB texts in UTF-8, a leaf at each end changed', shape, 0.3, inText, inUtf8, 2),
        diff('two 500 KB texts in UTF-8, twenty leaves changed', shape, 0.3, inText, inUtf8, 20),
      ]
    : []),
]);
