// What is published is what is tested: the packed tarball, installed in a folder that can see nothing else of ours,
// and there the README's worker and page, as they are printed.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** The README's snippets that begin with the name of a file. */
function writeSnippets() {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const snippets = [...readme.matchAll(/^```js(?:onc)?\n\/\/ (\S+)\n(.*?)^```/gms)];
  for (const [, name, text] of snippets) writeFileSync(join(app, name), text);
  return snippets.map(([, name]) => name);
}

beforeAll(async () => {
  cpSync(join(root, 'tests/packaging/app'), app, { recursive: true });
  expect(writeSnippets()).toEqual(['worker.js', 'wrangler.jsonc', 'page.js']);
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

test('it runs in workerd, in a Durable Object', async () => {
  const session = `${url}/session/alone`;
  await fetch(session, { method: 'POST', body: 'a' });
  expect(await (await fetch(session)).json()).toMatchObject({ revision: 1, state: { notes: [{ text: 'a' }], draft: '' } });
});

test('it runs in Node, and follows a Durable Object', async () => {
  const { stdout } = await run(process.execPath, ['node.ts', `${url}/session/node`], { cwd: app });
  expect(stdout.trim().split('\n')).toEqual(['[{"op":"replace","path":"/notes","value":[{"text":"b"}]}]', 'plan', '[{"notes":[{"text":"b"}],"draft":""},1]']);
});

test.each(['bundler', 'nodenext'])('its types resolve with moduleResolution %s', async (resolution) => {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const module = resolution === 'bundler' ? 'esnext' : resolution;
  await run(process.execPath, [compiler, '-p', app, '--module', module, '--moduleResolution', resolution]);
});

test('it runs in a page that Vite built, and follows a Durable Object', async () => {
  await build({ root: app, configFile: false, logLevel: 'error' });
  const proxy = { '/session': { target: url, ws: true } };
  const server = await preview({ root: app, configFile: false, preview: { port: 0, host: '127.0.0.1', proxy } });
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const shows = (text) => page.waitForFunction((text) => document.body.textContent.trim() === text, {}, text);
    await page.goto(server.resolvedUrls.local[0]);
    await shows('{"notes":[],"draft":""}');
    await fetch(`${url}/session/demo`, { method: 'POST', body: 'b' });
    await shows('{"notes":[{"text":"b"}],"draft":""}');
  } finally {
    await browser.close();
    await server.close();
  }
});
