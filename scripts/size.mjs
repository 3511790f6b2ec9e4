// `npm run size`: what a browser downloads, minified and compressed, beside the peers, against the budgets.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { pkg, root } from './places.mjs';

const dist = join(pkg, 'dist');
const entries = [
  { key: 'client', name: 'patchwire/client: connect', code: `import { connect } from 'patchwire/client'; console.log(connect);`, budget: 38_000 },
  { key: 'page', name: 'patchwire: StateTracker, patchwire/client: connect', code: `import { StateTracker } from 'patchwire'; import { connect } from 'patchwire/client'; console.log(StateTracker, connect);`, budget: 130_000 },
  { key: 'requests', name: 'patchwire: applyChangeRequest', code: `import { applyChangeRequest } from 'patchwire'; console.log(applyChangeRequest);` },
  {
    key: 'everything',
    name: 'everything: patchwire, patchwire/client, patchwire/durable-objects (without its core)',
    code: ['patchwire', 'patchwire/client', 'patchwire/durable-objects'].map((name, i) => `export * as e${i} from '${name}';`).join('\n'),
    budget: 130_000,
  },
];

const peers = [
  {
    name: 'immer, with patches',
    code: `import { enablePatches, produceWithPatches, applyPatches } from 'immer'; enablePatches(); console.log(produceWithPatches, applyPatches);`,
  },
  { name: 'mutative', code: `import { create, apply } from 'mutative'; console.log(create, apply);` },
  { name: 'fast-json-patch', code: `import { applyPatch, compare } from 'fast-json-patch'; console.log(applyPatch, compare);` },
  { name: 'immutable-json-patch', code: `import { immutableJSONPatch } from 'immutable-json-patch'; console.log(immutableJSONPatch);` },
];

/** Not installed here; brotli, from PERFORMANCE.md. */
const quoted = [
  ['Yjs', 25.8],
  ['Automerge', 774],
  ['Loro', 822],
];

/** The module that carries the wasm as text, so that the shim can be weighed without it. */
const withoutWasm = {
  name: 'without-wasm',
  setup: (build) => build.onLoad({ filter: /wasm[\\/]\w+\.inline\.js$/ }, () => ({ contents: 'export const bytes = () => new Uint8Array();' })),
};

function compressed(bytes) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return { raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotliCompressSync(bytes, { params }).length };
}

async function bundled(code, plugins = []) {
  const esbuild = await import('esbuild');
  const { outputFiles } = await esbuild.build({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['browser', 'import'],
    external: ['cloudflare:*'],
    plugins,
    logLevel: 'error',
  });
  return compressed(outputFiles[0].contents);
}

/** `{ entries, modules, peers }`, each with raw, gzip and brotli bytes. */
export async function measureSizes() {
  const measured = [];
  for (const entry of entries) measured.push({ ...entry, ...(await bundled(entry.code)), shim: await bundled(entry.code, [withoutWasm]) });
  const others = [];
  for (const peer of peers) others.push({ name: peer.name, ...(await bundled(peer.code)) });
  const modules = [];
  for (const name of ['client', 'page', 'merge']) {
    const { bytes } = await import(pathToFileURL(join(dist, 'wasm', `${name}.inline.js`)).href);
    modules.push({ name: `the wasm in it: ${name}`, ...compressed(bytes()) });
  }
  return { entries: measured, modules, peers: others };
}

const kilobytes = (bytes) => (bytes / 1000).toFixed(1).padStart(9);
const line = (name, { raw, gzip, brotli }, note = '') => `${name.padEnd(90)}${kilobytes(raw)}${kilobytes(gzip)}${kilobytes(brotli)}  ${note}`.trimEnd();

async function main() {
  const { build } = await import('./build.mjs');
  await build();
  const { entries, modules, peers } = await measureSizes();
  console.log(`${'KB (1,000 bytes), minified bundles for the browser'.padEnd(90)}${['raw', 'gzip', 'brotli'].map((word) => word.padStart(9)).join('')}`);
  for (const entry of entries) {
    const verdict = (budget) => (entry.brotli <= budget ? 'met' : `MISSED by ${((entry.brotli - budget) / 1000).toFixed(1)}`);
    console.log(line(entry.name, entry, entry.budget && `budget ${entry.budget / 1000}: ${verdict(entry.budget)}`));
    console.log(line('  of it JavaScript', entry.shim));
  }
  for (const module of modules) console.log(line(module.name, module));
  for (const peer of peers) console.log(line(peer.name, peer));
  for (const [name, brotli] of quoted) console.log(`${name.padEnd(90)}${' '.repeat(18)}${kilobytes(brotli * 1000)}  quoted from PERFORMANCE.md, not measured here`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { script } = await import('./progress.mjs');
  await script(main);
}
