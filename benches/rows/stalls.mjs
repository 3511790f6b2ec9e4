// Commits into a state of 100 MB that woke from its tables on a disk: how much longer the longest takes than the one in the middle.
// A commit has been made when the disk has it, as in a Durable Object: a write-ahead log, synchronous at each commit. The same
// commits are made several times and the least of each counts: other programs and the disk's own pauses come when they like, and
// what a commit does itself comes each time. SQLite carries its log over into the database between the commits, which it would
// else do in one of some hundred.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { StateDocument } from 'patchwire';
import { DurableStateStore, nodeStorage } from 'patchwire/durable-objects';
import { initSync } from '../../pkg/dist/wasm/patchwire.js';
import { median } from '../harness.mjs';
import { installPeer } from '../peers.mjs';
import { withWorker } from '../workerd/start.mjs';
import { changes, count, kindOf, nameOf, note } from './large.mjs';

const options = { limits: { document: 256e6 } };

const folder = fileURLToPath(new URL('../../target/stalls/', import.meta.url));
const [made, used] = [`${folder}made.db`, `${folder}used.db`];
const remove = (file) => ['', '-wal', '-shm'].forEach((end) => rmSync(file + end, { force: true }));

/** What a statement tells of the commit that it is part of, which shares its cost among thousands or has it alone. */
const kinds = [
  ['reads rows that nobody had read', /^\s*SELECT.*_chunks?\b/is],
  ['ends a fold', /^\s*INSERT.*_roots?\b/is],
  ['writes a chunk', /^\s*INSERT.*_chunks?\b/is],
];

async function make(kind) {
  mkdirSync(folder, { recursive: true });
  remove(made);
  const notes = Array.from({ length: count }, (_, id) => note(id));
  const records = kind === 'notes' ? notes : Object.fromEntries(notes.map((one, i) => [nameOf(i), one]));
  await new DurableStateStore(nodeStorage(new DatabaseSync(made)), options).createSession('s', { customState: { n: 0, [kind]: records } });
}

// In a process of its own, whose garbage is none of ours.
if (process.argv[1] === fileURLToPath(import.meta.url)) await make(process.argv[2]);

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
  execFileSync(process.execPath, [fileURLToPath(import.meta.url), kindOf(change)]);
  const runs = [];
  while (runs.length < 5) runs.push(await timed(change, commits));
  remove(made);
  const did = (seen, n) => {
    const kind = kinds.findIndex((_, bit) => (seen & (1 << bit)) !== 0);
    if (kind >= 0) return kinds[kind][0];
    return n > 0 && (runs[0][n - 1].seen & 2) !== 0 ? 'follows a fold' : 'writes a line';
  };
  return runs[0].map(({ seen }, n) => ({ n, took: Math.min(...runs.map((run) => run[n].took)), did: did(seen, n) })).sort((a, b) => a.took - b.took);
}

/** Once more than half of them are gone the holes that they left are taken out. */
const commitsOf = (change) => (change.startsWith('deletion') ? Math.floor(count / 2) + 10_000 : 66_000);

const known = new Map();

const figures = [
  ['999 of 1,000 within', (times) => times[Math.floor((times.length - 1) * 0.999)]],
  ['the longest after the one that wakes it', (times) => times.findLast(({ n }) => n > 0)],
];

/** So many commits before the timed ones that a new base is due in the middle of these. */
const [before, timedThere] = [45_400, 1_500];

/**
 * The same in a Durable Object, from each change until the disk has it; the clock there has whole milliseconds. And what the same
 * statements take alone: there SQLite carries its log over in one commit of some hundred, which nobody can put between them.
 */
async function inWorkerd(change, life) {
  await installPeer('agents', '0.32.0');
  return withWorker(async (ask) => {
    const object = 'Large';
    for (let from = 0; from < count; from += 4_000) await ask({ object, make: kindOf(change), from, count: Math.min(4_000, count - from) });
    // The first of these are until all of it is in chunks.
    for (let batch = 0; batch < 40 + before / 100; batch++) await ask({ object, count: 100 });
    await ask({ object, copy: true });
    await ask({ object, sleeps: true }).catch(() => {});
    // SQLite takes longer to carry its log over while the disk still has the 100 MB of the copy to write.
    await setTimeout(15_000);
    await ask({ object, other: life });
    const timed = async (what) => {
      const times = [];
      while (times.length < timedThere) times.push(...(await ask({ object, ...what, from: times.length, count: 100 })));
      return times;
    };
    return { commits: await timed({ change }), statements: await timed({ bare: true }) };
  }, 'commits.jsonc');
}

const there = Object.keys(changes).map((change) => ({
  name: `commits of 100 MB in workerd, ${change}: the longest after the one that wakes it`,
  target: 10,
  runtime: 'here',
  async figures() {
    const runs = [];
    while (runs.length < 5) runs.push(await inWorkerd(change, runs.length));
    const least = (kind) => runs[0][kind].map((_, n) => Math.min(...runs.map((run) => run[kind][n])));
    const [waking, ...times] = least('commits');
    const [ours, floor] = [Math.max(...times), Math.max(...least('statements').slice(1))];
    // The median of whole milliseconds would be one of them, and the least of several is mostly none.
    const all = runs.flatMap(({ commits }) => commits.slice(1));
    const mean = all.reduce((sum, took) => sum + took, 0) / all.length;
    return { ours, floor, overFloor: ours / floor, peer: mean, who: `mean; the one that wakes it takes ${waking.toFixed(0)}` };
  },
}));

const onDisk = Object.keys(changes).flatMap((change) =>
  figures.map(([name, pick]) => ({
    name: `commits of 100 MB, ${change}: ${name}`,
    target: 10,
    async figures() {
      if (!known.has(change)) known.set(change, least(change, commitsOf(change)));
      const times = await known.get(change);
      const { n, took, did } = pick(times);
      const peer = median(times.map(({ took }) => took));
      const over = times.filter((commit) => commit.took > 10 * peer).length;
      return { ours: took, peer, who: `median; #${n} ${did}; ${over} over 10 ×; #0 takes ${times.find(({ n }) => n === 0).took.toFixed(0)}` };
    },
  })),
);

/** What an object that wakes takes for its first change, in the core's memory and in JavaScript's. */
const woken = ['edit of a note anywhere', 'edit of a record by its name', 'a record of a new name'].map((change) => ({
  name: `memory of waking with 100 MB: ${change}`,
  target: 1,
  unit: 'bytes',
  async figures() {
    execFileSync(process.execPath, [fileURLToPath(import.meta.url), kindOf(change)]);
    StateDocument.parse('1').free();
    const wasm = initSync();
    const taken = () => wasm.memory.buffer.byteLength + process.memoryUsage().heapUsed;
    gc();
    const before = taken();
    const database = new DatabaseSync(made);
    const started = performance.now();
    new DurableStateStore(nodeStorage(database), options).synced('s').update((draft) => changes[change](draft, 1));
    const took = performance.now() - started;
    const ours = taken() - before;
    database.close();
    remove(made);
    return { ours, peer: 128e6, who: `128 MB; in ${took.toFixed(0)} ms` };
  },
}));

export const stalls = [...onDisk, ...there, ...woken];
