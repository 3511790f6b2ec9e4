import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expected } from './expected.mjs';
import { launch } from './launch.mjs';

// The demo as `npm start` serves it, in a real browser: the page holds the state that an independent oracle computes
// from the same payloads, two tabs agree, and a server that is killed goes on where it was.

const state = mkdtempSync(join(tmpdir(), 'patchwire-demo-'));
const start = new URL('../../scripts/start.mjs', import.meta.url);
let browser;
let server;

/** Starts the demo in a process group of its own, so that a kill takes everything at once. */
async function serve() {
  const child = spawn(process.execPath, [start.pathname, '--state', state], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  for (;;) {
    const url = /http:\/\/localhost:\d+/.exec(output)?.[0];
    if (url) return { url, kill: () => killGroup(child) };
    if (child.exitCode !== null) throw new Error(`npm start ended:\n${output}`);
    await sleep(100);
  }
}

async function killGroup(child) {
  if (child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGKILL');
  await ended;
  // The worker is in the group, and gone with it; its port may linger for a moment.
  await sleep(500);
}

async function open(session) {
  const page = await browser.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(String(error)));
  await page.goto(`${server.url}/?session=${session}`);
  await until(page, () => window.patchwire.status === 'live');
  return page;
}

const until = (page, condition, ...values) => page.waitForFunction(condition, { timeout: 60_000, polling: 50 }, ...values);
const stateOf = (page) => page.evaluate(() => structuredClone(window.patchwire.getState()));
const revisionOf = (page) => page.evaluate(() => window.patchwire.revision);
const post = (session, verb) => fetch(`${server.url}/session/${session}/${verb}`, { method: 'POST' }).then((response) => response.json());

function final(paced) {
  const { run, ...rest } = paced;
  const { pace, ...progress } = run;
  return { run: progress, ...rest };
}

beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), serve()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.kill();
  rmSync(state, { recursive: true, force: true });
});

test('two tabs hold the state that the oracle computes, over patches alone', async () => {
  const tabs = [await open('together'), await open('together')];
  await post('together', 'start?pace=0');
  for (const tab of tabs) await until(tab, () => window.patchwire.getState().run.status === 'done');
  const [one, two] = [await stateOf(tabs[0]), await stateOf(tabs[1])];
  expect(final(one)).toEqual(expected());
  expect(two).toEqual(one);
  const late = await open('together');
  expect(await stateOf(late)).toEqual(one);
  expect(await revisionOf(late)).toBe(await revisionOf(tabs[0]));
  for (const tab of tabs) {
    const stats = await tab.evaluate(() => ({ ...window.patchwire.stats }));
    expect(stats).toMatchObject({ snapshots: 1, resyncs: 0 });
    expect(stats.frames).toBeGreaterThan(500);
    expect(tab.problems).toEqual([]);
  }
  await Promise.all([...tabs, late].map((tab) => tab.close()));
});

test('killed outright in the middle, it goes on where it was, and so does the page', async () => {
  const tab = await open('killed');
  await post('killed', 'start?pace=5');
  await until(tab, () => window.patchwire.getState().run.next >= 20);
  await server.kill();
  await until(tab, () => window.patchwire.status !== 'live');
  const seen = { revision: await revisionOf(tab), state: await stateOf(tab) };
  expect(seen.state.run.status).toBe('running');
  const { url } = server;
  server = await serve();
  expect(server.url).toBe(url);
  await until(tab, (revision) => window.patchwire.status === 'live' && window.patchwire.revision >= revision, seen.revision);
  const { next } = seen.state.run;
  await until(tab, (next) => window.patchwire.getState().run.next > next, next);
  await post('killed', 'start?pace=0');
  await until(tab, () => window.patchwire.getState().run.status === 'done');
  expect(final(await stateOf(tab))).toEqual(expected());
  // What it had was still good: the rest came as patches.
  expect(await tab.evaluate(() => window.patchwire.stats.snapshots)).toBe(1);
  expect(tab.problems).toEqual([]);
  await tab.close();
});

test('a page that is cut off says so within seconds, and is live as soon as it is back', async () => {
  const page = await open('offline');
  await page.setOfflineMode(true);
  await until(page, () => window.patchwire.status === 'reconnecting');
  await post('offline', 'start?pace=0');
  await page.setOfflineMode(false);
  await until(page, () => window.patchwire.status === 'live' && window.patchwire.getState().run.status === 'done');
  expect(page.problems).toEqual([]);
  await page.close();
});

test('the page shows what the state says', async () => {
  const page = await open('shown');
  await post('shown', 'start?pace=0');
  await until(page, () => window.patchwire.getState().run.status === 'done');
  const { note, issues, activity } = expected();
  await until(page, (text) => document.body.textContent.includes(text), note.trim().split('\n').at(-1).slice(0, 40));
  const text = await page.evaluate(() => document.body.textContent);
  for (const issue of Object.values(issues).slice(0, 3)) expect(text).toContain(issue.title);
  for (const word of activity.at(-1).text.split(': ')) expect(text).toContain(word);
  expect(await page.$$eval('#activity > li', (entries) => entries.length)).toBe(activity.length);
  await page.close();
});

test('the list of patches is one stop for the keyboard, and holds still while somebody reads it', async () => {
  const page = await open('read');
  await post('read', 'start?pace=8');
  await until(page, () => document.querySelectorAll('#log > li').length > 5);
  await page.focus('.wire .scroll');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await until(page, () => document.querySelector('#log details[open] pre') !== null);
  const [revision, shown] = await page.evaluate(() => [window.patchwire.revision, document.getElementById('log').textContent]);
  await until(page, (revision) => window.patchwire.revision > revision + 20, revision);
  expect(await page.evaluate(() => document.activeElement.localName)).toBe('summary');
  expect(await page.evaluate(() => document.getElementById('log').textContent)).toBe(shown);
  await until(page, () => /: [\d,]+ wait$/.test(document.getElementById('log-title').textContent));
  await page.keyboard.press('Tab');
  await until(page, (shown) => document.getElementById('log').textContent !== shown, shown);
  expect(await page.evaluate(() => document.getElementById('log-title').textContent)).toBe('Patches as they arrive');
  expect(await page.evaluate(() => document.activeElement.closest('.wire'))).toBe(null);
  await post('read', 'pause');
  expect(page.problems).toEqual([]);
  await page.close();
});

test('a name in the address that no session can have becomes one', async () => {
  const page = await open(encodeURIComponent('a/b ü'));
  expect(await page.evaluate(() => [document.getElementById('session').textContent, location.search])).toEqual(['a-b-', '?session=a-b-']);
  await page.close();
});
