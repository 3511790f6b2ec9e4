// Serves folders, and reads what pages show.
import { readFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { launch } from '../browser/launch.mjs';

const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.css': 'text/css' };

/** Serves the files of a folder, with these headers. */
export async function serve(folder, headers = {}) {
  const server = createServer(({ url }, response) => {
    const path = normalize(new URL(url, 'http://host').pathname);
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'text/plain', ...headers }).end(readFileSync(file));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

const textOf = (html) => html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** A browser that is started when a page is first shown. */
export class Pages {
  #browser;

  /** Shows a page while `use(reaches)` runs, where `reaches(selector, html)` waits until an element has that content. What was logged as an error comes back. */
  async showWhile(url, use) {
    this.#browser ??= await launch();
    const page = await this.#browser.newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(`${error}`));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    const reaches = async (selector, wanted) => {
      const isDone = typeof wanted === 'function' ? wanted : (html) => html === wanted;
      const read = () => page.evaluate((selector) => document.querySelector(selector)?.innerHTML ?? '', selector).catch(() => '');
      for (const until = Date.now() + 20_000; ; await new Promise((later) => setTimeout(later, 20))) {
        const html = await read();
        if (isDone(html)) return html;
        if (Date.now() > until) throw new Error(`the page shows ${JSON.stringify(html)}: ${errors.join('; ')}`);
      }
    };
    try {
      await page.goto(url);
      return { result: await use(reaches), errors };
    } finally {
      await page.close();
    }
  }

  /** What the page's `<output>` says once it says something that `isDone`, and what was logged as an error. */
  async show(url, isDone = (text) => text !== '') {
    const { result, errors } = await this.showWhile(url, (reaches) => reaches('output', (html) => isDone(textOf(html))));
    return { text: textOf(result), errors };
  }

  /** The browser's name and version. */
  async version() {
    return (await this.#browser.version()).replace('Headless', '').replace('/', ' ');
  }

  async close() {
    await this.#browser?.close();
    this.#browser = undefined;
  }
}
