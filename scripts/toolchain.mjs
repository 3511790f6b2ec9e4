// The Rust compiler that can build wasm32, and the environment that makes cargo, wasm-bindgen and wasm-pack use it.
// `node scripts/toolchain.mjs cargo check --features wasm --target wasm32-unknown-unknown` runs one command in it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, tools } from './places.mjs';

export const target = 'wasm32-unknown-unknown';

/** Debian's second compiler (package rustc-web), which stands beside rustup's and is given the target by setup. */
export const debian = { rustc: '/usr/bin/rustc', cargo: '/usr/bin/cargo', library: `/usr/lib/rustlib/${target}/lib` };

/** The version that Cargo.toml pins: wasm-bindgen-cli must be exactly it. */
export const wasmBindgenVersion = /^wasm-bindgen = .*"=([\d.]+)"/m.exec(readFileSync(join(root, 'Cargo.toml'), 'utf8'))[1];

const ask = (command, ...args) => spawnSync(command, args, { encoding: 'utf8' }).stdout?.trim();

/** What `rustc` on PATH says of itself, or undefined where there is no Rust. */
export function activeRust() {
  const [version, sysroot] = [ask('rustc', '--version'), ask('rustc', '--print', 'sysroot')];
  const host = /^host: (.+)$/m.exec(ask('rustc', '-vV'))?.[1];
  return version && { version, host, library: join(sysroot, 'lib/rustlib', target, 'lib') };
}

const hasStd = (library) => existsSync(library) && readdirSync(library).some((file) => /^libstd-.*\.rlib$/.test(file));

/** Names Debian's compiler to the std built for it: another version refuses to link it. */
export const debianStamp = () => ask(debian.rustc, '--version');

const debianReady = () => {
  const stamp = join(debian.library, 'built-by');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === debianStamp();
};

/** Which compiler builds wasm32: 'active' is the one on PATH, 'debian' is Debian's, undefined is none yet. */
export function wasmCompiler(active = activeRust()) {
  if (active && hasStd(active.library)) return 'active';
  return debianReady() ? 'debian' : undefined;
}

/** The environment for every command that compiles to or tests wasm32. */
export function wasmEnv() {
  const path = (...first) => [join(tools, 'bin'), ...first, process.env.PATH].join(delimiter);
  if (wasmCompiler() !== 'debian') return { ...process.env, PATH: path() };
  return { ...process.env, PATH: path('/usr/bin'), RUSTC: debian.rustc, CARGO: debian.cargo };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [command, ...args] = process.argv.slice(2);
  process.exitCode = spawnSync(command, args, { env: wasmEnv(), stdio: 'inherit' }).status ?? 1;
}
