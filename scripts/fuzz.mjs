// `npm run fuzz -- --target parse --seconds 600`: looks for inputs that break a law, with libFuzzer on stable Rust.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './places.mjs';
import { Advice, StepFailed, script, step } from './progress.mjs';
import { setup } from './setup.mjs';
import { activeRust } from './toolchain.mjs';

const fuzz = join(root, 'fuzz');
const built = join(root, 'target/fuzz');
const targets = readdirSync(join(fuzz, 'src/bin')).map((file) => file.replace('.rs', ''));

// What cargo-fuzz passes on nightly, without the sanitizers: LLVM's coverage counters are in every rustc.
const coverage = ['level=4', 'inline-8bit-counters', 'pc-table', 'trace-compares'].map((option) => `-Cllvm-args=-sanitizer-coverage-${option}`);
const flags = ['-Cpasses=sancov-module', ...coverage].join(' ');

async function build(chosen) {
  const { host } = activeRust();
  const args = ['build', '--release', '--manifest-path', join(fuzz, 'Cargo.toml'), '--target-dir', built, '--target', host];
  // With --target the flags don't reach build scripts, which have no counters to report to.
  const env = { ...process.env, RUSTFLAGS: flags };
  await step('build fuzz', (run) => run('cargo', [...args, ...chosen.flatMap((name) => ['--bin', name])], { env }), { next: 'Mend what does not compile.' });
  return join(built, host, 'release');
}

/** Runs one target. What it finds is kept in fuzz/corpus, unless it is to do the same every time. */
function run(binaries, name, { seconds, fresh, inputs }) {
  const corpus = join(fresh ? join(built, 'corpus') : join(fuzz, 'corpus'), name);
  const crashes = join(fuzz, 'crashes', name);
  if (fresh) rmSync(corpus, { recursive: true, force: true });
  for (const folder of [corpus, crashes]) mkdirSync(folder, { recursive: true });
  const limits = ['-timeout=10', '-rss_limit_mb=1024', `-artifact_prefix=${crashes}/`];
  const search = [`-dict=${join(fuzz, 'words.dict')}`, `-max_total_time=${seconds}`, corpus, join(fuzz, 'seeds', name)];
  const args = [...limits, ...(fresh ? [`-seed=${process.env.PATCHWIRE_SEED ?? 1}`] : []), ...(inputs.length > 0 ? inputs : search)];
  const work = async (start) => {
    const { output } = await start(join(binaries, name), args);
    return { note: /^Done (\d+) runs/m.exec(output)?.[0] };
  };
  const next = `The input is in fuzz/crashes/${name}. Again: npm run fuzz -- --target ${name} <the file>`;
  return step(`fuzz ${name}`, work, { next, shows: 40 });
}

async function main() {
  const options = { target: { type: 'string', multiple: true }, seconds: { type: 'string', default: '60' }, fresh: { type: 'boolean', default: false } };
  const { values, positionals: inputs } = parseArgs({ options, allowPositionals: true });
  const chosen = values.target ?? targets;
  const unknown = chosen.find((name) => !targets.includes(name));
  if (unknown) throw new Advice(`There is no target ${unknown}: ${targets.join(', ')}.`);
  await setup();
  const binaries = await build(chosen);
  const waiting = [...chosen];
  let failed = false;
  const lane = async () => {
    for (let name = waiting.shift(); name; name = waiting.shift()) {
      await run(binaries, name, { ...values, inputs }).catch((error) => {
        if (!(error instanceof StepFailed)) throw error;
        failed = true;
      });
    }
  };
  await Promise.all([lane(), lane()]);
  return failed ? 1 : 0;
}

await script(main);
