// `npm run bench`: builds, then measures Patchwire beside its peers; `-- --quick` for a short run, `--only text` for
// the rows whose name or shape contains it, `--json file` to keep every sample.
import { fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from '../scripts/build.mjs';
import { node, root } from '../scripts/places.mjs';
import { script } from '../scripts/progress.mjs';
import { conclusion, header, label, rowLine } from './report.mjs';
import { counted } from './timed.mjs';
import { withWorker } from './workerd/start.mjs';

const paces = {
  normal: { rounds: 21, milliseconds: 10, warmup: 120 },
  quick: { rounds: 7, milliseconds: 3, warmup: 40 },
};

const intro = `µs per operation, medians of interleaved rounds; ratio = ours ÷ theirs, formed within each round, with its middle half.
Updates: ours is update + getRFC6902Patches + getState + resetTracking with arrayDeltaMode 'precise'; the peers' state
and patches come from default options. Both give objects and keep old versions. “as text” is the same ratio with
getPatchText against Mutative's RFC 6902 patches through JSON.stringify. Incoming: from the patch's text to a plain
state (ours: apply + getState). floor is the plain frozen copy, or the bytes, by hand: within 1.2 × of it counts as
met. “ahead” and “behind” mark rows without a target. Each sample is a mean, collections of garbage included.`;

function versions() {
  const names = ['node', 'mutative', 'immer', 'immutable-json-patch', 'fast-json-patch'];
  return names.map((name) => `${name} ${JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version}`).join(', ');
}

function inOwnProcess(index, pace) {
  return new Promise((resolve, reject) => {
    // Garbage is collected between samples, so that nobody pays for another's.
    const child = fork(fileURLToPath(new URL('measure.mjs', import.meta.url)), { execPath: node, execArgv: ['--expose-gc'] });
    child.once('message', resolve).once('error', reject);
    child.once('exit', (code, signal) => resolve({ failed: `ended with ${signal ?? code}`, met: false }));
    child.send({ index, pace });
  });
}

function inOwnWorker(question) {
  return withWorker((ask) => ask(question)).catch((error) => ({ failed: String(error), met: false }));
}

/** What only drives a worker, and is measured with other rows. */
function inThisProcess(row, pace) {
  return counted(row, pace).catch((error) => ({ failed: String(error), met: false }));
}

async function main() {
  const { quick, only, json } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' }, json: { type: 'string' } } }).values;
  await build();
  const { rows } = await import('./rows/index.mjs');
  const pace = quick ? paces.quick : paces.normal;
  const chosen = [...rows.keys()].filter((index) => !only || label(rows[index]).toLowerCase().includes(only.toLowerCase()));
  const started = Date.now();
  const live = process.stderr.isTTY;
  console.log(`${intro}\n${versions()}; ${cpus().length} processors\n\n${header}`);
  const results = [];
  for (const [done, index] of chosen.entries()) {
    if (live) process.stderr.write(`\r\x1b[K${done + 1}/${chosen.length} ${label(rows[index])}`);
    const { name, shape, target, unit = 'µs', note, runtime } = rows[index];
    const measure = { workerd: () => inOwnWorker({ name, shape, pace }), here: () => inThisProcess(rows[index], pace) }[runtime];
    const measured = await (measure ?? (() => inOwnProcess(index, pace)))();
    const result = { name, shape, target, unit, note, ...measured };
    if (live) process.stderr.write('\r\x1b[K');
    console.log(rowLine(result));
    results.push(result);
  }
  console.log(conclusion(results, (Date.now() - started) / 1000));
  if (json) writeFileSync(json, `${JSON.stringify({ versions: versions(), pace, results }, null, 1)}\n`);
  return results.some((result) => result.failed) ? 1 : 0;
}

await script(main);
