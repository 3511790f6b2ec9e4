// Commits into a state of 100 MB that woke from its tables on a disk: how much longer the longest takes than the one in the middle.
// A commit has been made when the disk has it, as in a Durable Object: a write-ahead log, synchronous at each commit. The same
// commits are made several times and the least of each counts: other programs and the disk's own pauses come when they like, and
// what a commit does itself comes each time. SQLite carries its log over into the database between the commits, which it would
// else do in one of some hundred.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { DurableStateStore, nodeStorage } from 'patchwire/durable-objects';
import { median } from '../harness.mjs';

const bytes = 100e6;
const note = (id) => ({ id, title: `Note ${id}`, text: 'x'.repeat(160) });
const count = Math.floor(bytes / JSON.stringify(note(400_000)).length);
const options = { limits: { document: 256e6 } };

/** Each makes one small change, its number given. */
const changes = {
  set: (draft, n) => void (draft.n = n),
  push: (draft, n) => void draft.notes.push(note(n)),
  'edit of a note anywhere': (draft, n) => void (draft.notes[(n * 7_919) % count].title = `Edited ${n}`),
  'edit of a late note': (draft, n) => void (draft.notes[count - 1 - (n % 200)].title = `Edited ${n}`),
};

const folder = fileURLToPath(new URL('../../target/stalls/', import.meta.url));
const [made, used] = [`${folder}made.db`, `${folder}used.db`];
const remove = (file) => ['', '-wal', '-shm'].forEach((end) => rmSync(file + end, { force: true }));

/** What a statement tells of the commit that it is part of, which shares its cost among thousands or has it alone. */
const kinds = [
  ['reads rows that nobody had read', /^\s*SELECT.*_chunks?\b/is],
  ['ends a fold', /^\s*INSERT.*_roots?\b/is],
  ['writes a chunk', /^\s*INSERT.*_chunks?\b/is],
];

async function make() {
  mkdirSync(folder, { recursive: true });
  remove(made);
  const notes = Array.from({ length: count }, (_, id) => note(id));
  await new DurableStateStore(nodeStorage(new DatabaseSync(made)), options).createSession('s', { customState: { n: 0, notes } });
}

// In a process of its own, whose garbage is none of ours.
if (process.argv[1] === fileURLToPath(import.meta.url)) await make();

async function timed(change, commits) {
  remove(used);
  copyFileSync(made, used);
  const database = new DatabaseSync(used);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
  // The log's file is made by the first who writes.
  database.exec('CREATE TABLE another (id INTEGER)');
  const { transactionSync, sql } = nodeStorage(database);
  const known = new Map();
  let seen = 0;
  const exec = (text, ...values) => {
    let kind = known.get(text);
    if (kind === undefined) known.set(text, (kind = kinds.reduce((bits, [, is], bit) => bits | (is.test(text) ? 1 << bit : 0), 0)));
    seen |= kind;
    return sql.exec(text, ...values);
  };
  const state = await new DurableStateStore({ sql: { exec }, transactionSync }, options).synced('s');
  const times = [];
  for (let n = 0; n < commits; n++) {
    seen = 0;
    const started = performance.now();
    state.update((draft) => changes[change](draft, n));
    times.push({ took: (performance.now() - started) * 1_000, seen });
    if (n % 500 === 499) database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  }
  database.close();
  remove(used);
  return times;
}

/** Of each commit its number, the least time that it took, and what it did beside its change; the quickest first. */
async function least(change, commits) {
  execFileSync(process.execPath, [fileURLToPath(import.meta.url)]);
  const runs = [];
  while (runs.length < 3) runs.push(await timed(change, commits));
  remove(made);
  const did = (seen, n) => {
    const kind = kinds.findIndex((_, bit) => (seen & (1 << bit)) !== 0);
    if (kind >= 0) return kinds[kind][0];
    return n > 0 && (runs[0][n - 1].seen & 2) !== 0 ? 'follows a fold' : 'writes a line';
  };
  return runs[0].map(({ seen }, n) => ({ n, took: Math.min(...runs.map((run) => run[n].took)), did: did(seen, n) })).sort((a, b) => a.took - b.took);
}

const known = new Map();

const figures = [
  ['999 of 1,000 within', (times) => times[Math.floor((times.length - 1) * 0.999)]],
  ['the longest after the one that wakes it', (times) => times.findLast(({ n }) => n > 0)],
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
      const over = times.filter((commit) => commit.took > 10 * peer).length;
      return { ours: took, peer, who: `median; #${n} ${did}; ${over} over 10 ×; #0 takes ${times.find(({ n }) => n === 0).took.toFixed(0)}` };
    },
  })),
);
