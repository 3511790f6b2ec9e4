import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch } from './launch.mjs';

// examples/native-server: a Rust agent with typed state, whose pages use the client that browsers use everywhere. What
// they hold is what an oracle finds in the document; two tabs agree; a server that was killed goes on from what it stored.

const folder = mkdtempSync(join(tmpdir(), 'patchwire-native-'));
const stored = join(folder, 'state.json');
const start = new URL('../../examples/native-server/start.mjs', import.meta.url);
const text = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8') + '\n# Où mène [ceci](https://example.org/ça)?\n[là](#bas)\n';
let browser;
let server;

async function serve(port = 0) {
  const child = spawn(process.execPath, [start.pathname, '--state', stored, '--port', String(port)], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (found) resolve(found);
    });
    child.once('exit', () => reject(new Error(`the server ended:\n${output}`)));
  });
  const kill = () => new Promise((resolve) => {
    child.once('exit', resolve);
    process.kill(-child.pid, 'SIGKILL');
  });
  return { url, kill };
}

async function open() {
  const page = await browser.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(String(error)));
  await page.goto(server.url);
  await until(page, () => window.patchwire.status === 'live');
  return page;
}

const until = (page, condition, ...values) => page.waitForFunction(condition, { timeout: 60_000, polling: 20 }, ...values);
const stateOf = (page) => page.evaluate(() => structuredClone(window.patchwire.getState()));
const statsOf = (page) => page.evaluate(() => ({ ...window.patchwire.stats }));
const run = (pace) => fetch(`${server.url}/run?pace=${pace}`, { method: 'POST', body: text });
const onServer = () => fetch(`${server.url}/state`).then((response) => response.json());

/** What the agent finds in a document, found another way; `before` is what the thread knew. */
function expected(before = { words: {}, links: [] }) {
  const parts = text.split(/^(?=#)/m).filter((part) => part.startsWith('#'));
  const all = parts.map((part) => {
    const [heading, ...lines] = part.split('\n');
    const body = lines.join('\n');
    const [, marks, title] = /^(#+)\s*(.*?)\s*$/.exec(heading);
    const words = body.toLowerCase().match(/[a-z]+/g) ?? [];
    return { level: marks.length, title, words, links: [...body.matchAll(/\]\(([^)]*)\)/g)].map(([, target]) => target) };
  });
  const words = new Map(Object.entries(before.words));
  for (const word of all.flatMap(({ words }) => words)) words.set(word, (words.get(word) ?? 0) + 1);
  const total = all.reduce((sum, { words }) => sum + words.length, 0);
  const longest = all.reduce((best, one) => (one.words.length >= best.words.length ? one : best));
  return {
    progress: { status: 'done', section: all.length, sections: all.length },
    focus: all.flatMap(({ title, links }) => [`outline of ${title}`, ...(links.length > 0 ? [`links in ${title}`] : [])]),
    outline: all.map(({ level, title, words }) => ({ level, title, words: words.length })),
    report: `The document has ${all.length} sections and ${total} words. The longest section is “${longest.title}”.`,
    words: Object.fromEntries(words),
    links: [...new Set([...before.links, ...all.flatMap(({ links }) => links)])].sort(),
  };
}

const sorted = (state) => ({ ...state, links: state.links.toSorted() });

beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), serve()]);
}, 900_000);

afterAll(async () => {
  await browser?.close();
  await server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

test('two tabs see a run happen, over patches alone, and hold what an oracle finds', async () => {
  const tabs = [await open(), await open()];
  // One of two that begin at once is refused.
  const answers = await Promise.all([run(1), run(1)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
  // In the middle of it the state is already here, in part.
  await until(tabs[0], () => (window.patchwire.getState()?.report ?? '').length > 10);
  expect((await stateOf(tabs[0])).progress.status).toMatch(/writing|done/);
  for (const tab of tabs) {
    await until(tab, () => window.patchwire.getState().progress?.status === 'done');
    expect(sorted(await stateOf(tab))).toEqual(expected());
    const stats = await statsOf(tab);
    expect(stats).toMatchObject({ snapshots: 1, resyncs: 0 });
    // A snapshot, a status, and each commit.
    expect(stats.frames).toBe(2 + (await tab.evaluate(() => window.patchwire.revision)));
    expect(tab.problems).toEqual([]);
  }
  expect(await onServer()).toEqual(await stateOf(tabs[0]));
  const report = await tabs[0].$eval('#report', (node) => node.textContent);
  expect(report).toBe(expected().report);
  const late = await open();
  expect(await stateOf(late)).toEqual(await stateOf(tabs[0]));
  await Promise.all([...tabs, late].map((tab) => tab.close()));
});

test('killed outright, it goes on from what it stored; the thread is kept, the run begins anew', async () => {
  const tab = await open();
  const before = await stateOf(tab);
  await run(20);
  await until(tab, () => window.patchwire.getState().progress?.section === 3);
  await server.kill();
  await until(tab, () => window.patchwire.status !== 'live');
  const { port } = new URL(server.url);
  const { revision, extensions } = JSON.parse(readFileSync(stored, 'utf8'));
  server = await serve(port);
  await until(tab, (revision) => window.patchwire.status === 'live' && window.patchwire.revision >= revision, revision);
  expect(await stateOf(tab)).toEqual(extensions);
  // What it shows is the whole state of another process, and it says so.
  expect(await statsOf(tab)).toMatchObject({ snapshots: 2 });
  const known = await stateOf(tab);
  expect(Object.values(known.words).reduce((a, b) => a + b)).toBeGreaterThan(Object.values(before.words).reduce((a, b) => a + b));
  await run(0);
  await until(tab, () => window.patchwire.getState().progress?.status === 'done');
  expect(sorted(await stateOf(tab))).toEqual(expected(known));
  expect(tab.problems).toEqual([]);
  await tab.close();
}, 240_000);
