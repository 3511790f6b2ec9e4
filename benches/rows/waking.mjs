// A Durable Object that storage evicted is woken by a call that changes its state, from the call to its answer.
import { isDeepStrictEqual } from 'node:util';
import { median, ratios } from '../harness.mjs';
import { entriesFor } from '../shapes.mjs';
import { withWorker } from '../workerd/start.mjs';

const SIZE = 5e6;

async function wake(shape, { rounds }) {
  return withWorker(async (ask) => {
    const call = (object, method, ...args) => ask({ object, name: shape, method, args });
    const objects = ['synced', 'stringified'];
    const samples = { synced: [], stringified: [] };
    for (const object of objects) await call(object, 'seed', shape, entriesFor(shape, SIZE));
    for (let round = -2; round < rounds; round++) {
      for (const object of objects) {
        await call(object, 'sleep').catch(() => {});
        const started = performance.now();
        await call(object, 'push', shape, round + 2);
        const took = (performance.now() - started) * 1000;
        if (round >= 0) samples[object].push(took);
      }
    }
    const [ours, theirs] = [await call('synced', 'read'), await call('stringified', 'read')];
    if (!isDeepStrictEqual(ours, theirs)) throw new Error('they end in different states');
    const against = ratios(samples.synced, samples.stringified);
    const figures = { ours: median(samples.synced), peer: median(samples.stringified), who: 'rows + JSON.parse + Mutative + stringify' };
    return { ...figures, ratio: against.median, spread: { low: against.low, high: against.high } };
  });
}

export const wakings = ['items', 'chat', 'matrix'].map((shape) => ({
  name: 'wake, 5 MB + push, saved: Durable Object',
  shape,
  target: 0.4,
  figures: (pace) => wake(shape, pace),
}));
