// Commits into a state of 100 MB that woke from its tables: how much longer the longest takes than the one in the middle. The same
// commits are made several times and the least of each counts, without what the garbage collector took of it: both come
// when they like, and what a commit does itself comes each time.
import { DatabaseSync } from 'node:sqlite';
import { PerformanceObserver } from 'node:perf_hooks';
import { DurableStateStore, nodeStorage } from 'patchwire/durable-objects';
import { median } from '../harness.mjs';

const bytes = 100e6;
const note = (id) => ({ id, title: `Note ${id}`, text: 'x'.repeat(160) });
const count = Math.floor(bytes / JSON.stringify(note(400_000)).length);

/** Each makes one small change, its number given. */
const changes = {
  set: (draft, n) => void (draft.n = n),
  push: (draft, n) => void draft.notes.push(note(n)),
  'edit of a note anywhere': (draft, n) => void (draft.notes[(n * 7_919) % count].title = `Edited ${n}`),
  'edit of a late note': (draft, n) => void (draft.notes[count - 1 - (n % 200)].title = `Edited ${n}`),
};

/** The times of what the garbage collector does from now on, and how to stop that. */
function collected() {
  const spans = [];
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(({ startTime, duration }) => spans.push([startTime, duration])));
  observer.observe({ entryTypes: ['gc'] });
  return { spans, stop: () => observer.disconnect() };
}

/** What a statement tells of the commit that it is part of, which shares its cost among thousands or has it alone. */
const kinds = [
  ['reads rows that nobody had read', /^\s*SELECT.*_chunks?\b/is],
  ['ends a fold', /^\s*INSERT.*_roots?\b/is],
  ['writes a chunk', /^\s*INSERT.*_chunks?\b/is],
];

async function timed(change, commits) {
  const storage = nodeStorage(new DatabaseSync(':memory:'));
  const options = { limits: { document: 256e6 } };
  await new DurableStateStore(storage, options).createSession('s', { customState: { n: 0, notes: Array.from({ length: count }, (_, id) => note(id)) } });
  // Over the same tables, by an object that knows nothing of them.
  const { transactionSync, sql } = storage;
  const known = new Map();
  let seen = 0;
  const exec = (text, ...values) => {
    let kind = known.get(text);
    if (kind === undefined) known.set(text, (kind = kinds.reduce((bits, [, is], bit) => bits | (is.test(text) ? 1 << bit : 0), 0)));
    seen |= kind;
    return sql.exec(text, ...values);
  };
  const state = await new DurableStateStore({ sql: { exec }, transactionSync: (run) => transactionSync.call(storage, run) }, options).synced('s');
  const garbage = collected();
  const times = [];
  for (let n = 0; n < commits; n++) {
    seen = 0;
    const started = performance.now();
    state.update((draft) => changes[change](draft, n));
    times.push([started, performance.now() - started, seen]);
  }
  // What was observed is told between two turns.
  await new Promise((resolve) => setTimeout(resolve, 50));
  garbage.stop();
  let at = 0;
  return times.map(([started, took, seen]) => {
    let spent = 0;
    for (; at < garbage.spans.length && garbage.spans[at][0] < started + took; at++) if (garbage.spans[at][0] >= started) spent += garbage.spans[at][1];
    return { took: (took - spent) * 1_000, seen };
  });
}

/** Of each commit its number, the least time that it took, and what it did beside its change; the quickest first. */
async function least(change, commits) {
  const runs = [];
  while (runs.length < 3) runs.push(await timed(change, commits));
  const did = (seen, n) => {
    if (n < 2) return 'is one of the first two';
    const kind = kinds.findIndex((_, bit) => (seen & (1 << bit)) !== 0);
    if (kind >= 0) return kinds[kind][0];
    return n > 0 && (runs[0][n - 1].seen & 2) !== 0 ? 'follows a fold' : 'writes a line';
  };
  return runs[0].map(({ seen }, n) => ({ n, took: Math.min(...runs.map((run) => run[n].took)), did: did(seen, n) })).sort((a, b) => a.took - b.took);
}

const isInherent = ({ did }) => did === 'is one of the first two' || did === kinds[0][0];

const known = new Map();

const figures = [
  ['999 of 1,000 within', (times) => times[Math.floor((times.length - 1) * 0.999)]],
  ['the longest after two that reads no rows', (times) => times.findLast((commit) => !isInherent(commit))],
];

export const stalls = Object.keys(changes).flatMap((change) =>
  figures.map(([name, pick]) => ({
    name: `commits of 100 MB, ${change}: ${name}`,
    target: 10,
    async figures({ rounds }) {
      if (!known.has(change)) known.set(change, least(change, rounds > 5 ? 90_000 : 66_000));
      const times = await known.get(change);
      const { n, took, did } = pick(times);
      const peer = median(times.map(({ took }) => took));
      const over = times.filter((commit) => commit.took > 10 * peer);
      const all = `${over.length} over 10 ×, ${over.filter(isInherent).length} of them first or reading, the longest ${times.at(-1).took.toFixed(0)}`;
      return { ours: took, peer, who: `median; #${n} ${did}; ${all}` };
    },
  })),
);
