// `npm run setup`: installs what is missing for building and testing, and nothing that is there already. The system's package
// manager runs only with `--install`, in CI, and for root.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findBrowser } from './browser.mjs';
import { onPath, root, tools } from './places.mjs';
import { Advice, script, step } from './progress.mjs';
import { activeRust, debian, debianStamp, target, wasmBindgenVersion, wasmCompiler } from './toolchain.mjs';

const wasmPackVersion = '0.15.1';
const geckodriverVersion = '0.36.0';
const rustWanted = Number(/^rust-version = "1\.(\d+)/m.exec(readFileSync(join(root, 'Cargo.toml'), 'utf8'))[1]);
const rust = activeRust();
const isRoot = process.getuid?.() === 0;
const asRoot = isRoot ? [] : ['sudo'];
const mayInstall = isRoot || Boolean(process.env.CI) || process.argv.includes('--install');

const npmPackages = {
  name: 'npm packages',
  missing() {
    const read = (lock) => (existsSync(join(root, lock)) ? JSON.parse(readFileSync(join(root, lock), 'utf8')).packages : {});
    const installed = read('node_modules/.package-lock.json');
    return Object.entries(read('package-lock.json')).some(
      ([path, wanted]) => path.startsWith('node_modules/') && !wanted.optional && installed[path]?.version !== wanted.version,
    );
  },
  async install(run) {
    // npm must not run on the Node in node_modules, which it is about to replace.
    const path = process.env.PATH.split(delimiter).filter((folder) => !folder.startsWith(root)).join(delimiter);
    await run('npm', ['ci', '--no-audit', '--no-fund'], { env: { ...process.env, PATH: path } });
  },
  next: 'If package.json was changed by hand, run `npm install`; otherwise look at the network, then try again.',
};

const rustIsThere = {
  name: 'Rust',
  missing: () => !(Number(/^rustc 1\.(\d+)/.exec(rust?.version)?.[1]) >= rustWanted),
  install() {
    throw new Advice(`${rust ? `${rust.version} is too old` : 'not found'}: install Rust 1.${rustWanted} or newer with rustup, then try again.`);
  },
};

const wasmTarget = {
  name: target,
  missing: () => !wasmCompiler(rust),
  async install(run) {
    if (onPath('rustup')) {
      const env = { ...process.env, RUSTUP_MAX_RETRIES: '0' };
      const added = await run('rustup', ['target', 'add', target], { env }).then(() => true, () => false);
      if (added && wasmCompiler() === 'active') return { note: 'the rustup way: added to the active toolchain' };
    }
    if (!onPath('apt-get')) throw new Advice(`install it with \`rustup target add ${target}\`, then try again.`);
    await apt(run, 'rustc-web', 'cargo-web', 'rust-web-src', 'rust-web-llvm');
    await apt(run, readlinkSync('/usr/bin/rust-lld'));
    await buildStd(run);
    return { note: "the Debian way: rustup could not fetch it, so std was built for Debian's rustc-web" };
  },
  next: `Install it with \`rustup target add ${target}\`, then try again.`,
};

const wasmBindgen = {
  name: `wasm-bindgen-cli ${wasmBindgenVersion}`,
  missing: () => !cargoInstalled('wasm-bindgen-cli', wasmBindgenVersion),
  // Not --locked: one of the locked versions has been taken off the registry.
  install: (run) => cargoInstall(run, 'wasm-bindgen-cli', wasmBindgenVersion, ...optimised('walrus', 'wasmparser', 'wasm-encoder', 'gimli')),
};

const wasmPack = {
  name: `wasm-pack ${wasmPackVersion}`,
  missing: () => !cargoInstalled('wasm-pack', wasmPackVersion),
  install: (run) => cargoInstall(run, 'wasm-pack', wasmPackVersion, '--locked'),
};

const cppCompiler = {
  name: 'C++ compiler',
  // On Windows it is where the compiler that Rust links with is.
  missing: () => process.platform !== 'win32' && !onPath('c++'),
  async install(run) {
    if (!onPath('apt-get')) throw new Advice('install g++ or clang, which compiles libFuzzer, then try again.');
    await apt(run, 'g++');
  },
  next: 'Install g++ or clang, then try again.',
};

const browser = {
  name: 'browser',
  missing: () => !findBrowser(),
  async install(run) {
    if (!onPath('apt-get')) throw new Advice('install Chrome, Chromium or Firefox (or name one in CHROME_PATH), then try again.');
    await apt(run, 'chromium', 'chromium-driver');
    return { note: "Debian's Chromium" };
  },
  next: 'Install Chrome, Chromium or Firefox (or name one in CHROME_PATH), then try again.',
};

const geckodriver = {
  name: 'geckodriver',
  missing: () => findBrowser()?.name === 'firefox' && !onPath('geckodriver') && !cargoInstalled('geckodriver', geckodriverVersion),
  install: (run) => cargoInstall(run, 'geckodriver', geckodriverVersion, '--locked'),
};

// cargo records a tool here once it is installed whole.
function cargoInstalled(name, version) {
  const record = join(tools, '.crates.toml');
  return existsSync(record) && readFileSync(record, 'utf8').includes(`"${name} ${version} `);
}

// Unoptimised, these tools compile in half the time. What reads and writes wasm would be felt in every test run.
const optimised = (...crates) => crates.flatMap((crate) => ['--config', `profile.release.package.${crate}.opt-level=2`]);

function cargoInstall(run, name, version, ...more) {
  const env = { ...process.env, CARGO_PROFILE_RELEASE_OPT_LEVEL: '0', CARGO_PROFILE_RELEASE_LTO: 'off' };
  return run('cargo', ['install', name, '--version', version, '--root', tools, ...more], { env });
}

let packageLists;
async function apt(run, ...packages) {
  if (!mayInstall) {
    const line = ['sudo apt-get install -y --no-install-recommends', ...packages].join(' ');
    throw new Advice(`packages of the system are missing. \`npm run setup -- --install\` runs this, or do it yourself: ${line}`);
  }
  const get = (...args) => run(...command('env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-o', 'DPkg::Lock::Timeout=300', ...args));
  await (packageLists ??= get('update'));
  await get('install', '-y', '--no-install-recommends', ...packages);
}

function command(...words) {
  const [first, ...rest] = [...asRoot, ...words];
  return [first, rest];
}

// Debian ships no std for wasm32, so it is compiled from rust-web-src into the sysroot, where every tool finds it.
async function buildStd(run) {
  const empty = join(tools, 'std');
  rmSync(empty, { recursive: true, force: true });
  mkdirSync(join(empty, 'src'), { recursive: true });
  writeFileSync(join(empty, 'Cargo.toml'), '[package]\nname = "empty"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n');
  writeFileSync(join(empty, 'src/lib.rs'), '');
  const std = ['-Zbuild-std=std,panic_abort,test,proc_macro', '-Zbuild-std-features=panic-unwind'];
  const env = { ...process.env, RUSTC: debian.rustc, RUSTC_BOOTSTRAP: '1', CARGO_TARGET_DIR: join(empty, 'target') };
  await run(debian.cargo, ['build', '--release', '--target', target, ...std], { cwd: empty, env });
  const built = join(empty, 'target', target, 'release/deps');
  const ours = readdirSync(built).filter((file) => file.endsWith('.rlib') && !file.startsWith('libempty-'));
  writeFileSync(join(built, 'built-by'), debianStamp());
  // Another version's crates beside these would make every one of them ambiguous.
  await run(...command('rm', '-rf', debian.library));
  await run(...command('mkdir', '-p', debian.library));
  await run(...command('cp', ...[...ours, 'built-by'].map((file) => join(built, file)), debian.library));
}

async function ensure(...steps) {
  for (const { name, missing, install, next } of steps) {
    if (missing()) await step(name, install, { next });
  }
}

/** Installs whatever is missing for building. */
export function setupForBuild() {
  return inLanes([npmPackages, wasmTarget], [wasmBindgen]);
}

/** Installs whatever is missing for building and testing. */
export function setup() {
  return inLanes([npmPackages, wasmTarget, browser, geckodriver, cppCompiler], [wasmBindgen, wasmPack]);
}

/** Downloads run beside the compiles, which have the processors. */
async function inLanes(downloads, compiles) {
  await ensure(rustIsThere);
  // Asked for now, because the lines of running steps would be drawn over the prompt.
  const needsApt = [browser, cppCompiler, wasmTarget].some((one) => downloads.includes(one) && one.missing() && !(one === wasmTarget && onPath('rustup')));
  if (needsApt && mayInstall && !isRoot && onPath('apt-get')) spawnSync('sudo', ['--validate'], { stdio: 'inherit' });
  const lanes = await Promise.allSettled([ensure(...downloads), ensure(...compiles)]);
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await script(setup);
