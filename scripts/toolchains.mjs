// `npm run toolchains`: builds and runs the packed package in every toolchain, prints the table and puts it into
// docs/toolchains.md; `-- --only vite --only 'Node 18'` runs the rows that begin so, and leaves the page alone.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './places.mjs';
import { Advice, StepFailed, script, step } from './progress.mjs';

const page = join(root, 'docs/toolchains.md');
const places = /(<!-- the table:.*?-->\n)[^]*?(<!-- the end of the table -->)/;

const kilobytes = (bytes) => (bytes === undefined ? '' : (bytes / 1000).toFixed(0));

function chosen(toolchains) {
  const { only } = parseArgs({ options: { only: { type: 'string', multiple: true } } }).values;
  const rows = toolchains.filter(({ name }) => !only || only.some((start) => name.toLowerCase().startsWith(start.toLowerCase())));
  if (rows.length === 0) throw new Advice(`There is no such toolchain: ${toolchains.map(({ name }) => name).join('; ')}.`);
  return { rows, isAll: !only };
}

function works({ needs }, { failure }) {
  if (failure) return '**no**';
  return needs ? `with ${needs}` : 'yes';
}

function table(rows, results) {
  const lines = rows.map((row, i) => {
    const { version = '', size } = results[i];
    return `| ${row.name} | ${version} | ${works(row, results[i])} | ${kilobytes(size?.min)} | ${kilobytes(size?.gzip)} | ${kilobytes(size?.brotli)} |`;
  });
  return ['| toolchain | version | works | KB | gzip | brotli |', '| --- | --- | --- | ---: | ---: | ---: |', ...lines, ''].join('\n');
}

async function measured(world, row) {
  const { version, size } = await world.run(row);
  return { version, size: size() };
}

async function main() {
  const [{ setup }, { build }] = [await import('./setup.mjs'), await import('./build.mjs')];
  await setup();
  await build();
  const { toolchains } = await import('../tests/packaging/toolchains.mjs');
  const { World } = await import('../tests/packaging/world.mjs');
  const { rows, isAll } = chosen(toolchains);
  const world = await World.begin();
  const results = [];
  try {
    for (const row of rows) {
      let result = { failure: true };
      await step(row.name, async () => void (result = await measured(world, row))).catch((error) => {
        if (!(error instanceof StepFailed)) throw error;
      });
      results.push(result);
    }
  } finally {
    await world.end();
  }
  const text = table(rows, results);
  console.log(text);
  if (isAll) writeFileSync(page, readFileSync(page, 'utf8').replace(places, (_, before, after) => before + text + after));
  const failed = results.filter(({ failure }) => failure).length;
  console.log(`${rows.length - failed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}

await script(main);
