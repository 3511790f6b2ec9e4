// `npm start`: sets up, builds, and serves the demo from local workerd, with its state on disk; `-- --port 9000`,
// `-- --state folder`, `-- --install` to let the set-up use the system's package manager.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { node, pkg, root, tools, www } from './places.mjs';
import { Advice, say, script, step } from './progress.mjs';
import { whenChanged } from './stamp.mjs';

const options = {
  port: { type: 'string', default: '8787' },
  state: { type: 'string', default: join(root, '.state') },
  // The set-up looks for it by itself.
  install: { type: 'boolean' },
};

const modules = join(root, 'node_modules');
const log = join(tools, 'logs/wrangler.log');

// Killed outright we can't stop the worker, and a second one must not find it at work on the same files.
const endsWithUs = ['--import', 'data:text/javascript,process.once("disconnect",()=>process.kill(process.pid))'];

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

async function freePort(port) {
  while (!(await isFree(port))) port += 1;
  return port;
}

function serve(port, state) {
  mkdirSync(join(tools, 'logs'), { recursive: true });
  const wrangler = [...endsWithUs, join(modules, 'wrangler/bin/wrangler.js')];
  const args = ['dev', '--ip', '127.0.0.1', '--port', port, '--persist-to', state, '--show-interactive-dev-session=false'];
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_WRITE_LOGS: 'false' };
  const worker = spawn(node, [...wrangler, ...args], { cwd: www, env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const file = createWriteStream(log);
  worker.stdout.pipe(file);
  worker.stderr.pipe(file);
  return worker;
}

async function answering(url, worker) {
  while (worker.connected && !(await fetch(url).then(() => true, () => false))) await sleep(100);
}

async function start() {
  const { values } = parseArgs({ options });
  const state = resolve(values.state);
  await build();
  await whenChanged('www', { inputs: [www, join(pkg, 'dist')], output: join(www, 'dist') }, () =>
    step('build page', (run) => run(node, [join(modules, 'vite/bin/vite.js'), 'build'], { cwd: www })),
  );
  const port = await freePort(Number(values.port));
  const worker = serve(port, state);
  const ended = once(worker, 'exit');
  let asked = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      asked = true;
      worker.kill('SIGTERM');
    });
  }
  const url = `http://localhost:${port}`;
  await answering(url, worker);
  if (worker.connected) say(`Patchwire is running at ${url} (Ctrl-C stops it; its state stays in ${relative('', state)})`);
  await ended;
  if (!asked) throw new Advice(`${readFileSync(log, 'utf8').split('\n').slice(-30).join('\n')}\nThe worker stopped by itself.`);
}

await script(start);
