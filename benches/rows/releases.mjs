// A large document that somebody publishes, and its next release: MDN's browser-compat-data, 20 MB.
import { readFileSync } from 'node:fs';
import fastJsonPatch from 'fast-json-patch';
import { create } from 'mutative';
import { StateDocument, StateTracker } from 'patchwire';

const read = (name) => readFileSync(new URL(`../../node_modules/${name}/data.json`, import.meta.url));
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What each step saved, as the state that the rows compare. */
const saved = (one) => ({ ...one, batch: 1, step: () => (one.last = one.run()), state: () => (one.last ? JSON.parse(decoder.decode(one.last)) : null) });

/** Opens the bytes, makes a change, tells it as a patch and saves. */
function ours(bytes, change) {
  return saved({
    name: 'patchwire, StateTracker',
    run() {
      const before = StateDocument.parse(bytes);
      const tracker = new StateTracker(before, { arrayDeltaMode: 'precise' });
      change(tracker);
      this.patch = tracker.getPatchText();
      const after = tracker.document();
      const out = after.toBytes();
      before.free();
      after.free();
      return out;
    },
  });
}

function peer(bytes, recipe) {
  return saved({
    name: 'JSON.parse + Mutative + stringify',
    run() {
      const [next, patches] = create(JSON.parse(decoder.decode(bytes)), (draft) => void recipe(draft), { enablePatches: true });
      this.patch = JSON.stringify(patches);
      return encoder.encode(JSON.stringify(next));
    },
  });
}

/** A feature comes to a browser, which changes a few objects on the way to it. */
function ship(draft) {
  draft.browsers.firefox.releases['999'] = { engine: 'Gecko', engine_version: '999', status: 'planned' };
  draft.api.AbortController.__compat.support.firefox = { version_added: '999' };
}

export const releases = [
  {
    name: 'open browser-compat-data + change + patch + save',
    target: 0.4,
    contenders() {
      const bytes = read('@mdn/browser-compat-data');
      return { ours: ours(bytes, (tracker) => tracker.update(ship)), peers: [peer(bytes, ship)] };
    },
  },
  {
    name: 'open browser-compat-data + next release + patch + save',
    target: 0.4,
    contenders() {
      const [bytes, next] = [read('browser-compat-data-before'), read('@mdn/browser-compat-data')];
      const patch = StateDocument.parse(bytes).diff(StateDocument.parse(next));
      const text = JSON.stringify(patch);
      return {
        ours: ours(bytes, (tracker) => tracker.apply(text)),
        // The values are the draft's from then on.
        peers: [peer(bytes, (draft) => fastJsonPatch.applyPatch(draft, JSON.parse(text)))],
      };
    },
  },
];
