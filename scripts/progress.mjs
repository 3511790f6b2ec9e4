// Shows what a command is doing: a line per step that takes over two seconds, its output in .tools/logs.
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root, tools } from './places.mjs';

const logs = join(tools, 'logs');
const live = process.stdout.isTTY;
const shown = new Set();
let drawn = 0;
let ticking;

/** A failure that a person can mend: its message says how, so no log is shown. */
export class Advice extends Error {}

/** A step whose failure has been shown already. */
export class StepFailed extends Error {}

const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;
const slow = (one) => Date.now() - one.started > 2000;

function draw() {
  if (!live) return;
  const width = (process.stdout.columns || 80) - 1;
  const lines = [...shown].filter(slow).map((one) => `  ${one.name} ${seconds(one.started)}  ${one.line}`.slice(0, width));
  process.stdout.write((drawn ? `\x1b[${drawn}A\x1b[0J` : '') + lines.map((line) => `${line}\n`).join(''));
  drawn = lines.length;
}

/** Prints a line above the running steps. */
export function say(line) {
  if (drawn) process.stdout.write(`\x1b[${drawn}A\x1b[0J`);
  drawn = 0;
  process.stdout.write(`${line}\n`);
  draw();
}

// Without a terminal a step reports now and then, so that a log shows where the time goes and that it still goes.
function report() {
  for (const one of shown) {
    const due = one.reported ? one.reported + 30_000 : one.started + 2000;
    if (Date.now() < due) continue;
    one.reported = Date.now();
    say(`  ${one.name} ${seconds(one.started)}  ${one.line.slice(0, 100)}`);
  }
}

/**
 * Does `work(run)`, where `run(command, args, options)` starts a program, logs it and resolves to its `{ output }`.
 * `work` may resolve to `{ note }`, a word on how it went. A failure prints the
 * last lines of the log, as many as it `shows`, and `next`, what to do about it.
 */
export async function step(name, work, { next = 'Read the log above, mend it and run the command again.', shows = 30 } = {}) {
  const one = { name, started: Date.now(), line: '', log: join(logs, `${name.replace(/[^\w.-]+/g, '-')}.log`) };
  mkdirSync(logs, { recursive: true });
  writeFileSync(one.log, '');
  shown.add(one);
  ticking ??= setInterval(live ? draw : report, 200);
  let failure;
  let note;
  try {
    note = (await work((command, args, options) => run(one, command, args, options)))?.note;
  } catch (error) {
    failure = error;
  }
  shown.delete(one);
  if (shown.size === 0) ticking = clearInterval(ticking);
  if (failure instanceof Advice) {
    say(`✗ ${name}: ${failure.message}`);
  } else if (failure) {
    const end = readFileSync(one.log, 'utf8').trimEnd().split('\n').slice(-shows).join('\n');
    say(`${end}\n✗ ${name} ${seconds(one.started)}: ${failure.message} (log: ${one.log.slice(root.length + 1)})\n  ${next}`);
  } else if (slow(one) || note) {
    say(`✓ ${name} ${seconds(one.started)}${note ? `  ${note}` : ''}`);
  }
  if (failure) throw new StepFailed(name);
}

function run(one, command, args, { cwd = root, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    appendFileSync(one.log, `$ ${command} ${args.join(' ')}\n`);
    const child = spawn(command, args, { cwd, env: { ...env, NO_COLOR: '1', CARGO_TERM_COLOR: 'never' }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let speaks = false;
    const take = (text) => {
      output += text;
      appendFileSync(one.log, text);
    };
    const show = (text) => (one.line = text.slice(-300).trimEnd().split(/[\r\n]/).at(-1).trim() || one.line);
    child.stdout.setEncoding('utf8').on('data', (text) => {
      speaks = true;
      take(text);
      show(text);
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      take(text);
      // What a program says itself is more than what those that it runs complain of.
      if (!speaks) show(text);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve({ output });
      else reject(Object.assign(new Error(`${command} ended with ${signal ?? code}`), { output }));
    });
  });
}

/** Runs a script's `main`; a failure that a step has shown ends it with status 1 and nothing more. */
export async function script(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (error instanceof Advice) console.error(error.message);
    else if (error.code?.startsWith('ERR_PARSE_ARGS')) console.error(`${error.message}\nWhat can be asked for is said at the top of ${relative('', process.argv[1])}.`);
    else if (!(error instanceof StepFailed)) throw error;
    process.exitCode = 1;
  }
}
