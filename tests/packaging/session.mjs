// The README's worker, with the packed package: what clients of all toolchains follow.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unstable_startWorker as startWorker } from 'wrangler';
import { writeSnippets } from './snippets.mjs';

/** An empty app outside of the project, which can see nothing else of ours. */
export async function newApp(tarball) {
  const app = mkdtempSync(join(tmpdir(), 'patchwire-app-'));
  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }\n');
  await promisify(execFile)('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: app });
  return app;
}

/** Starts the README's worker in a folder; `url` is its origin. */
export async function startReadme(app) {
  const worker = await startWorker({ config: join(app, 'wrangler.jsonc'), dev: { server: { port: 0 }, inspector: false, logLevel: 'error' } });
  return { url: (await worker.url).origin, stop: () => worker.dispose() };
}

/** The worker in an app of its own. */
export async function startSession(tarball) {
  const app = await newApp(tarball);
  writeSnippets('README.md', app);
  const { url, stop } = await startReadme(app);
  const end = async () => {
    await stop();
    rmSync(app, { recursive: true, force: true });
  };
  return { url, stop: end };
}
