// `npm run build`: src/ (Rust) and pkg/src (TypeScript) become pkg/dist, ready for `npm pack`.
import { copyFileSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { node, pkg, root } from './places.mjs';
import { script, step } from './progress.mjs';
import { setup } from './setup.mjs';
import { whenChanged } from './stamp.mjs';
import { target, wasmEnv } from './toolchain.mjs';

const optimise = '-O3';
// Listed, because with --all-features wasm-opt emits modules that V8 rejects.
const features = ['bulk-memory', 'nontrapping-float-to-int', 'sign-ext', 'mutable-globals', 'reference-types', 'multivalue'];

const dist = join(pkg, 'dist');
const wasm = join(dist, 'wasm');
const inRoot = (...names) => names.map((name) => join(root, name));

async function buildWasm(run) {
  const env = wasmEnv();
  const built = join(root, 'target', target, 'release/patchwire.wasm');
  await run('cargo', ['build', '--lib', '--release', '--features', 'wasm', '--target', target, '--target-dir', 'target'], { env });
  const made = join(root, 'target/wasm-bindgen');
  rmSync(made, { recursive: true, force: true });
  // The loaders say where the module comes from: a default path would make bundlers ship it a second time.
  const shape = ['--target', 'web', '--omit-default-module-path', '--experimental-reset-state-function'];
  await run('wasm-bindgen', [built, ...shape, '--out-dir', made, '--out-name', 'patchwire'], { env });
  const [plain, module] = [join(made, 'patchwire_bg.wasm'), join(made, 'patchwire.wasm')];
  await run(node, [join(root, 'node_modules/binaryen/bin/wasm-opt'), plain, '-o', module, optimise, ...features.map((name) => `--enable-${name}`)]);
  rmSync(plain);
  // Symbol.dispose is unknown to the lib of most who compile against the package.
  const types = join(made, 'patchwire.d.ts');
  writeFileSync(types, readFileSync(types, 'utf8').replace(/^ *\[Symbol\.dispose\].*\n/gm, ''));
  // wasm-bindgen types the module's exports; workerd imports the module itself.
  rmSync(join(made, 'patchwire_bg.wasm.d.ts'));
  writeFileSync(join(made, 'patchwire.d.wasm.ts'), 'declare const module: WebAssembly.Module;\nexport default module;\n');
  writeFileSync(join(made, 'inline.js'), inlineModule(readFileSync(module)));
  writeFileSync(join(made, 'inline.d.ts'), 'export function bytes(): Uint8Array<ArrayBuffer>;\n');
  mkdirSync(dist, { recursive: true });
  rmSync(wasm, { recursive: true, force: true });
  renameSync(made, wasm);
}

/**
 * The JavaScript module that carries the wasm to browsers, where it can't be fetched synchronously. In hex, because
 * that keeps bytes apart: brotli makes it 7 % larger than the wasm itself, base64 35 %.
 */
function inlineModule(bytes) {
  return `const text = "${bytes.toString('hex')}";
const digit = (code) => (code & 15) + 9 * (code >> 6);

export function bytes() {
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = (digit(text.charCodeAt(2 * i)) << 4) | digit(text.charCodeAt(2 * i + 1));
  return bytes;
}
`;
}

async function buildShim(run) {
  for (const name of readdirSync(dist)) if (name !== 'wasm') rmSync(join(dist, name), { recursive: true });
  await run(node, [join(root, 'node_modules/typescript/bin/tsc'), '-p', pkg]);
}

/** Sets up what is missing and rebuilds what has changed. */
export async function build() {
  await setup();
  const rust = inRoot('Cargo.toml', 'Cargo.lock', 'src', 'scripts/build.mjs');
  await whenChanged('wasm', { inputs: rust, output: wasm }, () => step('build wasm', buildWasm));
  const shim = [join(pkg, 'src'), join(pkg, 'tsconfig.json'), join(wasm, 'patchwire.d.ts')];
  await whenChanged('shim', { inputs: shim, output: join(dist, 'index.js') }, () => step('build shim', buildShim));
  for (const name of readdirSync(root)) if (/^(README|LICENSE)/.test(name)) copyFileSync(join(root, name), join(pkg, name));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await script(build);
