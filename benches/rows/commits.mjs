// A commit of a small change in a Durable Object, beside the bare insert of its bytes and what is done without Patchwire.
import { median, ratios } from '../harness.mjs';
import { installPeer } from '../peers.mjs';
import { withWorker } from '../workerd/start.mjs';

const sizes = { '1 KB': 1e3, '100 KB': 1e5, '5 MB': 5e6 };

/** Whom each is compared with, and the targets by size and clients. */
const peers = {
  Insert: { who: 'bare insert (and send)', target: (_, clients) => (clients === 100 ? 1.1 : clients === 0 ? 2.5 : undefined) },
  OneRow: { who: 'Immer + stringify + one row', target: (size) => (size === '1 KB' ? 1 : undefined) },
  AgentsSdk: { who: 'Agents SDK setState', target: (size) => ({ '1 KB': 0.5, '100 KB': 0.03 })[size] },
};

/** A snapshot of 5 MB to a hundred clients at each step is more than a process can hold. */
const isPossible = (peer, size, clients) => peer === 'Insert' || size !== '5 MB' || clients === 0;

async function measured(change, size, clients, { rounds, milliseconds }) {
  await installPeer('agents', '0.32.0');
  const field = ['Ours', ...Object.keys(peers).filter((peer) => isPossible(peer, size, clients))];
  return withWorker(async (ask) => {
    const bytes = sizes[size];
    // So few that the state stays about what it is.
    const batch = bytes < 1e4 ? 20 : 100;
    const samples = Object.fromEntries(field.map((object) => [object, []]));
    for (const object of field) {
      await ask({ object, change, bytes, batch: 1, milliseconds: 1 });
      if (clients > 0) await ask({ object, clients });
    }
    for (let round = -2; round < rounds; round++) {
      for (const object of field) {
        const most = clients > 1 && bytes > 1e4 && object !== 'Ours' && object !== 'Insert' ? 3 : batch;
        const { steps, spent } = await ask({ object, change, bytes, batch: most, milliseconds: milliseconds * 10 });
        if (round >= 0) samples[object].push((spent * 1000) / steps);
      }
    }
    return samples;
  }, 'commits.jsonc');
}

/** What was measured together is told in several rows. */
const known = new Map();

async function figures(peer, change, size, clients, pace) {
  const key = `${change} ${size} ${clients}`;
  if (!known.has(key)) known.set(key, measured(change, size, clients, pace));
  const samples = await known.get(key);
  const against = ratios(samples.Ours, samples[peer]);
  return { ours: median(samples.Ours), peer: median(samples[peer]), who: peers[peer].who, ratio: against.median, spread: { low: against.low, high: against.high } };
}

export const commits = ['set', 'push', 'token'].flatMap((change) =>
  Object.keys(sizes).flatMap((size) =>
    [0, 1, 100].flatMap((clients) =>
      Object.keys(peers)
        .filter((peer) => isPossible(peer, size, clients))
        .map((peer) => ({
          name: `commit of a ${change}, ${size}, ${clients} clients: Durable Object`,
          target: peers[peer].target(size, clients),
          // So that what was measured together is told in several rows.
          runtime: 'here',
          figures: (pace) => figures(peer, change, size, clients, pace),
        })),
    ),
  ),
);
