// `npm test`: sets up, builds and runs every suite; `npm test -- --only rust --only wasm` runs just those, and
// `npm test -- --seed 7 --runs 5000` tries other and more cases of the laws.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromeFlags, findBrowser, findChromedriver } from './browser.mjs';
import { build } from './build.mjs';
import { node, root, tools } from './places.mjs';
import { Advice, StepFailed, say, script, step } from './progress.mjs';
import { setup } from './setup.mjs';
import { wasmEnv } from './toolchain.mjs';

const cargo = (...args) => () => ({ command: 'cargo', args });
const lint = (name, ...args) => ({ name, start: cargo(...args), count: () => undefined, needs: args[0] });

const types = (name, project) => {
  const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', project];
  return { name, start: () => ({ command: node, args }), count: () => undefined };
};

const rustSuites = [
  lint('rustfmt', 'fmt', '--check'),
  lint('clippy', 'clippy', '--all-targets', '--', '-D', 'warnings'),
  lint('clippy-wasm', 'clippy', '--lib', '--all-features', '--', '-D', 'warnings'),
  lint('clippy-page', 'clippy', '--lib', '--no-default-features', '--features', 'wasm-page', '--', '-D', 'warnings'),
  lint('clippy-merge', 'clippy', '--lib', '--no-default-features', '--features', 'wasm-merge', '--', '-D', 'warnings'),
  lint('clippy-client', 'clippy', '--lib', '--no-default-features', '--features', 'wasm-client', '--', '-D', 'warnings'),
  { name: 'rust', start: cargo('test', '--no-fail-fast'), count: cargoTests },
  { name: 'fuzz', start: fuzzBriefly, count: fuzzTargets },
  { name: 'wasm', start: wasmPack, count: cargoTests },
];

const packageSuites = [
  types('page-types', 'www'),
  types('worker-types', 'www/tsconfig.worker.json'),
  types('workerd-types', 'tests/workerd'),
  types('schema-types', 'tests/node'),
  ...['node', 'workerd', 'packaging', 'browser'].map((name) => ({ name, start: () => vitest(name), count: () => vitestTests(name) })),
];

/** Side by side: neither keeps all processors busy alone, and cargo's commands would wait for each other. */
const lanes = [rustSuites, packageSuites];
const suites = lanes.flat();

/** In a headless browser: tests/wasm.rs, with the shim's feature. */
function wasmPack() {
  const browser = findBrowser();
  const options = {
    chrome: { 'goog:chromeOptions': { binary: browser.path, args: chromeFlags } },
    firefox: { 'moz:firefoxOptions': { binary: browser.path } },
  }[browser.name];
  const webdriver = join(tools, 'webdriver.json');
  writeFileSync(webdriver, JSON.stringify(options));
  // wasm-pack fetches a chromedriver of its own where none fits.
  const driver = browser.name === 'chrome' && findChromedriver(browser);
  const args = ['test', '--headless', `--${browser.name}`, ...(driver ? ['--chromedriver', driver] : [])];
  const env = { ...wasmEnv(), WASM_BINDGEN_TEST_WEBDRIVER_JSON: webdriver, WASM_BINDGEN_TEST_TIMEOUT: '300' };
  return { command: 'wasm-pack', args: [...args, '--', '--features', 'wasm-page', '--test', 'wasm'], env };
}

function cargoTests(output) {
  const sum = (word) => [...output.matchAll(new RegExp(`^test result: .*?(\\d+) ${word}`, 'gm'))].reduce((total, [, n]) => total + Number(n), 0);
  return { passed: sum('passed'), failed: sum('failed') };
}

/** The same search every time, as far as it gets; `npm run fuzz` looks for longer. */
function fuzzBriefly() {
  return { command: node, args: [join(root, 'scripts/fuzz.mjs'), '--fresh', '--seconds', '5'] };
}

function fuzzTargets(output) {
  const count = (mark) => output.match(new RegExp(`^${mark} fuzz \\w+ `, 'gm'))?.length ?? 0;
  return { passed: count('✓'), failed: count('✗') };
}

const vitestReport = (name) => join(tools, 'logs', `vitest-${name}.json`);

function vitest(name) {
  rmSync(vitestReport(name), { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${vitestReport(name)}`];
  return { command: node, args: [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', name, ...reporters] };
}

function vitestTests(name) {
  if (!existsSync(vitestReport(name))) return { passed: 0, failed: 0 };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(vitestReport(name), 'utf8'));
  const broken = testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0);
  return { passed: numPassedTests, failed: numFailedTests + broken.length };
}

async function runSuite({ name, start, count, needs }) {
  if (needs && spawnSync('cargo', [needs, '--version']).status !== 0) {
    say(`- ${name}: cargo ${needs} is not installed`);
    return { passed: 0, failed: 0 };
  }
  let counts;
  const work = async (run) => {
    const { command, args, env } = start();
    const tally = ({ output }) => (counts = count(output));
    await run(command, args, { env }).then(tally, (error) => {
      tally({ output: '', ...error });
      throw error;
    });
    if (counts?.passed === 0) throw new Error('ran no test');
    return { note: counts ? `${counts.passed} passed` : 'clean' };
  };
  const ok = await succeeded(step(name, work, { next: `Alone: npm test -- --only ${name}`, shows: 120 }));
  const { passed = 0, failed = 0 } = counts ?? {};
  // A suite that broke off before it could count its failures has failed once.
  return { passed, failed: ok ? failed : Math.max(failed, 1) };
}

const succeeded = (work) =>
  work.then(
    () => true,
    (error) => {
      if (error instanceof StepFailed) return false;
      throw error;
    },
  );

function chosen() {
  const { only, seed, runs } = parseArgs({ options: { only: { type: 'string', multiple: true }, seed: { type: 'string' }, runs: { type: 'string' } } }).values;
  for (const [name, value] of Object.entries({ seed, runs })) {
    if (value !== undefined && !/^[1-9]\d{0,8}$/.test(value)) throw new Advice(`--${name} is a whole number from 1 on.`);
  }
  if (seed) process.env.PATCHWIRE_SEED = process.env.PROPTEST_RNG_SEED = seed;
  if (runs) process.env.PATCHWIRE_RUNS = runs;
  const unknown = only?.find((name) => !suites.some((suite) => suite.name === name));
  if (unknown) throw new Advice(`There is no suite ${unknown}: ${suites.map(({ name }) => name).join(', ')}.`);
  return suites.filter(({ name }) => !only || only.includes(name));
}

async function test() {
  const total = { passed: 0, failed: 0 };
  const wanted = chosen();
  if (await succeeded(setup().then(build))) {
    const run = async (lane) => {
      for (const suite of lane.filter((suite) => wanted.includes(suite))) {
        const { passed, failed } = await runSuite(suite);
        total.passed += passed;
        total.failed += failed;
      }
    };
    await Promise.all(lanes.map(run));
  } else {
    total.failed = 1;
  }
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed > 0 ? 1 : 0;
}

await script(test);
