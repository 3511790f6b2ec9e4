// Finds a browser that is already there. Tests drive it; setup installs one only where there is none.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { onPath } from './places.mjs';

const { env } = process;
const windows = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter(Boolean);
const everywhere = (...inside) => windows.flatMap((folder) => inside.map((path) => join(folder, path)));
const applications = ['/Applications', join(env.HOME ?? '', 'Applications')];
const onMac = (...inside) => applications.flatMap((folder) => inside.map((path) => join(folder, path)));

const kinds = [
  {
    name: 'chrome',
    given: env.CHROME_PATH,
    commands: ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser', 'chrome'],
    places: [
      ...onMac('Google Chrome.app/Contents/MacOS/Google Chrome', 'Chromium.app/Contents/MacOS/Chromium'),
      ...everywhere('Google/Chrome/Application/chrome.exe', 'Chromium/Application/chrome.exe'),
    ],
  },
  {
    name: 'firefox',
    given: env.FIREFOX_PATH,
    commands: ['firefox', 'firefox-esr'],
    places: [...onMac('Firefox.app/Contents/MacOS/firefox'), ...everywhere('Mozilla Firefox/firefox.exe')],
  },
];

/** The browser to test in, `{ name: 'chrome' | 'firefox', path }`: one that the environment names before any other. */
export function findBrowser() {
  const first = (places) =>
    kinds.flatMap((kind) => places(kind).map((path) => ({ name: kind.name, path }))).find(({ path }) => path && existsSync(path));
  return first(({ given }) => [given]) ?? first(({ commands, places }) => [...commands.map((command) => onPath(command)), ...places]);
}

// Its sandbox refuses root, and a test has no business with its services.
export const chromeFlags = [
  ...['no-sandbox', 'disable-gpu', 'disable-quic', 'no-first-run', 'disable-background-networking'],
  ...['disable-component-update', 'disable-sync'],
].map((name) => `--${name}`);

/** The chromedriver that fits `browser`, or undefined: another major version refuses to drive it. */
export function findChromedriver(browser) {
  const major = (path) => /\d+/.exec(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[0];
  const driver = onPath('chromedriver', `${env.PATH}${delimiter}/usr/bin`);
  return driver && major(driver) === major(browser.path) ? driver : undefined;
}
