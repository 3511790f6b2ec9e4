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

async function timed(change, commits) {
  const storage = nodeStorage(new DatabaseSync(':memory:'));
  const options = { limits: { document: 256e6 } };
  await new DurableStateStore(storage, options).createSession('s', { customState: { n: 0, notes: Array.from({ length: count }, (_, id) => note(id)) } });
  // Over the same tables, by an object that knows nothing of them.
  const { transactionSync, sql } = storage;
  const state = await new DurableStateStore({ sql, transactionSync: (run) => transactionSync.call(storage, run) }, options).synced('s');
  const garbage = collected();
  const times = [];
  for (let n = 0; n < commits; n++) {
    const started = performance.now();
    state.update((draft) => changes[change](draft, n));
    times.push([started, performance.now() - started]);
    // What was observed is told between two turns.
    if (n % 1_000 === 0) await new Promise((resolve) => setTimeout(resolve));
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  garbage.stop();
  let at = 0;
  return times.map(([started, took]) => {
    let spent = 0;
    for (; at < garbage.spans.length && garbage.spans[at][0] < started + took; at++) if (garbage.spans[at][0] >= started) spent += garbage.spans[at][1];
    return (took - spent) * 1_000;
  });
}

async function least(change, commits) {
  const runs = [];
  while (runs.length < 3) runs.push(await timed(change, commits));
  return runs[0].map((_, n) => Math.min(...runs.map((run) => run[n]))).sort((a, b) => a - b);
}

const known = new Map();

export const stalls = Object.keys(changes).flatMap((change) =>
  [['999 of 1,000 within', 0.999], ['the longest', 1]].map(([name, part]) => ({
    name: `commits of 100 MB, ${change}: ${name}`,
    target: 10,
    async figures({ rounds }) {
      if (!known.has(change)) known.set(change, least(change, rounds > 5 ? 90_000 : 60_000));
      const times = await known.get(change);
      return { ours: times[Math.floor((times.length - 1) * part)], peer: median(times), who: 'the one in the middle' };
    },
  })),
);
