// Peers that only some rows want, fetched by npm when one does, so that they stay out of the project's lock.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tools } from '../scripts/places.mjs';

/** A module of a package at a version, in `.tools/peers/`, with as much of what the package depends on as the module `needs`. */
export async function peerModule(name, version, file, needs = []) {
  const folder = join(tools, 'peers', `${name.replaceAll('/', '-')}-${version}`);
  if (!existsSync(folder)) {
    const fresh = `${folder}-fresh`;
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true });
    if (needs.length > 0) install(fresh, needs);
    execFileSync('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', fresh], { stdio: ['ignore', 'ignore', 'inherit'] });
    const archive = readdirSync(fresh).find((file) => file.endsWith('.tgz'));
    execFileSync('tar', ['-xzf', archive], { cwd: fresh });
    renameSync(fresh, folder);
  }
  return import(pathToFileURL(join(folder, 'package', file)).href);
}

/** Installs a package at a version, with what it depends on, as `.tools/peers/<name>/node_modules/<name>`. */
export async function installPeer(name, version) {
  const folder = join(tools, 'peers', name);
  if (existsSync(folder)) return;
  const fresh = `${folder}-fresh`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  install(fresh, [`${name}@${version}`]);
  renameSync(fresh, folder);
}

function install(folder, packages) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  execFileSync('npm', ['install', ...packages, '--silent', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}
