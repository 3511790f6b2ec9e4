// `node examples/native-server/start.mjs`: builds the package, the page and the server, and runs it; `--port 9000` and
// `--state file` to choose.
import { spawn } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../../scripts/build.mjs';
import { root } from '../../scripts/places.mjs';
import { script, step } from '../../scripts/progress.mjs';

const here = join(root, 'examples/native-server');
const dist = join(here, 'dist');
const target = join(root, 'target/examples');

async function start() {
  await build();
  const { build: bundle } = await import('esbuild');
  await bundle({ entryPoints: [join(here, 'page/page.js')], bundle: true, format: 'esm', platform: 'browser', target: 'es2023', outfile: join(dist, 'page.js') });
  copyFileSync(join(here, 'page/index.html'), join(dist, 'index.html'));
  await step('build native server', (run) => run('cargo', ['build', '--locked', '--target-dir', target], { cwd: here }));
  const server = spawn(join(target, 'debug/native-server'), ['--page', dist, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill());
  const [code] = await new Promise((resolve) => server.once('exit', (...how) => resolve(how)));
  return code ?? 0;
}

await script(start);
