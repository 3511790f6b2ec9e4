import puppeteer from 'puppeteer-core';
import { chromeFlags, findBrowser } from '../../scripts/browser.mjs';

/** Starts the headless browser that setup found or installed. */
export function launch() {
  const { name, path } = findBrowser();
  return puppeteer.launch({ browser: name, executablePath: path, headless: true, args: name === 'chrome' ? chromeFlags : [] });
}
