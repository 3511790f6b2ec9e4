// What is published is what is tested: the packed tarball, installed in a folder that can see nothing else of ours,
// and there the README's worker and page, as they are printed.
import { execFile } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, preview } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../../scripts/places.mjs';
import { launch } from '../browser/launch.mjs';
import { pack } from './place.mjs';
import { newApp, startReadme } from './session.mjs';
import { writeSnippets } from './snippets.mjs';

const run = promisify(execFile);
let app;
let worker;
let url;

beforeAll(async () => {
  app = await newApp(await pack());
  cpSync(join(root, 'tests/packaging/app'), app, { recursive: true });
  expect(writeSnippets('README.md', app)).toEqual(['worker.js', 'wrangler.jsonc', 'page.js']);
  worker = await startReadme(app);
  ({ url } = worker);
});

afterAll(async () => {
  await worker?.stop();
  if (app) rmSync(app, { recursive: true, force: true });
});

test('it runs in workerd, in a Durable Object', async () => {
  const session = `${url}/session/alone`;
  await fetch(session, { method: 'POST', body: 'a' });
  expect(await (await fetch(session)).json()).toMatchObject({ revision: 1, state: { notes: [{ text: 'a' }], answer: '' } });
});

test('it runs in Node, and follows a Durable Object', async () => {
  const { stdout } = await run(process.execPath, ['node.ts', `${url}/session/node`], { cwd: app });
  expect(stdout.trim().split('\n')).toEqual(['[{"op":"add","path":"/notes/-","value":{"text":"b"}}]', 'plan', '[{"notes":[{"text":"b"}],"answer":""},1]']);
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
    await shows('{"notes":[],"answer":""}');
    await fetch(`${url}/session/demo`, { method: 'POST', body: 'b' });
    await shows('{"notes":[{"text":"b"}],"answer":""}');
  } finally {
    await browser.close();
    await server.close();
  }
});
