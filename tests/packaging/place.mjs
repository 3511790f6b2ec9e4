// A place is where one toolchain works: its folder of tests/packaging with what all share, the packages that it pins, and
// ours as it is packed. Places are kept in .tools/toolchains, so that packages are installed once.
import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { node, root, tools } from '../../scripts/places.mjs';

const exec = promisify(execFile);
const here = join(root, 'tests/packaging');
const places = join(tools, 'toolchains');
const kept = new Set(['node_modules', 'installed']);

/** Packs the package, and returns the tarball. */
export async function pack() {
  mkdirSync(places, { recursive: true });
  const { stdout } = await exec('npm', ['pack', '--json', '--workspace', 'patchwire', '--pack-destination', places], { cwd: root });
  return join(places, Object.values(JSON.parse(stdout))[0].filename);
}

/** Makes a place as new, but for packages that are installed already, of folders of which the last names it. `env` goes to whatever runs there. */
export async function open(folders, tarball, env = {}) {
  const dir = join(places, folders.at(-1));
  mkdirSync(dir, { recursive: true });
  for (const name of readdirSync(dir)) if (!kept.has(name)) rmSync(join(dir, name), { recursive: true });
  for (const source of ['shared', ...folders]) cpSync(join(here, source), dir, { recursive: true });
  await install(dir);
  const ours = join(dir, 'node_modules/patchwire');
  rmSync(ours, { recursive: true, force: true });
  mkdirSync(ours);
  await exec('tar', ['-xzf', tarball, '-C', ours, '--strip-components', '1']);
  return new Place(dir, env);
}

async function install(dir) {
  const wanted = readFileSync(join(dir, 'package.json'), 'utf8');
  const stamp = join(dir, 'installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(stamp, { force: true });
  await exec('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund'], { cwd: dir });
  writeFileSync(stamp, wanted);
}

class Place {
  constructor(dir, env) {
    this.dir = dir;
    const inherited = Object.entries(process.env).filter(([name]) => !/^(NODE_|VITEST|npm_|VITE|DEV$|PROD$|MODE$|TEST$)/.test(name));
    this.env = { ...Object.fromEntries(inherited), NO_COLOR: '1', CI: '1', NEXT_TELEMETRY_DISABLED: '1', WRANGLER_SEND_METRICS: 'false', ...env };
  }

  /** The version of a package; without a name that of the first in package.json, after which the toolchain is called. */
  version(name = Object.keys(JSON.parse(this.read('package.json')).dependencies)[0]) {
    return JSON.parse(this.read(`node_modules/${name}/package.json`)).version;
  }

  read(name) {
    return readFileSync(join(this.dir, name), 'utf8');
  }

  write(name, text) {
    writeFileSync(join(this.dir, name), text);
  }

  /** Runs a command of an installed package on this project's Node, and returns what it prints. */
  async run(command, args = [], { cwd = this.dir, env = {} } = {}) {
    const [file, before] = this.#found(command);
    try {
      const { stdout } = await exec(file, [...before, ...args], { cwd, env: { ...this.env, ...env }, maxBuffer: 64 << 20 });
      return stdout.trim();
    } catch (error) {
      throw new Error(`${command} ${args.join(' ')}: ${error.message}\n${error.stdout ?? ''}`.slice(0, 6000));
    }
  }

  /** Starts a server, and returns what its output says about its address, and how to stop it. */
  async serve(command, args, says, env = {}) {
    const [file, before] = this.#found(command);
    const child = spawn(file, [...before, ...args], { cwd: this.dir, env: { ...this.env, ...env }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const stop = () => {
      try {
        process.kill(-child.pid);
      } catch {
        // It has ended.
      }
    };
    let output = '';
    const url = await new Promise((resolve, reject) => {
      const take = (text) => {
        output += text;
        // eslint-disable-next-line no-control-regex
        const found = says.exec(output.replaceAll(/\x1b\[[\d;]*m/g, ''));
        if (found) resolve(found[0]);
      };
      child.stdout.setEncoding('utf8').on('data', take);
      child.stderr.setEncoding('utf8').on('data', take);
      child.on('error', reject).on('exit', (code) => reject(new Error(`${command} ended with ${code}: ${output}`)));
      setTimeout(() => reject(new Error(`${command} says no address: ${output}`)), 90_000).unref();
    }).catch((error) => {
      stop();
      throw error;
    });
    return { url, stop };
  }

  /** Runs what was built where there is nothing else, a file or a program, and returns what it prints. */
  async alone(from, main, command = node) {
    const away = mkdtempSync(join(tmpdir(), 'patchwire-alone-'));
    try {
      cpSync(join(this.dir, from), away, { recursive: true });
      writeFileSync(join(away, 'package.json'), '{"type":"module"}');
      return await this.run(command, main ? [join(away, main)] : [], { cwd: away });
    } finally {
      rmSync(away, { recursive: true, force: true });
    }
  }

  /** How large the JavaScript (and wasm) in a folder is, in bytes: as it is, and compressed file by file. */
  size(folder) {
    const files = readdirSync(join(this.dir, folder), { recursive: true }).filter((name) => /\.([cm]?js|wasm)$/.test(name));
    const sum = { min: 0, gzip: 0, brotli: 0 };
    for (const file of files) {
      const bytes = readFileSync(join(this.dir, folder, file));
      sum.min += bytes.length;
      sum.gzip += gzipSync(bytes, { level: 9 }).length;
      sum.brotli += brotliCompressSync(bytes).length;
    }
    return sum;
  }

  #found(command) {
    if (command.includes('/')) return [command, []];
    const bin = join(this.dir, 'node_modules/.bin', command);
    return readFileSync(bin, 'latin1').startsWith('#!/usr/bin/env node') ? [node, [bin]] : [bin, []];
  }
}
