// What is published is what is tested: the packed tarball, installed in a folder that can see nothing else of ours.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, preview } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unstable_startWorker as startWorker } from 'wrangler';
import { root } from '../../scripts/places.mjs';
import { launch } from '../browser/launch.mjs';

const run = promisify(execFile);
const app = mkdtempSync(join(tmpdir(), 'patchwire-app-'));
let worker;
let url;
const watched = '[{"count":1,"notes":["a","b"]},1]';
const patches = '[{"op":"replace","path":"/count","value":1},{"op":"replace","path":"/notes","value":["a","b"]}]';

beforeAll(async () => {
  cpSync(join(root, 'tests/packaging/app'), app, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--json', '--workspace', 'patchwire', '--pack-destination', app], { cwd: root });
  const [{ filename }] = Object.values(JSON.parse(stdout));
  await run('npm', ['install', '--offline', '--no-audit', join(app, filename)], { cwd: app });
  worker = await startWorker({ config: join(app, 'wrangler.jsonc'), dev: { server: { port: 0 }, inspector: false, logLevel: 'error' } });
  url = (await worker.url).origin;
});

afterAll(async () => {
  await worker?.dispose();
  rmSync(app, { recursive: true, force: true });
});

test('it runs in workerd, and in a Durable Object', async () => {
  const answer = await fetch(url);
  expect(await answer.text()).toBe(patches);
});

test('it runs in Node, and follows a Durable Object', async () => {
  const { stdout } = await run(process.execPath, ['node.ts', url], { cwd: app });
  expect(stdout.trim()).toBe(`${patches}\n${watched}`);
});

test.each(['bundler', 'nodenext'])('its types resolve with moduleResolution %s', async (resolution) => {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const module = resolution === 'bundler' ? 'esnext' : resolution;
  await run(process.execPath, [compiler, '-p', app, '--module', module, '--moduleResolution', resolution]);
});

test('it runs in a page that Vite built, and follows a Durable Object', async () => {
  await build({ root: app, configFile: false, logLevel: 'error' });
  const server = await preview({ root: app, configFile: false, preview: { port: 0, host: '127.0.0.1' } });
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(`${server.resolvedUrls.local[0]}?worker=${encodeURIComponent(url)}`);
    await page.waitForFunction(() => document.body.textContent.trim());
    expect(await page.$eval('body', (body) => body.textContent)).toBe(`${patches}\n${watched}`);
  } finally {
    await browser.close();
    await server.close();
  }
});
