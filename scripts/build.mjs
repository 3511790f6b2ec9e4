// `npm run build`: src/ (Rust) and pkg/src (TypeScript) become pkg/dist, ready for `npm pack`.
import { copyFileSync, cpSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { node, pkg, root } from './places.mjs';
import { script, step } from './progress.mjs';
import { setupForBuild } from './setup.mjs';
import { whenChanged } from './stamp.mjs';
import { target, wasmEnv } from './toolchain.mjs';

/** Cargo's profile and features, and Binaryen's levels: above 1, what was compiled for size is larger once it is compressed. */
const fast = { profile: 'release', defaults: ['--config', 'target.wasm32-unknown-unknown.rustflags=["-Ctarget-feature=+simd128"]'], levels: ['3', '0'] };
const small = { profile: 'small', defaults: ['--no-default-features'], levels: ['1', '1'] };

const dist = join(pkg, 'dist');
const wasm = join(dist, 'wasm');
const made = join(root, 'target/wasm-bindgen');
const inRoot = (...names) => names.map((name) => join(root, name));

/** The whole core but the client, fast, where nothing is downloaded; what pages can use, in parts that few use together. */
const modules = [
  { name: 'patchwire', feature: 'wasm-objects', carrier: forServers, ...fast },
  { name: 'page', feature: 'wasm-page', carrier: forPages, ...small },
  { name: 'merge', feature: 'wasm-merge', carrier: forPages, ...small },
  { name: 'client', feature: 'wasm-client', carrier: forPages, ...small },
];

async function buildWasm(run) {
  rmSync(made, { recursive: true, force: true });
  // What is compiled for speed beside what is compiled for size: each takes one processor most of the time. The modules of
  // one profile come out of one folder, so they take turns.
  await Promise.all([fast, small].map(({ profile }) => buildModules(run, modules.filter((module) => module.profile === profile))));
  for (const name of ['page', 'merge']) for (const ending of ['.wasm', '.d.wasm.ts']) rmSync(join(made, `${name}${ending}`));
  mkdirSync(dist, { recursive: true });
  rmSync(wasm, { recursive: true, force: true });
  renameSync(made, wasm);
}

async function buildModules(run, modules) {
  for (const { carrier, ...module } of modules) {
    const bytes = await buildModule(run, module);
    writeFileSync(join(made, `${module.name}.inline.js`), carrier(bytes));
    writeFileSync(join(made, `${module.name}.inline.d.ts`), 'export function bytes(): Uint8Array<ArrayBuffer>;\n');
  }
}

async function buildModule(run, { name, feature, profile, defaults, levels }) {
  const env = wasmEnv();
  const file = (ending) => join(made, `${name}${ending}`);
  await run('cargo', ['build', '--lib', '--profile', profile, '--features', feature, ...defaults, '--target', target, '--target-dir', 'target'], { env });
  const built = join(root, 'target', target, profile, 'patchwire.wasm');
  // The loaders say where the module comes from: a default path would make bundlers ship it a second time.
  const shape = ['--target', 'web', '--omit-default-module-path', '--experimental-reset-state-function'];
  await run('wasm-bindgen', [built, ...shape, '--out-dir', made, '--out-name', name], { env });
  await run(node, [join(root, 'scripts/optimise.mjs'), file('_bg.wasm'), file('.wasm'), ...levels]);
  rmSync(file('_bg.wasm'));
  writeFileSync(file('.d.ts'), declarations(readFileSync(file('.d.ts'), 'utf8')));
  // wasm-bindgen types the module's exports; workerd imports the module itself.
  rmSync(file('_bg.wasm.d.ts'));
  writeFileSync(file('.d.wasm.ts'), 'declare const module: object;\nexport default module;\n');
  return readFileSync(file('.wasm'));
}

/**
 * What wasm-bindgen declares, without names that the users' TypeScript may not know: Symbol.dispose, and the DOM's, in
 * how a module is started. Everything before that is ours.
 */
function declarations(text) {
  const ours = text.slice(0, text.indexOf('export type InitInput')).replace(/^ *\[Symbol\.dispose\].*\n/gm, '');
  return `${ours}export function initSync(source: { module: object }): { readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number } };\n`;
}

/**
 * The JavaScript module that carries the wasm to Node, Deno and Bun. Bundlers for servers leave files behind that
 * the code reads, but never what it imports. Base64, because nobody downloads it and it is what is decoded fastest.
 */
function forServers(bytes) {
  return `import { Buffer } from "node:buffer";

${constant(bytes.toString('base64'))}
export const bytes = () => Buffer.from(text, "base64");
`;
}

/**
 * The JavaScript module that carries the wasm to browsers, where it can't be fetched synchronously. A byte below
 * 64 is one character; any other is one that says its upper two bits, and one for the rest. Brotli makes that 2.5 % larger
 * than the wasm itself, hex 7 %, base64 35 %. No bundler has to escape the characters in a string.
 */
function forPages(bytes) {
  const digit = (value) => String.fromCharCode(value + (value < 57 ? 35 : 36));
  const text = Array.from(bytes, (byte) => (byte < 64 ? '' : digit(63 + (byte >> 6))) + digit(byte & 63)).join('');
  return `${constant(text)}
function decode(text) {
  const digit = (at) => text.charCodeAt(at) - (text.charCodeAt(at) < 92 ? 35 : 36);
  const bytes = new Uint8Array(${bytes.length});
  for (let at = 0, i = 0; i < bytes.length; i++) {
    const first = digit(at++);
    bytes[i] = first < 64 ? first : ((first - 63) << 6) | digit(at++);
  }
  return bytes;
}

export const bytes = () => decode(text);
`;
}

/** Outside of functions, whose source is scanned again when they are first called. Used once: Bun puts a constant wherever it is used. */
const constant = (text) => `const text = "${text}";\n`;

async function buildShim(run) {
  for (const name of readdirSync(dist)) if (name !== 'wasm') rmSync(join(dist, name), { recursive: true });
  await run(node, [join(root, 'node_modules/typescript/bin/tsc'), '-p', pkg]);
  await bundle();
}

/**
 * The entries once more in few files, for Node, Deno and Bun: to find, read and link 69 of them took half of the time of an import.
 * The wasm and its glue stay where they are.
 */
async function bundle() {
  // Setup may only just have installed it.
  const esbuild = await import('esbuild');
  const { exports } = JSON.parse(readFileSync(join(pkg, 'package.json'), 'utf8'));
  const glue = {
    name: 'glue',
    setup: ({ onResolve }) => onResolve({ filter: /\/wasm\/[^/]+\.js$/ }, ({ path }) => ({ path: `../wasm/${basename(path)}`, external: true })),
  };
  await esbuild.build({
    entryPoints: Object.values(exports).flatMap((conditions) => (conditions.node === undefined ? [] : join(pkg, conditions.default))),
    outdir: join(dist, 'node'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    sourcemap: true,
    external: ['react'],
    plugins: [glue],
  });
}

/** Sets up what is missing and rebuilds what has changed. */
export async function build() {
  await setupForBuild();
  const rust = inRoot('Cargo.toml', 'Cargo.lock', 'src', 'scripts/build.mjs', 'scripts/optimise.mjs', 'scripts/panics.mjs');
  await whenChanged('wasm', { inputs: rust, output: wasm }, () => step('build wasm', buildWasm));
  const shim = [join(pkg, 'src'), join(pkg, 'tsconfig.json'), join(root, 'scripts/build.mjs'), ...modules.map(({ name }) => join(wasm, `${name}.d.ts`))];
  await whenChanged('shim', { inputs: shim, output: join(dist, 'index.js') }, () => step('build shim', buildShim));
  for (const name of readdirSync(root)) if (/^(README|LICENSE|BENCHMARKS|CHANGELOG|CONTRIBUTING|DESIGN)/.test(name)) copyFileSync(join(root, name), join(pkg, name));
  // Errors name these pages.
  rmSync(join(pkg, 'docs'), { recursive: true, force: true });
  cpSync(join(root, 'docs'), join(pkg, 'docs'), { recursive: true });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await script(build);
