// Peers of which one file is wanted: their packages are fetched by npm when a row needs them, without what they depend on.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tools } from '../scripts/places.mjs';

/** A module of a package at a version, in `.tools/peers/`. */
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
