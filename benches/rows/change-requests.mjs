// A model's change request on a payload of 100 KB beside the original: the result, what looks like a loss, and ours the patch.
import { applyChangeRequest } from 'patchwire';
import { peerModule } from '../peers.mjs';
import { entriesFor, shapes } from '../shapes.mjs';

const request = {
  newElements: { items: [{ id: -1, content: 'new' }] },
  updateElements: { items: [{}, { content: 'updated' }] },
  removeElements: { items: [{}, {}, '__DELETE__'] },
  reasoning: 'the third was a duplicate',
};

const found = (one) => ({ ...one, step: () => (one.last = one.run()), state: () => one.last ?? null });

const ours = (payload) => found({ name: 'patchwire', batch: 20, run: () => applyChangeRequest(payload, request).result });

/** Some of what the package depends on isn't in every registry, but its manager needs only what is. */
async function original(payload) {
  const version = '5.51.3';
  const needs = [`@memberjunction/core@${version}`, `@memberjunction/global@${version}`, 'lodash@4.17.21'];
  const { PayloadManager } = await peerModule('@memberjunction/ai-agents', version, 'dist/PayloadManager.js', needs);
  const manager = new PayloadManager();
  return found({ name: '@memberjunction/ai-agents', batch: 4, run: () => manager.applyAgentChangeRequest(payload, request).result });
}

const payload = () => shapes.items.initial(entriesFor('items', 1e5));

export const changeRequests = [
  {
    name: 'change request on 100 KB',
    shape: 'items',
    target: 1,
    contenders: async () => ({ ours: ours(payload()), peers: [await original(payload())] }),
  },
];
