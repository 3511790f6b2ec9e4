// Peers that only some rows want, fetched by npm when one does, so that they stay out of the project's lock.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tools } from '../scripts/places.mjs';

/** A module of a package at a version, in `.tools/peers/`, without what the package depends on. */
export async function peerModule(name, version, file) {
  const folder = join(tools, 'peers', `${name.replaceAll('/', '-')}-${version}`);
  if (!existsSync(folder)) {
    const fresh = `${folder}-fresh`;
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true });
    execFileSync('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', fresh], { stdio: ['ignore', 'ignore', 'inherit'] });
    const [archive] = readdirSync(fresh);
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
  writeFileSync(join(fresh, 'package.json'), '{ "private": true }');
  execFileSync('npm', ['install', `${name}@${version}`, '--silent', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: fresh, stdio: ['ignore', 'ignore', 'inherit'] });
  renameSync(fresh, folder);
}
