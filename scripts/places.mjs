import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const tools = join(root, '.tools');
export const pkg = join(root, 'pkg');
export const www = join(root, 'www');

const exe = process.platform === 'win32' ? '.exe' : '';

/** Node 24 from npm, so that everything runs on one Node, whichever runs npm. */
export const node = join(root, 'node_modules/node/bin', `node${exe}`);

/** The first `name` on PATH, or undefined. */
export function onPath(name, path = process.env.PATH ?? '') {
  return path.split(delimiter).map((folder) => join(folder, name + exe)).find((file) => existsSync(file));
}
