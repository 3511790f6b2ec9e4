// A model's change request on a payload of 100 KB: the result, the patch, and what looks like a loss.
import fastJsonPatch from 'fast-json-patch';
import { applyChangeRequest } from 'patchwire';
import { entriesFor, shapes } from '../shapes.mjs';

const request = {
  newElements: { items: [{ id: -1, content: 'new' }] },
  updateElements: { items: [{}, { content: 'updated' }] },
  removeElements: { items: [{}, {}, '__DELETE__'] },
  reasoning: 'the third was a duplicate',
};

const found = (one) => ({ ...one, step: () => (one.last = one.run()), state: () => one.last ?? null });

const ours = (payload) => found({ name: 'patchwire', batch: 20, run: () => applyChangeRequest(payload, request).result });

/** What knows the request already, and compares for the patch. */
function byHand(payload) {
  const run = () => {
    const result = structuredClone(payload);
    result.items[1].content = 'updated';
    result.items.splice(2, 1);
    result.items.push({ id: -1, content: 'new' });
    fastJsonPatch.compare(payload, result);
    return result;
  };
  return found({ name: 'structuredClone + fast-json-patch compare', batch: 20, run });
}

/**
 * The real one, where it is: some of what it depends on isn't in every registry, so that it can't be a dependency here.
 * Its manager needs @memberjunction/core, @memberjunction/global and lodash alone.
 */
async function original(payload) {
  const manager = await import('@memberjunction/ai-agents/dist/PayloadManager.js').then(({ PayloadManager }) => new PayloadManager(), () => undefined);
  if (manager === undefined) return [];
  const run = () => manager.applyAgentChangeRequest(payload, request).result;
  return [found({ name: '@memberjunction/ai-agents', batch: 4, run })];
}

const payload = () => shapes.items.initial(entriesFor('items', 1e5));
const originals = await original(payload());

export const changeRequests = [
  {
    name: 'change request on 100 KB',
    shape: 'items',
    // By hand nobody reads a request, guards it or looks for losses: that is no target.
    ...(originals.length > 0 && { target: 1 }),
    contenders: () => ({ ours: ours(payload()), peers: originals.length > 0 ? originals : [byHand(payload())] }),
  },
];
