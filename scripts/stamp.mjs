// Skips work whose inputs are what they were when it last succeeded.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root, tools } from './places.mjs';

const generated = new Set(['node_modules', 'dist', '.wrangler']);

function files(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).sort().filter((name) => !generated.has(name)).flatMap((name) => files(join(path, name)));
}

function digest(inputs) {
  const hash = createHash('sha256');
  for (const file of inputs.flatMap(files)) hash.update(`${relative(root, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

/** Does `work` when the content of `inputs` (files and folders) has changed since it last succeeded, or `output` is gone. */
export async function whenChanged(name, { inputs, output }, work) {
  const stamp = join(tools, 'stamps', name);
  const now = digest(inputs);
  if (existsSync(output) && existsSync(stamp) && readFileSync(stamp, 'utf8') === now) return;
  rmSync(stamp, { force: true });
  await work();
  mkdirSync(join(tools, 'stamps'), { recursive: true });
  writeFileSync(stamp, now);
}
